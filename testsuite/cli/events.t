#!/bin/sh
# eventring events: its output for files whose every byte is known.
# Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

make_ring plain
run eventring events plain.eventring
ok "every form of event, in the order of time" prints events.plain.expected
ok "nothing to remark" [ ! -s err ]
ok "exits with 0" exits 0
run eventring events --raw plain.eventring
ok "--raw" prints events.raw.expected
run eventring events plain.eventring --follow
ok "--follow of an ended process ends" prints events.plain.expected
mv plain.eventring 4242424.eventring
run eventring events --dir "$tmp" 4242424
ok "found by its process id in --dir" prints events.plain.expected
run eventring events ./4242424.eventring -f -r
ok "short options, after the target" prints events.raw.expected

make_ring fields
run eventring events fields.eventring
ok "fields, durations, names of domains and threads" \
  prints events.fields.expected
run eventring events --raw fields.eventring
ok "--raw: fields as numbers" \
  [ "$(sed -n 's/.*	mutex_wait	//p' out)" = \
    "000000000000000c 0000000000000000" ]
ok "--raw: durations are of form complete" out_has '	complete	[0-9]*	mutex_wait	'

make_ring hostile
run eventring events hostile.eventring
ok "no name and no text commands the terminal" prints events.hostile.expected
run eventring events --raw hostile.eventring
ok "nor with --raw: 9 columns in every line" \
  awk -F '\t' 'NF != 9 { exit 1 }' out
escapes() { LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" out; }
ok "nor with --raw: no control characters" eval '! escapes'

make_ring lost
run eventring events lost.eventring
ok "a ring that went round begins with what was lost" \
  [ "$(head -1 out | awk -F '  +' '{ print $4, $6 }')" = "lost 504 events" ]
ok "the rest is all there" out_lines 497
ok "the loss is told at the end" \
  err_has 'lost.eventring: 504 events were overwritten'
ok "a loss is not an error" exits 0
run eventring events --raw lost.eventring
ok "--raw: lost as an event of id 0" \
  [ "$(head -1 out | cut -f 3-)" = \
    "$(printf '0\t0\t4242424\tlost\t0\t-\t00000000000001f8')" ]

make_ring damaged
run eventring events damaged.eventring
ok "damage is told" err_has 'damaged.eventring: 1 damaged block was left out'
ok "and is an error" exits 3
grep 'domain 0' "$here/events.plain.expected" >expected
ok "the other ring is printed" diff expected out
finish
