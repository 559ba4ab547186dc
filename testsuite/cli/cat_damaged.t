#!/bin/sh
# If this breaks, cat, cut and merge lose events of a damaged recording in
# silence.  Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
make_ring plain
# ring NAME: makes NAME.eventring with 500 spans
ring() {
  awk 'BEGIN {
    CONVFMT = OFMT = "%.0f"
    print 0, 0, "instant domain_start", 0, 0, 0
    for (i = 1; i <= 500; i++) {
      print 0, i * 1e6, "begin my.span"
      print 0, i * 1e6 + 1000 * (i % 7 + 1), "end my.span"
    }
  }' | ./make_ring script "$1.eventring" "pid=$2" started="$2"
}
# chunks FILE: prints the kind, the offset and the size of each chunk
chunks() {
  python3 - "$1" <<'PY'
import struct, sys
data, at = open(sys.argv[1], "rb").read(), 32
while data[at:at + 16] and at + 72 <= len(data):
    kind, _, stored = struct.unpack_from("<IIQ", data, at)
    if kind == 0 or kind > 9:
        break
    print(kind, at, 72 + stored)
    at += 72 + stored
PY
}
# place FILE KIND [N]: sets $at and $bytes, of the Nth chunk of the kind
place() {
  set -- $(chunks "$1" | awk -v kind="$2" -v n="${3:-1}" \
    '$1 == kind && --n == 0 { print $2, $3 }')
  at=$1 bytes=$2
}
# damage FILE KIND [N]: changes the content of a chunk
damage() {
  place "$@"
  printf '\377\377\377\377' | dd of="$1" bs=1 seek=$((at + bytes - 20)) \
    conv=notrunc 2>dd.err || exit 1
}
events_of() { eventring events --raw "$1" 2>events.err | grep -c 'my\.span'; }
one_line() { [ "$(wc -l <err)" -eq 1 ] && err_has "^eventring: $1\$"; }

ring one 4242424
ring two 4242425
eventring cat -o one.evr one.eventring && eventring cat -o two.evr two.eventring &&
  eventring cut --to=0.25 -o part1.evr one.evr &&
  eventring cut --from=0.25 -o part2.evr one.evr &&
  eventring cat -o joined.evr part1.evr part2.evr || exit 1
ok "each half of the recording has its spans" eval \
  '[ "$(events_of part1.evr)" = 498 ] && [ "$(events_of part2.evr)" = 502 ]'

# The end of the second half is cut off, and the index.
place joined.evr 3 2
cut=$at
head -c $((cut + bytes - 1)) joined.evr >cut.evr
head -c $(($(stat -c %s one.evr) - 1)) one.evr >index.evr
said="cut or damaged from byte $cut on, the events before that were read"
for how in "cat cut.evr" "merge cut.evr" "cut --from=0 cut.evr"; do
  run eventring $how -o out.evr
  ok "$how: one line reports the cut" eval 'exits 3 && one_line "cut.evr: $said"'
  ok "$how: the events before the cut are in the file" \
    [ "$(events_of out.evr)" = 498 ]
  ok "$how: the file is whole" eventring check out.evr
  rm -f out.evr
done
run eventring cat -o out.evr index.evr
ok "a recording without its index is reported" eval \
  'exits 3 && one_line "index.evr: cut or damaged from byte [0-9]* on, .* read"'
ok "and all its events are in the file" [ "$(events_of out.evr)" = 1000 ]

# Blocks of events are changed.
cp joined.evr changed.evr
damage changed.evr 3 1
for how in "cat changed.evr" "merge changed.evr" "cut --from=0 changed.evr"; do
  run eventring $how -o out.evr --force
  ok "$how: one line reports the damaged block" eval \
    'exits 3 && one_line "changed.evr: 1 damaged block was left out"'
  ok "$how: the other events are in the file" [ "$(events_of out.evr)" = 502 ]
  ok "$how: the file is whole" eventring check out.evr
done
damage changed.evr 3 2
run eventring cat -o out.evr --force changed.evr
ok "two damaged blocks" eval \
  'exits 3 && one_line "changed.evr: 2 damaged blocks were left out"'

# Of several files, each damaged one is named, once.
eventring merge -o both.evr one.evr two.evr
head -c $(($(stat -c %s both.evr) - 1)) both.evr >both_cut.evr
run eventring merge -o out.evr --force both_cut.evr
ok "a file of two processes is named once" eval \
  'exits 3 && one_line "both_cut.evr: cut or damaged from byte .*"'
run eventring merge -o out.evr --force changed.evr two.evr cut.evr:1
ok "each damaged file is named" eval 'exits 3 && [ "$(wc -l <err)" -eq 2 ] &&
  err_has "^eventring: changed.evr: 2 damaged" && err_has "^eventring: cut.evr: cut"'
ok "and the others are in the file" [ "$(events_of out.evr:2)" = 1000 ]

# The first facts of the second half are changed: that half cannot be read.
cp joined.evr facts.evr
damage facts.evr 1 2
run eventring cat -o out.evr --force facts.evr
ok "the second half without its facts" eval \
  'exits 3 && one_line "facts.evr: cut or damaged from byte $at on, .*"'
ok "the first half is in the file" eval \
  '[ "$(events_of out.evr)" = 498 ] && eventring check out.evr'

# Words of a ring file that no writer writes
ring words 4242426
python3 - words.eventring <<'PY'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
end = len(data.rstrip(b"\0"))
data[end - 4000:end - 3936] = b"\xff" * 64
open(sys.argv[1], "wb").write(data)
PY
for command in cat merge 'cut --from=0'; do
  run eventring $command -o out.evr --force words.eventring
  ok "${command%% *} of a ring file with a damaged block" eval \
    'exits 3 && one_line "words.eventring: 2 damaged blocks were left out"'
done

run eventring cat -o out.evr --force joined.evr
ok "a whole recording is joined in silence" eval 'exits 0 && silent'
finish
