#!/bin/sh
# Output that goes nowhere.
# Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
make_ring lost
make_ring pauses

to_full() { eventring "$@" >/dev/full; }
for command in "events lost.eventring" "events --raw lost.eventring" \
  "events --follow lost.eventring" "check pauses.eventring" "--help" \
  "stat pauses.eventring" "stat --json pauses.eventring" \
  "stat -i 10ms pauses.eventring" "latency pauses.eventring" \
  "latency --json pauses.eventring" "latency --hgrm pauses.eventring" \
  "--version" "help stat" "help --options" "events --help" "events --json lost.eventring" \
  "events --count lost.eventring" "categories lost.eventring"; do
  run to_full $command
  ok "$command on a full disk" exits 4
  ok "$command on a full disk says so" err_has 'No space left on device'
done
limited() { (ulimit -f 1; eventring "$@"); }
run limited trace -o limited.json lost.eventring
ok "a file size limit: the command says so" refused 4 'File too large'
ok "and leaves no part of a file" [ -z "$(ls ./*.part 2>/dev/null)" ]
closed() { eventring "$@" >&-; }
run closed events lost.eventring
ok "standard output closed" exits 4

# The status of the command itself, at the head of a pipe.
to_head() { { eventring "$@"; echo $? >piped; } | head -1; }
for command in "events pauses.eventring" "events -f pauses.eventring" \
  "stat pauses.eventring" "stat -i 10ms pauses.eventring" \
  "latency pauses.eventring" "check pauses.eventring" "--help"; do
  run to_head $command
  ok "$command | head: quiet" [ ! -s err ]
  ok "$command | head: exits with 0" [ "$(cat piped)" = 0 ]
done
# The pipe is closed before the first byte is written.
to_nobody() {
  mkfifo gone
  { sleep 0.2; eventring events --raw pauses.eventring; echo $? >piped; } >gone &
  : <gone
  wait $!
}
run to_nobody
ok "nobody reads: quiet" [ ! -s err ]
ok "nobody reads: exits with 0" [ "$(cat piped)" = 0 ]
finish
