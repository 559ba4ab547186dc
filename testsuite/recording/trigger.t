#!/bin/sh
# Recordings of the time around a trigger.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile numbers

begin
recording -o slow.evr --trigger 'job > 10ms' --before 60s --after 100ms
tell count 1000
sleep 0.3
ok "no file is written before the trigger" [ ! -e slow.evr ]
tell slow
ok "a file is written after the trigger" within 60 [ -e slow.evr ]
closed() { sound slow.evr; }
ok "the file ends after the time of --after" within 60 closed
tell count 500
tell slow
ok "a second trigger writes a second file" within 60 [ -e slow.2.evr ]
kill -INT "$recorder"
recorded
leave
ok "Ctrl-C: record exits with 0" exits 0
ok "Ctrl-C: one line names the files" \
  eval "one_line && err_has 'slow.evr and others: '"
ok "the first file has the events before the trigger" eval \
  "[ \"\$(numbers slow.evr | wc -l)\" -eq 2000 ]"
ok "the first file has the event of the trigger" eval \
  "[ \"\$(eventring events slow.evr | grep -c '  end  *job')\" -ge 1 ]"
ok "the second file has no findings" sound slow.2.evr
ok "the second file has each event since the first file once" eval \
  "[ \"\$(numbers slow.2.evr | wc -l)\" -eq 1000 ]"

begin
run eventring record "$pid" -o slow.evr --trigger now
ok "--trigger refuses an existing file before the trigger" \
  refused 4 'slow.evr: File exists'
recording -o mark.evr --trigger now --after 50ms
tell slow
sleep 0.2
ok "--trigger now: no file is written without a mark" [ ! -e mark.evr ]
tell mark
ok "--trigger now: a mark writes the file" within 60 [ -e mark.evr ]
leave
recorded
ok "--trigger now: the file has no findings" sound mark.evr

begin
recording -o last.evr --trigger now --after 1ms --max-files 1
tell mark
ok "--max-files 1: the first trigger writes a file" within 60 [ -s last.evr ]
closed() { sound last.evr; }
ok "--max-files 1: the first file ends" within 60 closed
# Long enough for the next file to be prepared.
sleep 0.2
ok "--max-files 1: the first file is kept until the next trigger" \
  [ -s last.evr ]
tell mark
ok "--max-files 1: the second trigger writes a file" within 60 [ -s last.2.evr ]
ok "--max-files 1: the first file is removed after the second trigger" \
  within 60 [ ! -e last.evr ]
leave
recorded

begin
recording -o never.evr --trigger 'job > 1h'
tell slow
leave
recorded
ok "a trigger that never happens writes no file" \
  eval "exits 0 && [ ! -e never.evr ]"
ok "a trigger that never happens: one line reports it" eval \
  "one_line && err_has 'nothing was recorded'"

begin
recording -o short.evr --for 300ms
recorded
ok "--for ends record before the process" eval "exits 0 && kill -0 $pid"
ok "--for: the recording has no findings" sound short.evr
leave

# A collection of exactly 1 ms, in a ring file that this test writes
make_ring plain
sleep 1000 &
pid=$! alive=$!
started="$started $alive"
grow "rings/$alive.eventring" minor=9 \
  monotonic="$(awk '{ printf "%.0f", ($1 - 100) * 1e9 }' /proc/uptime)"
has_ring() { [ -s "rings/$alive.eventring" ]; }
within 60 has_ring
triggered() { # NAME TRIGGER
  "$EVENTRING_BIN" record "rings/$alive.eventring" -o "$1.evr" --trigger "$2" \
    >record.out 2>"$1.err" 7>&- &
  recorder=$!
  started="$started $recorder"
  ok "record waits for $2" within 60 watches
}
triggered less 'minor > 999999ns'
less=$recorder
triggered exact 'minor > 1ms'
printf '%s\n' "0 1000000 begin minor" "0 2000000 end minor 10 20 gc_minor 0" \
  "0 3000000 state 2" >&7
exec 7>&-
wait "$writer"
kill "$alive"
wait "$less"
wait "$recorder"
ok "a span that is longer than the trigger's time fires it" [ -e less.evr ]
ok "a span that is as long as the trigger's time does not fire it" eval \
  "[ ! -e exact.evr ] && grep -q 'nothing was recorded' exact.err"

for bad in '> 10ms' 'job >' 'job > fast' ''; do
  run eventring record 1 -o x.evr --trigger "$bad"
  ok "--trigger '$bad' is refused" refused 2 'trigger'
done
run eventring record 1
ok "record without a file is refused" refused 2 'missing output file'
run eventring record 1 -o x.evr --before 1s
ok "--before without a trigger is refused" refused 2 'go with'
run eventring record 1 -o x.evr --max-size 1
ok "a --max-size of 1 byte is refused" refused 2 'is not a size'
finish
