#!/bin/sh
# No room for the ring file: the program could die of SIGBUS or SIGXFSZ, at
# the start or when its fifth domain writes its first event.
. "$(dirname "$0")/programs.sh"
build plain
build later
"$tmp/plain.opt" >"$tmp/expected"

START=OCAML_EVENTRING_START KEEP=OCAML_EVENTRING_KEEP
disk=$tmp/disk
clean_up_disk() { umount "$disk" 2>/dev/null; clean_up; }
trap clean_up_disk EXIT

# small SIZE: a disk of that size at $disk, or a skip
small() {
  mkdir -p "$disk"
  umount "$disk" 2>/dev/null
  mount -t tmpfs -o "size=$1" eventring-test "$disk" 2>/dev/null &&
    cd "$disk"
}

at_start() {
  if ! small 4k; then
    skip "$mode: no room at the start" "cannot mount a small disk"
    return
  fi
  run env $START=1 "$tmp/plain.$mode"
  ok "$mode: no room at the start: the program runs as usual" \
    eval 'exits 3 && diff "$tmp/expected" "$tmp/out"'
  ok "$mode: one line says so" one_line eventring 'No space left'
  ok "$mode: nothing is left on the disk" no_ring
  cd "$tmp"; small 1m
  head -c 1000000 /dev/zero >filler
  run env $START=1 "$tmp/plain.$mode"
  ok "$mode: room for the header only: as usual" \
    eval 'exits 3 && diff "$tmp/expected" "$tmp/out"'
  ok "$mode: one line at least, no more than one a domain" \
    eval '[ -s "$tmp/err" ] && [ "$(wc -l <"$tmp/err")" -le 3 ]'
  cd "$tmp"
}
both at_start

# later DOMAINS: the disk is filled after the first domain has begun
later() {
  if ! small 64m; then
    skip "$mode: no room for a later domain" "cannot mount a small disk"
    return
  fi
  run env $START=1 $KEEP=1 "$tmp/later.$mode" "$disk/filler"
  ok "$mode: no room for a later domain: it goes on" \
    eval 'exits 3 && [ "$(cat "$tmp/out")" = "first second third" ]'
  ok "$mode: one line for each ring, at most" \
    eval 'one_line "No space left" "no longer traced" ||
          [ "$(wc -l <"$tmp/err")" -eq 2 ]'
  rm filler
  ok "$mode: what the first domain wrote is readable" shows 'domain 0 .*minor'
  ok "$mode: the later domain has no events" lacks 'domain 1 .*minor'
  cd "$tmp"
}
both later

limited() {
  fresh
  run sh -c 'ulimit -f 100 && exec "$@"' - \
    env $START=1 "$tmp/plain.$mode"
  ok "$mode: a limit of file sizes: as usual, and no SIGXFSZ" \
    eval 'exits 3 && diff "$tmp/expected" "$tmp/out"'
  ok "$mode: one line says so" one_line 'set the size' 'too large'
  ok "$mode: no file is left" no_ring
  fresh
  run sh -c 'ulimit -f 100 && exec "$@"' - \
    env $START=1 OCAMLRUNPARAM=e=9,d=4 $KEEP=1 "$tmp/plain.$mode"
  ok "$mode: and the program ends as usual with e=9" exits 3
  fresh
  run sh -c 'ulimit -n 3 && exec "$0"' true
  run env $START=1 sh -c 'ulimit -v 400000 && exec "$0"' "$tmp/plain.$mode"
  limited_status=$status
  run sh -c 'ulimit -v 400000 && exec "$0"' "$tmp/plain.$mode"
  ok "$mode: little address space: exit code as without tracing" \
    [ "$limited_status" = "$status" ]
}
both limited
finish
