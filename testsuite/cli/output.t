#!/bin/sh
# Output that cannot be written, and output files that exist already.
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
  ok "$command on a full disk exits with 4" exits 4
  ok "$command on a full disk reports it" err_has 'No space left on device'
done
limited() { (ulimit -f 1; eventring "$@"); }
run limited trace -o limited.json lost.eventring
ok "a file size limit is reported" refused 4 'File too large'
ok "a file size limit leaves no partial file" \
  [ -z "$(ls ./*.part 2>/dev/null)" ]
long=$(printf '%0245d.json' 0)
for output in "$long" "$tmp/$long"; do
  run eventring trace -o "$output" lost.eventring
  ok "an output whose name has 250 characters is written" \
    eval 'exits 0 && [ -s "$long" ]'
  rm -f "$long"
done
closed() { eventring "$@" >&-; }
run closed events lost.eventring
ok "events with closed standard output exits with 4" exits 4

# Runs the command at the head of a pipe and writes its exit code to piped.
to_head() { { eventring "$@"; echo $? >piped; } | head -1; }
for command in "events pauses.eventring" "events -f pauses.eventring" \
  "stat pauses.eventring" "stat -i 10ms pauses.eventring" \
  "latency pauses.eventring" "check pauses.eventring" "--help"; do
  run to_head $command
  ok "$command | head prints nothing on standard error" [ ! -s err ]
  ok "$command | head exits with 0" [ "$(cat piped)" = 0 ]
done
# The pipe is closed before the first byte is written.
to_nobody() {
  mkfifo gone
  { sleep 0.2; eventring events --raw pauses.eventring; echo $? >piped; } >gone &
  : <gone
  wait $!
}
run to_nobody
ok "a pipe that nobody reads: standard error is empty" [ ! -s err ]
ok "a pipe that nobody reads: the exit code is 0" [ "$(cat piped)" = 0 ]

# No command overwrites a file without --force.
eventring dump lost.eventring -o lost.evr
compile work
writes() { # COMMAND...: a command that writes the file "there"
  echo mine >there
  run eventring "$@"
  ok "$* refuses to overwrite a file" eval \
    "exits 4 && [ \"\$(cat there)\" = mine ] && [ -s err ]"
  command=$1
  shift
  run eventring "$command" --force "$@"
  ok "$command --force $* overwrites a file" \
    eval "exits 0 && [ \"\$(head -c 4 there)\" != mine ]"
}
writes dump lost.eventring -o there
writes record lost.eventring -o there
writes trace --format=chrome lost.eventring -o there
writes cat lost.evr -o there
writes merge lost.evr -o there
writes cut lost.evr --to 1s -o there
# A failure removes the output only if it was not there before.
rm there
ln -s /dev/full link
for command in cat merge "cut --to=1s"; do
  # A file of 512 bytes at most
  run sh -c "ulimit -f 1; exec \"\$0\" $command lost.evr -o there" "$EVENTRING_BIN"
  ok "$command that cannot write all leaves no output" \
    eval "exits 4 && err_has 'File too large' && ! [ -e there ]"
  run eventring $command --force lost.evr -o link
  ok "$command --force that cannot write does not remove a link" \
    eval "exits 4 && err_has 'No space left' && [ -L link ]"
done
writes latency --hgrm=there pauses.eventring
writes run -q -o there -- ./work 0.1 1
writes run --summary there -- ./work 0.1 1
finish
