#!/bin/sh
# Somebody with write access writes anything anywhere into the ring file of a
# running program: its results could be wrong, it could crash or hang; or a
# reader could.
. "$(dirname "$0")/hostile.sh"

consumer() {
  untraced 1500
  for seed in 1 2; do
    fresh
    scribbled 1500 $seed "$EVENTRING_BIN"
    ok "$mode: the program's results are right, $seed" \
      eval 'exits 3 && diff "$tmp/expected" "$tmp/out"'
    ok "$mode: it was scribbled over" [ "$words" -ge 100000 ]
    # 0: it went; 1: damage was found; 3: refused.
    ok "$mode: readers end, and never crash" \
      eval '[ -s readers ] && ! grep -v " [013]\$" readers'
  done
}
both consumer

build directory_of_ones
nonsense() {
  fresh
  run timeout 20 "$tmp/directory_of_ones.$mode"
  ok "$mode: a snapshot of places that cannot be ends" exits 3
  # Nothing or less is in it.
  run timeout 20 "$EVENTRING_BIN" events snapshot
  ok "$mode: and is readable" eval 'exits 0 || exits 1'
}
both nonsense
finish
