#!/bin/sh
# eventring events: its output for files in which every byte is known.
# Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

make_ring plain
run eventring events plain.eventring
ok "every form of event is printed, in the order of time" \
  prints events.plain.expected
ok "standard error is empty" [ ! -s err ]
ok "the exit code is 0" exits 0
run eventring events --raw plain.eventring
ok "--raw prints every form of event" prints events.raw.expected
run eventring events plain.eventring --follow
ok "--follow of an ended process prints its events and ends" \
  prints events.plain.expected
mv plain.eventring 4242424.eventring
run eventring events --dir "$tmp" 4242424
ok "a file is found by its process id in --dir" prints events.plain.expected
run eventring events ./4242424.eventring -f -r
ok "short options are accepted behind the file" prints events.raw.expected

make_ring fields
run eventring events fields.eventring
ok "fields, durations and names of domains and threads are printed" \
  prints events.fields.expected
run eventring events --raw fields.eventring
ok "--raw prints fields as numbers" \
  [ "$(sed -n 's/.*	mutex_wait	//p' out)" = \
    "000000000000000c 0000000000000000" ]
ok "--raw prints waits with form 'complete'" \
  out_has '	complete	[0-9]*	mutex_wait	'

make_ring long
run eventring events --json long.eventring
ok "--json has all bytes of the longest text" \
  jq -se 'map(select(.bytes)) | length == 1 and (.[0].bytes | length == 8080)' out
make_ring hostile
run eventring events hostile.eventring
ok "names and texts are printed without control characters" \
  prints events.hostile.expected
run eventring events --raw hostile.eventring
ok "--raw: hostile names leave 9 columns in every line" \
  awk -F '\t' 'NF != 9 { exit 1 }' out
escapes() { LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" out; }
ok "--raw: hostile names are printed without control characters" \
  eval '! escapes'

make_ring lost
run eventring events lost.eventring
ok "overwritten events are one line, before the others" \
  [ "$(head -1 out | awk -F '  +' '{ print $4, $6 }')" = "lost 504 events" ]
ok "all events that were not overwritten are printed" out_lines 497
ok "the number of overwritten events is on standard error" \
  err_has 'lost.eventring: 504 events were overwritten'
ok "the exit code after lost events is 0" exits 0
run eventring events --raw lost.eventring
ok "--raw prints lost events as an event of id 0" \
  [ "$(head -1 out | cut -f 3-)" = \
    "$(printf '0\t0\t4242424\tlost\t0\t-\t00000000000001f8')" ]

make_ring damaged
run eventring events damaged.eventring
ok "a damaged block is reported" \
  err_has 'damaged.eventring: 1 damaged block was left out'
ok "the exit code for a damaged block is 3" exits 3
grep 'domain 0' "$here/events.plain.expected" >expected
ok "the events of the undamaged ring are printed" diff expected out
finish
