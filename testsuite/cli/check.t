#!/bin/sh
# eventring check: the events that are findings, and the events that are not.
# Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

make_ring right
run eventring check right.eventring
ok "a sound file has no findings" exits 0
ok "a sound file gets one line" out_lines 1
ok "the line has the numbers of events, spans and spans cut off" \
  out_has "^[0-9]* events, 15 spans, balanced; \
15 more spans cut off by the start, a gap or the end\$"
make_ring plain
run eventring check plain.eventring
ok "a file without spans that are cut off gets a short line" \
  [ "$(cat out)" = "12 events, 2 spans, balanced" ]

make_ring wrong
run eventring check wrong.eventring
ok "every kind of mistake is reported, with its place" prints check.expected
ok "the exit code for a finding is 1" exits 1
ok "standard error is empty" [ ! -s err ]
run eventring check --follow wrong.eventring
ok "--follow reports the same mistakes" prints check.expected
ok "--follow: the exit code for a finding is 1" exits 1

make_ring lost
run eventring check lost.eventring
ok "lost events are not a finding" exits 0
ok "lost events are reported" err_has '504 events were overwritten'
make_ring overtaken
run eventring check overtaken.eventring
ok "ends of spans whose begins were lost are not a finding" exits 0
ok "ends of spans whose begins were lost are counted" \
  out_has 'balanced; 3 more spans cut off'
make_ring changed
run eventring check changed.eventring
ok "spans cut off by a pause from outside are not a finding" eval \
  "exits 0 && out_has 'balanced; 3 more spans cut off'"
eventring dump changed.eventring -o changed.evr 2>err
run eventring check --json changed.evr
ok "recording: spans cut off by a pause from outside are not a finding" \
  jq -e '.right and .processes[0].cut_off == 3' out
make_ring killed
run eventring check killed.eventring
ok "killed process: open spans are not a finding" exits 0
ok "killed process: open spans are counted" \
  out_has 'balanced; 2 more spans cut off'
make_ring damaged
run eventring check damaged.eventring
ok "a damaged block is a finding, with its place" eval \
  "exits 1 && out_has '^byte [0-9]*: ring 1: '"

# Several files, and processes.
run eventring check plain.eventring killed.eventring
ok "several sound files have no findings" exits 0
ok "several files: a line names each file" \
  [ "$(grep -c '^[a-z]*\.eventring:$' out)" = 2 ]
ok "several files: each file has a summary" [ "$(grep -c ' balanced' out)" = 2 ]
run eventring check plain.eventring wrong.eventring plain.eventring
ok "several files: the exit code for one finding is 1" exits 1
ok "several files: files after a finding are checked" \
  [ "$(grep -c ' balanced' out)" = 2 ]
run eventring check wrong.eventring nothing.eventring plain.eventring
ok "several files: the exit code for a missing file is 3" \
  eval "exits 3 && err_has nothing.eventring"
ok "several files: files after a missing file are checked" out_has ' balanced$'
run eventring check --json plain.eventring wrong.eventring
ok "several files: --json prints an object for each file" jq -se \
  'map([.file, .right]) ==
     [["plain.eventring", true], ["wrong.eventring", false]]' out
run eventring check --follow plain.eventring killed.eventring
ok "--follow refuses several files" refused 2 'one process'
# Recording began within a slice that another slice waited for.
begun_in() {
  printf '%s\n' "0 1000 end $*" "0 2000 end $*" |
    ./make_ring script begun.eventring
  run eventring check begun.eventring
}
begun_in major_slice half_minor_heap 0
ok "slices in each other are cut off by the begin" \
  eval "exits 0 && out_has '2 more spans cut off'"
begun_in minor 1 1 minor_heap_full 0
ok "two ends of another span are not" eval "exits 1 && out_has 'no begin'"
# Recording began within slices of two threads; thread 2 has begun another one.
printf '%s\n' '0 1000 instant thread_run 2 302' '0 2000 begin minor' \
  '0 3000 instant thread_run 1 301' '0 5000 end minor 1 1 minor_heap_full 0' \
  '0 6000 instant thread_run 2 302' '0 9000 end minor 1 1 minor_heap_full 0' |
  ./make_ring script threads.eventring
run eventring check threads.eventring
ok "an end whose begin is gone leaves the span of another thread open" \
  eval "exits 0 && out_has '1 span, balanced; 1 more span cut off'"
run eventring latency --json threads.eventring
ok "latency: that span has its own end" \
  jq -e '[.distributions[] | select(.name == "minor") | .max_ns] == [7000]' out
printf '%s\n' '0/301 1000 begin minor' \
  '0/302 5000 end minor 1 1 minor_heap_full 0' |
  ./make_ring script unknown.eventring
run eventring check unknown.eventring
ok "while thread_run is not recorded, a span may seem to end in another thread" \
  out_has '1 span, balanced$'
run eventring check 4242424 --dir nowhere
ok "a process that does not exist is refused" refused 3 4242424
finish
