#!/bin/sh
# Targets that cannot be opened: one line each, with the target and the reason.
# Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

for command in stat get latency metrics diagnose events check pause resume \
  categories; do
  run eventring $command 4242424
  ok "$command: a process that does not exist is refused" refused 3 '4242424'
  run eventring $command --dir "$tmp" $$
  ok "$command: a process that is not traced is refused" refused 3 "$$"
  run eventring $command ./missing.eventring
  ok "$command: a missing file is refused" refused 3 'missing.eventring'
done
run eventring events $$
ok "events without --dir: a process that is not traced is refused" \
  refused 3 "$$ (.*) is not traced"
run eventring events --dir "$tmp/nowhere" $$
ok "a missing directory is refused" refused 3 'nowhere'
run eventring events "$tmp"
ok "a directory is refused" refused 3 'directory'
run eventring events /dev/zero
ok "a device is refused" refused 3 '/dev/zero'
mkfifo fifo
run timeout 10 "$EVENTRING_BIN" events ./fifo
ok "a named pipe without a writer is refused at once" refused 3 'fifo'
: >empty
run eventring events ./empty
ok "an empty file is refused" refused 3 'empty'
head -c 100000 /dev/zero >zeros
run eventring events ./zeros
ok "a file of zeros is refused" refused 3 'zeros'
for size in 1 100 4096 100000; do
  perl -e 'srand(42); print pack("C*", map { int rand 256 } 1..shift)' \
    $size >random
  run eventring events ./random
  ok "a file of $size random bytes is refused" refused 3 'random'
done
echo 'let () = print_endline "hello"' >hello.ml
run eventring events hello.ml
ok "a text file is refused" refused 3 'hello.ml'

make_ring version
run eventring events version.eventring
ok "a file of another major version is refused" refused 3 'version 2\.'
make_ring plain
make_ring fields
size=$(wc -c <plain.eventring)
for left in 1 15 16 100 600 4095 4096 5000 50000 $((size - 1)); do
  head -c "$left" plain.eventring >cut
  run eventring events ./cut
  ok "a ring file cut to $left of $size bytes is refused" refused 3 'cut'
done
run eventring pause plain.eventring
ok "pause is refused for an ended process" refused 3 'has ended'
run eventring resume plain.eventring
ok "resume is refused for an ended process" refused 3 'has ended'

# Bytes of the file changed at random places: the command must answer, with any
# of its exit codes.
answered() { [ "$status" -eq 0 ] || [ "$status" -eq 1 ] || [ "$status" -eq 3 ]; }
wrong=0
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  perl -e 'srand(shift); local $/; my $s = <STDIN>;
    substr($s, rand 700, 1) = chr rand 256 for 1..4;
    substr($s, 45000 + rand(length($s) - 45000), 1) = chr rand 256 for 1..40;
    print $s' $seed <fields.eventring >changed
  for command in stat latency "stat --json" "latency --hgrm" events \
    "events --raw" "check" "events --json" \
    "events --count --longer-than=0" categories; do
    run timeout 20 "$EVENTRING_BIN" $command ./changed
    answered || { wrong=$((wrong + 1)); echo "# seed $seed: $status"; }
  done
done
ok "files with changed bytes are read or refused" [ $wrong = 0 ]

# User nobody opens a file and a process of root.
if can_be_nobody; then
  chmod 600 plain.eventring
  run as_nobody events "$tmp/plain.eventring"
  ok "the unreadable file of another user is refused" refused 3 '[Pp]ermission'
  run as_nobody events $$
  ok "the process of another user is refused" refused 3 "$$"
else
  skip "the unreadable file of another user is refused" "needs root and setpriv"
  skip "the process of another user is refused" "needs root and setpriv"
fi

# A FIFO takes the place of a recording between two openings: nobody waits for a
# writer of it.
make_ring plain
run eventring dump plain.eventring -o plain.evr
${CC:-cc} -std=gnu11 -shared -fPIC -o swapped_file.so "$here/swapped_file.c" ||
  exit 1
swapping() {
  rm -f swap.evr
  cp plain.evr swap.evr
  LD_PRELOAD=$tmp/swapped_file.so SWAP=swap.evr SWAP_AFTER=$after \
    timeout -s KILL 10 "$EVENTRING_BIN" "$@"
}
no_wait() {
  for after in 1 2 3 4 5 6; do
    run swapping "$@"
    [ "$status" -lt 128 ] || return 1
    ! [ -p swap.evr ] || swaps=$((swaps + 1))
  done
}
for command in 'check swap.evr' 'cut --from 0 --force -o out.evr swap.evr' \
    'cat --force -o out.evr swap.evr plain.evr' \
    'merge --force -o out.evr swap.evr plain.evr'; do
  swaps=0
  # shellcheck disable=SC2086 # words
  ok "${command%% *}: a FIFO in place of the file does not block it" \
    no_wait $command
  ok "${command%% *}: the file was opened and replaced" [ $swaps -gt 1 ]
done

# The file of a process appears while the process is looked up.
${CC:-cc} -std=gnu11 -shared -fPIC -o hidden_file.so "$here/hidden_file.c" ||
  exit 1
sleep 1000 &
alive=$!
started="$started $alive"
mkdir late
./make_ring plain late/$alive.eventring pid=$alive || exit 1
hidden() {
  run env LD_PRELOAD="$tmp/hidden_file.so" HIDE=late/$alive.eventring \
    HIDE_TIMES="$1" "$EVENTRING_BIN" events -d late $alive
}
hidden 1
ok "a file that appears during the search is found" eval \
  'exits 0 && out_has . && [ ! -s err ]'
hidden 1000
ok "a file that appears after the search is not of another namespace" refused 3 \
  "late/$alive.eventring: process $alive (sleep) is not traced, or"
finish
