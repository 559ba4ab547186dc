#!/bin/sh
# A program stops its tracing and starts it again: each session is recorded.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile numbers
goes_on() { [ -e "$1" ] && sound "$1"; }
said() { grep -q "$1" record.err; }
stopped="process [0-9]* stopped its tracing .* after it had started it;"

begin
recording -o all.evr
tell count 1000
tell stop
tell start
tell count 2000
tell stop
ok "a stop is reported while the process runs on" \
  within 60 said "^eventring: $stopped when it starts it again, that is"
tell start
tell count 3000
leave
recorded
ok "record ends with the process" exits 0
ok "one line has the number of events of all sessions" \
  err_has '^eventring: all.evr and others: 12[0-9]* events in .*, 0 lost$'
ok "the first session is in the first file" complete all.evr 1000
ok "the second session is in the second file" complete all.2.evr 2000
ok "the third session is in the third file" complete all.3.evr 3000
for file in all.evr all.2.evr all.3.evr; do
  ok "$file has no findings" sound $file
done
ok "three sessions have three files" [ ! -e all.4.evr ]

begin
recording -o last.evr --max-size=1G --max-files=2
for n in 1 2 3; do
  tell count $n
  tell stop
  tell start
done
tell count 4
leave
recorded
ok "--max-files: the last sessions are kept" \
  eval 'complete last.3.evr 3 && complete last.4.evr 4'
ok "--max-files: the files of other sessions are removed" \
  [ "$(ls last*.evr | wc -l)" -eq 2 ]

# Sessions with files in several directories, each begun before it ends: one
# that ends unseen has no mapping left to find its file by.
mkdir other third
begin
recording -o moved.evr
tell count 1000
tell stop
tell start-in "$tmp/other"
ok "a session in another directory is found" within 60 [ -e moved.2.evr ]
tell count 2000
tell stop
ok "it is readable before record has ended" within 60 goes_on moved.2.evr
tell start-in "$tmp/third"
within 60 [ -e moved.3.evr ]
tell count 3000
leave
recorded
ok "sessions in three directories: record ends with the process" exits 0
ok "each is in a file, whole" eval 'complete moved.evr 1000 &&
  complete moved.2.evr 2000 && complete moved.3.evr 3000'

# The end while nothing is traced.
begin
recording -o int.evr
tell count 10
tell stop
kill -INT "$recorder"
recorded
ok "stopped tracing: Ctrl-C ends record" eval 'exits 0 && complete int.evr 10'
leave
begin
recording -o for.evr --for=2s
tell count 10
tell stop
recorded
# Whether the events come within the time depends on the machine.
ok "stopped tracing: --for ends record" eval 'exits 0 && sound for.evr'
leave
begin
recording -o end.evr
tell count 10
tell stop
leave
recorded
ok "stopped tracing: the end of the process ends record" \
  eval 'exits 0 && complete end.evr 10'

begin
recording -o slow.evr --trigger 'job > 10ms' --before 60s --after 100ms
tell slow
tell stop
tell start
tell count 100
tell slow
leave
recorded
ok "--trigger in two sessions: each session has a file" \
  eval 'exits 0 && sound slow.evr && complete slow.2.evr 100'

# Commands that follow a process do so in its next session.
begin
for command in "events --follow" "stat --follow" "latency --follow"; do
  "$EVENTRING_BIN" $command "$pid" >"$tmp/out" 2>"$tmp/err" &
  reader=$!
  started="$started $reader"
  maps_it() { grep -q "$pid.eventring$" "/proc/$reader/maps"; }
  within 60 maps_it
  tell stop
  ok "$command: one line says that tracing was stopped" within 60 \
    grep -q "^eventring: $stopped when it starts it again, that is" err
  tell start
  ok "$command goes on with the next session" within 60 maps_it
  kill -INT "$reader"
  wait "$reader"
  status=$?
  ok "$command says nothing else" eval 'exits 0 && one_line'
done
"$EVENTRING_BIN" events --follow "$pid" >"$tmp/out" 2>"$tmp/err" &
reader=$!
within 60 maps_it
leave
wait "$reader"
status=$?
ok "events --follow prints no message at the end of the process" \
  eval 'exits 0 && [ ! -s err ]'
finish
