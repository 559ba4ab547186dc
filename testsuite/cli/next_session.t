#!/bin/sh
# If this breaks, commands that follow a process end when its rings get another size,
# or when it starts its tracing again; or they print events twice or not at all.
# Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
make_ring plain
# Events of a running process are read up to the present.
now=$(awk '{ printf "%.0f", ($1 - 500) * 1e9 }' /proc/uptime)

# session NUMBER [NAME=VALUE...]: a ring file ./NUMBER of a session that began
# NUMBER * 10 s after the first one
session() {
  number=$1
  shift
  grow "$number" minor=10 session=$((number + 1)) \
    monotonic=$((now + number * 10000000000)) "$@"
}
# step N: 100 minor collections from N s on, and a counter with the value N
step() {
  collections 100 "$1" >&7
  echo "0 ${1}100000000 counter queue $1" >&7
}
# takes_place S N: the file of session S, when it has step N
takes_place() { within 60 has_step "$1" "$2"; mv "$1" ring.eventring; }
has_step() { [ "$(eventring get "./$1" counters.queue 2>/dev/null)" = "$2" ]; }
# ends S [STATE]: the session ends S s after its begin; 2: in order
ends() { echo "0 ${1}000000000 state ${2-2}" >&7; exec 7>&-; wait "$writer"; }
# takes_over NUMBER [NAME=VALUE...]: another session begins; then ends_former: the
# one before ends
takes_over() {
  exec 8>&7
  former=$writer
  later=$1
  shift
  session "$later" traced_since="$now" "$@"
}
ends_former() { echo "0 10000001000 state 2" >&8; exec 8>&-; wait "$former"; }

# follow COMMAND...: runs it, and returns when it watches the process; its output
# is in ./shown, its errors in ./said
follow() {
  "$EVENTRING_BIN" "$@" >shown 2>said 7>&- 8>&- &
  follower=$!
  started="$started $follower"
  within 60 watches
}
# shellcheck disable=SC2010 # links
watches() { ls -l "/proc/$follower/fd" 2>/dev/null | grep -q pidfd; }
begin() {
  sleep 1000 7>&- 8>&- &
  alive=$!
  started="$started $alive"
  session 0
  step 1
  takes_place 0 1
}
shows() { within 60 grep -q "$1" shown; }
# leave: the process ends, and the follower with it; its exit code
leave() {
  kill "$alive"
  wait "$alive" 2>/dev/null
  wait "$follower"
}
# lines: how many lines were said.  One may come on a busy machine: that the tracing
# had ended half a second before the process did.
lines() { grep -vc 'stopped its tracing' said; }
quiet() { [ "$(lines)" = 0 ] || { cat said; false; }; }
# The lines of events without their times
text() { sed 's/^[0-9.]* *//' "$@"; }

begin
follow events -f ring.eventring
ok "events are followed" shows 'queue  *1 words'
ln ring.eventring first
step 2
takes_over 1
step 3
takes_place 1 3
ends_former
ok "events -f goes on with a session that took over" shows 'queue  *3 words'
ln ring.eventring second
step 4
ends 9
ok "its exit code is 0 when the process ends" leave
for file in first second; do eventring events $file; done | text >all
text shown >mine
ok "each event is there once, in order" cmp all mine
ok "times go on" awk '$1 + 0 < last { exit 1 } { last = $1 }
  END { exit !(last > 14) }' shown
ok "nothing is said" quiet

# resized COMMAND...: follows a process whose first session, of two steps, is
# replaced by one of another two steps, and then ends
resized() {
  begin
  follow "$@"
  step 2
  takes_over 1
  step 3
  takes_place 1 3
  ends_former
  step 4
  ends 9
  within 60 has_step ring.eventring 4
  leave
}
rm -f first second
ok "stat -i ends with the process" resized stat --json -i 1000h ring.eventring
ok "stat -i has the events of all sessions" eval \
  '[ "$(jq -s ".[-1] | .total.minor_collections, .lost_events" shown | xargs)" = "400 0" ]'
ok "the time watched has no gap" eval \
  '[ "$(jq -s ".[-1].domains[0] | .watched_ns > 14e9" shown)" = true ]'
ok "nothing is said" quiet
ok "latency -f ends with the process" resized latency -f --json ring.eventring
ok "latency -f has the events of all sessions" eval 'grep -q 400 shown'
resized metrics -i 100ms -o page.prom ring.eventring
ok "metrics -f has the events of all sessions" \
  grep -qx "eventring_events_total 808" page.prom
ok "nothing is said" quiet
ok "trace -f ends with the process" resized trace -f -o trace.json ring.eventring
ok "trace -f has the spans of all sessions" \
  [ "$(grep -o '"name":"minor"' trace.json | wc -l)" = 800 ]

# The rings of the second session wrap before they are read.
begin
follow events -f ring.eventring
ok "events are followed" shows 'queue  *1 words'
takes_over 1
for n in 3 4 5 6 7 8; do step $n; step $n; step $n; step $n; step $n; done
takes_place 1 8
ends_former
ok "a session that has wrapped is gone on with" shows 'queue  *8 words'
ends 9
ok "events that were overwritten do not change the exit code" leave
lost=$(eventring events ring.eventring 2>&1 >/dev/null | grep -o '[0-9]* events')
ok "events that were overwritten before they could be read are counted" eval \
  '[ "$(lines)" = 1 ] && grep -q "$lost were overwritten" said && [ -n "$lost" ]'

