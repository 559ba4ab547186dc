#!/bin/sh
# eventring check: events that it complains of, and events that it accepts.
# Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

make_ring right
run eventring check right.eventring
ok "nothing is found in what is right" exits 0
ok "one line says so" out_lines 1
ok "what it counted" out_has "^[0-9]* events, 15 spans, balanced; \
15 more spans cut off by the start, a gap or the end\$"
make_ring plain
run eventring check plain.eventring
ok "nothing to remark on" [ "$(cat out)" = "12 events, 2 spans, balanced" ]

make_ring wrong
run eventring check wrong.eventring
ok "all that is wrong is found, with its place" prints check.expected
ok "a finding is exit code 1" exits 1
ok "nothing else to remark" [ ! -s err ]
run eventring check --follow wrong.eventring
ok "--follow finds the same" prints check.expected
ok "--follow: exit code 1" exits 1

make_ring lost
run eventring check lost.eventring
ok "a loss is no finding" exits 0
ok "a loss is told" err_has '504 events were overwritten'
make_ring overtaken
run eventring check overtaken.eventring
ok "ends whose begins were lost are no findings" exits 0
ok "but they are counted" out_has 'balanced; 3 more spans cut off'
make_ring killed
run eventring check killed.eventring
ok "killed: what was open is no finding" exits 0
ok "killed: but it is counted" out_has 'balanced; 2 more spans cut off'
make_ring damaged
run eventring check damaged.eventring
ok "damage is a finding, with its place" eval \
  "exits 1 && out_has '^byte [0-9]*: ring 1: '"

# Several files, and processes.
run eventring check plain.eventring killed.eventring
ok "several files: nothing is found" exits 0
ok "several files: a line names each" \
  [ "$(grep -c '^[a-z]*\.eventring:$' out)" = 2 ]
ok "several files: each is summed up" [ "$(grep -c ' balanced' out)" = 2 ]
run eventring check plain.eventring wrong.eventring plain.eventring
ok "several files: one finding is exit code 1" exits 1
ok "several files: the others are checked" [ "$(grep -c ' balanced' out)" = 2 ]
run eventring check wrong.eventring nothing.eventring plain.eventring
ok "several files: what cannot be opened is exit code 3" \
  eval "exits 3 && err_has nothing.eventring"
ok "several files: the others are checked all the same" out_has ' balanced$'
run eventring check --json plain.eventring wrong.eventring
ok "several files: an object for each" jq -se \
  'map([.file, .right]) ==
     [["plain.eventring", true], ["wrong.eventring", false]]' out
run eventring check --follow plain.eventring killed.eventring
ok "--follow of several" refused 2 'one process'
run eventring check 4242424 --dir nowhere
ok "no such process" refused 3 4242424
finish
