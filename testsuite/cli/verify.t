#!/bin/sh
# eventring check: its findings in ring files and recordings, and their places.
# Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

for kind in plain right lost killed; do
  make_ring $kind
  run eventring check $kind.eventring
  ok "nothing is found in what is right: $kind" exits 0
  run eventring dump $kind.eventring -o $kind.evr
  ok "dump of $kind" exits 0
  run eventring check $kind.evr
  ok "nothing is found in that" exits 0
done
run eventring events --raw plain.eventring
cp out plain
run eventring events --raw plain.evr
ok "a dump has the events of its ring file" cmp plain out

# As check.
make_ring wrong
run eventring check wrong.eventring
ok "events that make no sense" eval "exits 1 && out_has 'no begin'"
run eventring check --json wrong.eventring
ok "as JSON" eval "exits 1 && out_has '\"unbalanced\": [1-9]'"
run eventring dump wrong.eventring -o wrong.evr
run eventring check wrong.evr
ok "in a recording too" eval "exits 1 && out_has 'no begin'"

# Damage, with its place.
make_ring damaged
run eventring check damaged.eventring
ok "a damaged block" eval "exits 1 && out_has '^byte [0-9]*: ring [0-9]*: '"
run eventring check --json damaged.eventring
ok "as JSON" eval "exits 1 && out_has '\"right\": false' &&
  out_has '\"byte\": [1-9]'"
flip() { # FILE BYTE: another value there
  cp plain.evr "$1"
  printf '\377' | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
old=$EVENTRING_TOP/testsuite/recording/version-1.0.evr
for command in check events; do
  run eventring $command "$old"
  ok "$command refuses a recording of format 1.0 in one line" eval \
    '! exits 0 && [ "$(wc -l <err)" = 1 ] && err_has "version 1\.0, and this"'
done
flip start.evr 20
run eventring check start.evr
ok "the first bytes of a recording" eval "exits 1 && err_has 'are damaged'"
flip chunk.evr 40
run eventring check chunk.evr
ok "the header of a chunk" eval "exits 1 && out_has '^byte 32: no chunk begins'"
size=$(stat -c %s plain.evr)
flip bytes.evr $((size - 200))
run eventring check bytes.evr
ok "the bytes of a chunk" eval \
  "exits 1 && out_has '^byte [0-9]*: .*(INDEX) are not those that were written'"
run eventring events --raw bytes.evr
ok "which is the index, so that all is read" cmp plain out
flip process.evr 200
run eventring check process.evr
ok "the chunk that all depends on" eval "exits 1 && err_has 'at byte 32'"
flip end.evr $((size - 5))
run eventring check end.evr
ok "the end" eval "exits 1 && out_has 'the end of the file'"
run eventring events --raw end.evr
ok "of which nothing depends" cmp plain out
head -c $((size - 100)) plain.evr >cut.evr
run eventring check cut.evr
ok "a recording that is cut" eval "exits 1 && out_has '^byte [0-9]*: '"
run eventring events --raw cut.evr
ok "and is read" cmp plain out
head -c 60 plain.evr >short.evr
run eventring check short.evr
ok "too short to be read" eval "exits 1 && err_has 'before its first event'"

run eventring check nothing.evr
ok "no such file" refused 3 'nothing.evr'
echo text >text
run eventring check text
ok "another kind of file" refused 3 'not a ring file'
finish
