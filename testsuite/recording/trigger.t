#!/bin/sh
# Recordings of the time around something.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile numbers

begin
recording -o slow.evr --trigger 'job > 10ms' --before 60s --after 100ms
tell count 1000
sleep 0.3
ok "nothing is written before it happens" [ ! -e slow.evr ]
tell slow
ok "it is written when it has happened" within 10 [ -e slow.evr ]
closed() { sound slow.evr; }
ok "and ended after a while" within 10 closed
tell count 500
tell slow
ok "another time: another file" within 10 [ -e slow.2.evr ]
kill -INT "$recorder"
recorded
leave
ok "Ctrl-C ends it in order" exits 0
ok "one line" eval "one_line && err_has 'slow.evr and others: '"
ok "what was before is there" eval \
  "[ \"\$(numbers slow.evr | wc -l)\" -eq 2000 ]"
ok "the first one" eval \
  "[ \"\$(eventring events slow.evr | grep -c '  end  *job')\" -ge 1 ]"
ok "check of the second" sound slow.2.evr
ok "the second has what came between, once" eval \
  "[ \"\$(numbers slow.2.evr | wc -l)\" -eq 1000 ]"

begin
run eventring record "$pid" -o slow.evr --trigger now
ok "a file that exists is refused at once" refused 4 'slow.evr: File exists'
recording -o mark.evr --trigger now --after 50ms
tell slow
sleep 0.2
ok "a mark: not without it" [ ! -e mark.evr ]
tell mark
ok "a mark: then" within 10 [ -e mark.evr ]
leave
recorded
ok "a mark: check" sound mark.evr

begin
recording -o last.evr --trigger now --after 1ms --max-files 1
tell mark
ok "--max-files 1: the file of the first trigger" within 10 [ -s last.evr ]
closed() { sound last.evr; }
ok "it is ended" within 10 closed
# Long enough for the next file to be prepared.
sleep 0.2
ok "it is kept until the trigger happens again" [ -s last.evr ]
tell mark
ok "another trigger: another file" within 10 [ -s last.2.evr ]
ok "in place of the first" within 10 [ ! -e last.evr ]
leave
recorded

begin
recording -o never.evr --trigger 'job > 1h'
tell slow
leave
recorded
ok "it never happens: no file" eval "exits 0 && [ ! -e never.evr ]"
ok "it never happens: one line says so" eval \
  "one_line && err_has 'nothing was recorded'"

begin
recording -o short.evr --for 300ms
recorded
ok "--for ends before the process" eval "exits 0 && kill -0 $pid"
ok "--for: check" sound short.evr
leave

for bad in '> 10ms' 'job >' 'job > fast' ''; do
  run eventring record 1 -o x.evr --trigger "$bad"
  ok "--trigger '$bad'" refused 2 'trigger'
done
run eventring record 1
ok "no file" refused 2 'where to'
run eventring record 1 -o x.evr --before 1s
ok "--before without a trigger" refused 2 'go with'
run eventring record 1 -o x.evr --max-size 1
ok "--max-size too small" refused 2 'is not a size'
finish
