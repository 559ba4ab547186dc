#!/bin/sh
# eventring check: its findings in ring files and recordings, and their places.
# Needs no OCaml.
. "$(dirname "$0")/tap.sh"
: "${EVENTRING_BUILD:=$EVENTRING_TOP/_build}"
cd "$tmp" || exit 1

for kind in plain right lost killed; do
  make_ring $kind
  run eventring check $kind.eventring
  ok "$kind: the ring file has no findings" exits 0
  run eventring dump $kind.eventring -o $kind.evr
  ok "$kind: dump exits with 0" exits 0
  run eventring check $kind.evr
  ok "$kind: the dump has no findings" exits 0
done
run eventring events --raw plain.eventring
cp out plain
run eventring events --raw plain.evr
ok "a dump has the events of its ring file" cmp plain out

# Mistakes in events.
make_ring wrong
run eventring check wrong.eventring
ok "a span without begin is a finding" eval "exits 1 && out_has 'no begin'"
run eventring check --json wrong.eventring
ok "--json counts spans without begin or end" \
  eval "exits 1 && out_has '\"unbalanced\": [1-9]'"
run eventring dump wrong.eventring -o wrong.evr
run eventring check wrong.evr
ok "a span without begin in a recording is a finding" \
  eval "exits 1 && out_has 'no begin'"

# Damage, with its place.
make_ring damaged
run eventring check damaged.eventring
ok "a damaged block is reported with its place" \
  eval "exits 1 && out_has '^byte [0-9]*: ring [0-9]*: '"
run eventring check --json damaged.eventring
ok "--json has the place of a damaged block" \
  eval "exits 1 && out_has '\"right\": false' &&
  out_has '\"byte\": [1-9]'"
flip() { # FILE BYTE: copies the recording, with 255 as this byte
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
ok "changed byte at the start of a recording: reported as damage" \
  eval "exits 1 && err_has 'are damaged'"
flip chunk.evr 40
run eventring check chunk.evr
ok "changed byte in the header of a chunk: no chunk begins there" \
  eval "exits 1 && out_has '^byte 32: no chunk begins'"
run eventring check --json start.evr
ok "--json prints an object for a file that cannot be opened" jq -e \
  '.file == "start.evr" and .right == false and .processes == [] and
     (.findings | length == 1) and .findings[0].byte == null' out

# Manifests that were written to do harm.
${CC:-cc} -I"$EVENTRING_TOP/consumer/reader" -o record \
  "$EVENTRING_TOP/testsuite/trace/record.c" \
  "$EVENTRING_BUILD/lib/libeventring.a" -lzstd || exit 1
printf '{"a": "\302\233C1 \342\200\256turned"}' >note
./record note.evr plain.eventring note
run eventring check --json note.evr
ok "--json prints a manifest without control characters" eval \
  'exits 0 && ! grep -q "[^ -~]" out && out_has "u202E"'
{ head -c 1000 /dev/zero | tr '\0' '['
  seq -s, 10000
  head -c 1000 /dev/zero | tr '\0' ']'; } | tr -d '\n' >note
./record deep.evr plain.eventring note
run eventring check --json deep.evr
ok "--json prints null for a manifest that is deeply nested" \
  jq -e '.right and .processes[0].manifest == null' out
ok "--json does not print more for nesting" \
  [ "$(wc -c <out)" -lt "$(wc -c <note)" ]
size=$(stat -c %s plain.evr)
flip bytes.evr $((size - 200))
run eventring check bytes.evr
ok "changed byte in the index: the chunk is reported" eval \
  "exits 1 && out_has '^byte [0-9]*: .*(INDEX) are not those that were written'"
run eventring events --raw bytes.evr
ok "changed byte in the index: every event is read" cmp plain out
flip process.evr 200
run eventring check process.evr
ok "changed byte in the process chunk: the place is reported" \
  eval "exits 1 && err_has 'at byte 32'"
flip end.evr $((size - 5))
run eventring check end.evr
ok "changed byte in the trailer: the end of the file is reported" \
  eval "exits 1 && out_has 'the end of the file'"
run eventring events --raw end.evr
ok "changed byte in the trailer: every event is read" cmp plain out
head -c $((size - 100)) plain.evr >cut.evr
run eventring check cut.evr
ok "a recording without its last 100 bytes: the cut is reported" \
  eval "exits 1 && out_has '^byte [0-9]*: '"
run eventring events --raw cut.evr
ok "a recording without its last 100 bytes: every event is read" cmp plain out
head -c 60 plain.evr >short.evr
run eventring check short.evr
ok "a recording cut before its first event is refused" \
  eval "exits 1 && err_has 'before its first event'"

# A start of tracing that no clock has: times after it overflow.
./make_ring plain last.eventring monotonic=9223372036854775807
run eventring dump last.eventring -o last.evr
run eventring cut last.evr --force --from=-1s --to=1h -o cut.evr
ok "cut: a time after the latest one is the latest one" exits 0

run eventring check nothing.evr
ok "a file that does not exist is refused" refused 3 'nothing.evr'
echo text >text
run eventring check text
ok "a text file is refused" refused 3 'not a ring file'
finish
