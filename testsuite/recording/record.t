#!/bin/sh
# A recording has all events that were written: as one file, as several files,
# and after cut and cat.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile numbers
n=30000

# To the end of the process.
begin
recording -o all.evr
tell count $n
leave
recorded
ok "record ends with the process" exits 0
ok "one line has the numbers of recorded and lost events" eval \
  "one_line && err_has '^eventring: all.evr: 6[0-9]* events in .*, 0 lost\$'"
ok "every event of two domains is recorded" complete all.evr $n
ok "check has no findings" sound all.evr
run eventring check --json all.evr
ok "check --json has the program's arguments" out_has '/numbers"'
ok "check --json has the state of the process" out_has '"state": "ended"'
ok "check --json has the number of lost events" out_has '"lost": 0'
exact "$ring" >from_ring
exact all.evr >out
ok "the recording has the events of the ring file" cmp from_ring out
events() { eventring events --raw "$1" | sort; }
events all.evr >whole
run eventring events --follow --raw all.evr
sort out >followed
ok "events --follow of a recording prints its events and ends" \
  cmp whole followed
run eventring stat all.evr
ok "stat of a recording has the state of the process" \
  eval "exits 0 && out_has '(ended)'"
run eventring record "$pid" --dir rings -o all.evr
ok "a file is not overwritten" refused 4 'all.evr: File exists'
ok "the file that is not overwritten is unchanged" sound all.evr

# The rings of a process that has ended.
run eventring dump "$ring" -o dump.evr
ok "dump of a ring file exits with 0" exits 0
exact dump.evr >out
ok "dump has the events of the ring file" cmp from_ring out
ok "dump: check has no findings" sound dump.evr
run eventring dump dump.evr -o again.evr
ok "dump of a recording is refused" refused 3 'is a recording already'

# Cut at times of events, and put together again.
total=$(wc -l <whole)
for part in 0 3 7 10; do
  line=$((total * part / 10 + (part == 0)))
  at=$(eventring events all.evr | sed -n "${line}p" | awk '{ print $1 }')
  [ $part -eq 0 ] && at=0
  run eventring cut all.evr --to=$at --force -o a.evr
  ok "cut: the first $part tenths" exits 0
  run eventring cut all.evr --from=$at --force -o b.evr
  ok "cut: the rest after $part tenths" exits 0
  { events a.evr; events b.evr; } | sort >parts
  ok "cut at $part tenths: the two files have every event once" cmp whole parts
  run eventring cat b.evr a.evr --force -o both.evr
  ok "cut at $part tenths: cat of the two files exits with 0" exits 0
  events both.evr >parts
  ok "cut at $part tenths: cat of the two files has every event once" \
    cmp whole parts
  for file in a.evr b.evr both.evr; do
    run eventring check $file
    ok "cut at $part tenths: $file has no findings" exits 0
  done
done
run eventring cut all.evr --from=2 --to=1 -o c.evr
ok "a range that ends before it begins is refused" refused 2 'not before'
run eventring cat all.evr --force -o all.evr
ok "cat onto its input is refused" \
  refused 4 'all.evr is read: write to another file'
ok "cat onto its input leaves the input unchanged" sound all.evr
echo text >text
run eventring cat text -o c.evr
ok "cat of another file is refused" refused 3 'not a ring file'

# In several files.
begin
recording -o many.evr --max-size=30K
first=$pid
# Writes more events when the recorder has begun its next file.
for number in 2 3; do
  tell count $n
  within 60 [ -e many.$number.evr ]
done
tell count $n
leave
recorded
ok "--max-size: record ends with the process" exits 0
ok "--max-size: there are several files" [ -f many.3.evr ]
ok "--max-size limits the size of a file" eval \
  "[ \$(stat -c %s many.2.evr) -lt 600000 ]"
for file in many.evr many.2.evr many.3.evr; do
  ok "--max-size: $file has no findings" sound $file
done
run eventring cat many*.evr -o cat.evr
ok "--max-size: cat of all files exits with 0" exits 0
ok "--max-size: cat of all files has no findings" sound cat.evr
exact "$ring" >want
exact cat.evr >out
ok "--max-size: cat of all files has every event once, in order" cmp want out

# Two processes.
run eventring cat all.evr cat.evr -o c.evr
ok "cat of two processes is refused" refused 3 'eventring merge'
run eventring merge cat.evr all.evr -o merged.evr
ok "merge exits with 0" exits 0
ok "merge: check has no findings" sound merged.evr
events merged.evr >out
ok "merge: events prints the events of the first process" cmp whole out
run eventring events merged.evr
ok "merge: a line names the second process" err_has 'merged.evr:2 is the next'
events merged.evr:2 >out
events cat.evr >second
ok "merge: FILE:2 has the events of the second process" cmp second out
run eventring events merged.evr:3
ok "merge: FILE:3 of two processes is refused" \
  refused 3 'has 2 processes, so there is no number 3'
run events merged.evr:1
ok "merge: FILE:1 has the events of the first process and no note" \
  eval "cmp whole out && [ ! -s err ]"
for command in cat merge "cut --from=0 --to=1h"; do
  run eventring $command merged.evr:2 -o part.evr
  ok "merge: $command FILE:2 exits with 0" exits 0
  events part.evr >out
  ok "merge: $command FILE:2 takes the second process" cmp second out
  rm -f part.evr
done
processes_of() {
  jq '[.traceEvents[] | select(.name == "process_name")] | length' "$1"
}
for target in "merged.evr:2 1" "merged.evr 2"; do
  run eventring trace --force ${target% *} -o trace.json
  ok "merge: trace of ${target% *} has ${target#* } process(es)" \
    eval "exits 0 && [ \$(processes_of trace.json) = ${target#* } ]"
done
run eventring check merged.evr:2
ok "merge: check FILE:2 is refused" refused 2 'with all of its processes'
run eventring events "$ring:2"
ok "FILE:2 of a ring file is refused" \
  refused 3 'has 1 process, so there is no number 2'
run eventring events "$pid:2"
ok "PID:2 is refused" refused 3 "cannot open $pid:2"
run eventring check --json merged.evr
ok "merge: check --json has both processes" eval "out_has '\"pid\": $first,' &&
  [ \"\$(grep -c '\"manifest\"' out)\" -eq 2 ]"

# Only the last files.
begin
recording -o few.evr --max-size=30K --max-files=2
for i in 1 2 3; do
  tell count $n
done
leave
recorded
ok "--max-files=2 leaves two files" eval "[ \"\$(ls few*.evr | wc -l)\" -eq 2 ]"
for file in few*.evr; do
  ok "--max-files: $file has no findings" sound $file
done
finish