# Sessions that nobody could see: another one took over from them at once.
# Sessions of format 1.9 have no numbers.
for minor in 10 9; do
  begin
  follow events -f ring.eventring
  ok "events are followed" shows 'queue  *1 words'
  if [ $minor = 10 ]; then takes_over 2 session=4; else takes_over 2 minor=9; fi
  step 3
  takes_place 2 3
  ends_former
  ok "a session after some that were missed is gone on with" \
    shows 'queue  *3 words'
  ends 9
  leave
  missed='2 sessions of tracing too short to be read: their events'
  [ $minor = 10 ] || missed='1 session of tracing too short to be read: its events'
  ok "a line says how many were missed" eval '[ "$(lines)" = 1 ] &&
    grep -q "had at least $missed are missing" said'
done

# Tracing that stops, and starts again.
begin
follow stat --json -i 1000h ring.eventring
echo "0 0 totals 100 100 0 0 0 0 2000 1000 0 100 100000 1000 1 0" >&7
ends 3
session 2 session=2
echo "0 0 totals 100 100 0 0 0 0 2000 1000 0 100 100000 1000 1 0" >&7
step 1
takes_place 2 1
ends 5
leave
ok "nothing is said" quiet
ok "its totals are added to those before" eval \
  '[ "$(jq -s ".[-1].totals | .minor_collections, .domains" shown | xargs)" = "200 1" ]'
ok "a session that the program began later is gone on with" eval \
  '[ "$(jq -s ".[-1].total.minor_collections" shown)" = 200 ]'
ok "the time between the two is not watched" eval \
  '[ "$(jq -s ".[-1].domains[0].watched_ns < 6e9" shown)" = true ]'

# The processor time of the whole gap does not belong to the interval before it.
begin
follow stat --json -i 10ms ring.eventring
within 60 [ -s shown ]
ends 3
within 60 grep -q 'stopped its tracing' said
present() { python3 -c 'import time; print(time.monotonic_ns())'; }
stopped=$(present)
longer() { [ $(($(present) - stopped)) -gt 100000000 ]; }
within 60 longer
again=$(present)
session 50 monotonic="$again"
step 0
takes_place 50 0
within 60 grep -q '"minor_collections": *[1-9]' shown
ends 1
leave
ok "the processor time of an interval before a gap is not known" eval \
  '[ "$(jq -s "map(select(.interval_ns and .until_ns <= $again))[-1]
    | has(\"cpu_ns\") and .cpu_ns == null" shown)" = true ]'
# An hour of events that are read at once
begin
follow stat --json -i 1h ring.eventring
step 8000
step 16000
within 60 grep -q until_ns shown
ends 20000
leave
ok "nor is the one of an interval whose events are read late" eval \
  '[ "$(jq -s "map(select(.interval_ns).cpu_ns) | unique | tojson" shown)" = \
    "\"[null]\"" ]'

# Another program at the same path, or in the same process.
begin
follow events -f ring.eventring
ok "events are followed" shows 'queue  *1 words'
ends 3
session 2 start_time=77
step 3
takes_place 2 3
wait "$follower"
ok "the file of another process ends the command with 0" [ $? = 0 ]
ok "its events are not those of the process" eval \
  '! grep -q "queue  *3 words" shown && [ "$(lines)" = 1 ] &&
   grep -q "runs another program, which is not followed" said'
exec 7>&-
leave
# Another program has the number 1 again.
for command in events record; do
  begin
  case $command in
  events) follow events -f ring.eventring ;;
  record) follow record --force -o out.evr ring.eventring ;;
  esac
  ends 3
  session 2 session=1
  step 3
  takes_place 2 3
  wait "$follower"
  ok "$command ends with 0 at the file of another program" [ $? = 0 ]
  ok "a line says so" eval 'grep -q "runs another program" said &&
    ! grep -q "too short" said && [ ! -e out.2.evr ]'
  exec 7>&-
  leave
done
begin
follow events -f ring.eventring
ok "events are followed" shows 'queue  *1 words'
ends 3 3
wait "$follower"
ok "another program that the process executed ends the command with 0" [ $? = 0 ]
ok "nothing is said" quiet
leave

# A process that ended its session and removed the file may start its tracing again;
# but the number may have passed to another process, which began later.
${CC:-cc} -std=gnu11 -shared -fPIC -o unlinking_pidfd.so \
  "$here/unlinking_pidfd.c" || exit 1
# ended NS: a session that began at NS and has ended, of a process that runs
ended() {
  sleep 1000 &
  alive=$!
  started="$started $alive"
  session 0 monotonic="$1"
  step 1
  takes_place 0 1
  ends 2
}
removed() { ! [ -e ring.eventring ]; }
follow_removed() {
  LD_PRELOAD=$tmp/unlinking_pidfd.so UNLINK=ring.eventring \
    "$EVENTRING_BIN" events -f ring.eventring >shown 2>said &
  follower=$!
  started="$started $follower"
  within 60 removed
}
ended "$now"
follow_removed
ends_alone() { ! kill -0 "$follower" 2>/dev/null; }
ok "a process that has the number and began later is not followed" \
  within 60 ends_alone
ok "the events of the session are read" eval 'leave && shows "queue  *1 words"'
ended "$(($(present) + 1000000000))"
follow_removed
ok "a process that began before the session is followed" \
  shows 'queue  *1 words'
within 60 watches
ok "until it ends" leave
finish
