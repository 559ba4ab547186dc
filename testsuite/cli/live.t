#!/bin/sh
# Running processes: followed, paused and resumed from outside, killed.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile work

dir=$tmp/rings
minors() { grep -c '  begin     minor$' "$1"; }
# In the order of ticks; their values in nanoseconds are rounded.
in_order() { eventring events --raw "$1" 2>/dev/null | ticks_rise; }
ticks_rise() { awk -F '\t' '$2 < last { exit 1 } { last = $2 }'; }

# The events in the rings, without waiting.
start work 120 2
ok "the program is traced" traced
run eventring events --dir "$dir" "$pid"
ok "events of a running process ends without --follow" exits 0
ok "events has minor collections" [ "$(minors out)" -gt 0 ]
ok "events has events of two domains" \
  eval "grep -q 'domain 0 ' out && grep -q 'domain 1 ' out"
ok "events are in the order of time" in_order "$pid"
run eventring events "$pid"
ok "events finds the process by its id alone" exits 0
run eventring check "$pid"
ok "check of a running process has no findings" exits 0
run eventring stat "$pid"
ok "stat of a running process ends without --follow" exits 0
ok "stat prints that the process is running" out_has '(running)'
for domain in 0 1; do
  ok "stat: domain $domain has minor collections" \
    out_has "^$domain minor  *[1-9][0-9]*  "
  ok "stat: domain $domain has stops" \
    out_has "^$domain stopped  *[1-9][0-9]*  "
done
ok "stat has the causes of minor collections" \
  out_has '^minor  *[1-9].*  minor_heap_full$'
ok "stat has the reasons of stops" \
  out_has '^stopped  *[1-9].*  minor_collection$'

# Paused from outside: the last event of the ring stays the last.
last_event() { eventring events --raw "$pid" 2>/dev/null | tail -1 | cut -f 2-; }
moves() { before=$(last_event); sleep 0.3; [ "$before" != "$(last_event)" ]; }
still() { ! moves; }
ok "the process writes events" within 60 moves
run eventring pause "$pid"
ok "pause exits with 0" exits 0
ok "pause prints that the process is paused" out_has "^$pid .*/work: paused\$"
# A domain may be in the middle of an event.
ok "a paused process writes no events" within 60 still
run eventring pause "$pid"
ok "pausing a paused process is no error" exits 0
ok "pausing a paused process: the line says 'already'" \
  out_has ': was already paused$'
run eventring resume "$pid"
ok "resume exits with 0" exits 0
ok "resume prints the recorded categories" \
  out_has "^$pid .*/work: recording gc, "
ok "a resumed process writes events" within 60 moves
run eventring resume "$pid"
ok "resuming a recording process: the line says 'already'" \
  out_has ': was already recording gc, '
run eventring pause --quiet "$pid"
ok "pause --quiet prints nothing" silent
run eventring resume -q --dir "$dir" "$pid"
ok "resume --quiet --dir prints nothing" silent

# By a user without permission.
if can_be_nobody; then
  for command in events stat pause resume; do
    run as_nobody $command "$pid"
    ok "$command PID by another user is refused" refused 3 "$pid"
    run as_nobody $command "$ring"
    ok "$command FILE by another user is refused" refused 3 '[Pp]ermission'
  done
else
  skip "a process of somebody else" "needs root and setpriv"
fi

# Two readers at once, ended by the two signals.
"$EVENTRING_BIN" events --follow "$pid" >first 2>first.err &
first=$!
"$EVENTRING_BIN" stat --follow "$pid" >second 2>second.err &
second=$!
started="$started $first $second"
within 60 [ -s first ]
within 60 grep -q "$pid.eventring" "/proc/$second/maps"
sleep 1
kill -TERM "$first" "$second"
wait "$second"
ok "SIGTERM: stat --follow exits with 0" [ $? = 0 ]
ok "SIGTERM: stat --follow prints its table before it ends" \
  grep -q '^0 minor  *[1-9]' second
wait "$first"
ok "SIGTERM: events --follow exits with 0" [ $? = 0 ]
ok "SIGTERM: events --follow ends with a whole line" \
  eval "[ -s first ] && [ -z \"\$(tail -c 1 first)\" ]"
ok "the process goes on when its readers end" kill -0 "$pid"

# Ctrl-C.  A shell starts background commands with SIGINT ignored.
perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' \
  "$EVENTRING_BIN" events -f "$pid" >third 2>third.err &
third=$!
started="$started $third"
within 60 [ -s third ]
kill -INT "$third"
wait "$third"
ok "Ctrl-C: events --follow exits with 0" [ $? = 0 ]

# Killed: every event that was written is in the file.
kill -9 "$pid"
wait "$pid" 2>/dev/null
run eventring events "$ring"
ok "killed process: events reads its file" exits 0
ok "killed process: its file has minor collections" [ "$(minors out)" -gt 0 ]
ok "killed process: events are in the order of time" in_order "$ring"
run eventring stat "$ring"
ok "killed process: stat prints that it was killed" out_has '(killed)'
run eventring pause "$ring"
ok "killed process: pause is refused" refused 3 'has ended'
run eventring events --dir "$dir" "$pid"
ok "killed process: its id in --dir finds the file" exits 0

# follow COMMAND...: runs it until the process ends, which it does as soon as the
# command follows it
follow() {
  "$EVENTRING_BIN" "$@" >out 2>err &
  follower=$!
  started="$started $follower"
  within 60 follows
  touch stop
  wait "$follower"
  status=$?
  rm stop
}
# shellcheck disable=SC2010 # links
follows() { ls -l "/proc/$follower/fd" 2>/dev/null | grep -q pidfd; }
start work stop 2
follow events --raw --follow "$pid"
ok "events --follow ends with the process" exits 0
ok "events --follow prints the last event of the process" out_has '	ring_stop	'
ok "events --follow prints events in the order of time" eval "ticks_rise <out"
# Without values in nanoseconds: they are rounded as is best at the moment.
exact() { cut -f 2- out | awk -F '\t' '$5 == "complete" { $NF = "" } { print }'; }
exact >followed
run eventring events --raw "$ring"
exact | grep -v '	lost	' | tail -1000 >kept
ok "events --follow prints the same events as the file has" \
  eval "tail -1000 followed | cmp - kept"
run eventring check "$ring"
ok "ended process: check has no findings" exits 0
run eventring stat "$ring"
ok "ended process: stat prints that it has ended" out_has '(ended)'
start work stop 3
three_domains() {
  run eventring stat "$pid"
  [ "$(grep -c '^[0-9] minor ' out)" -eq 3 ]
}
within 60 three_domains
follow stat --follow "$pid"
ok "stat --follow ends with the process" exits 0
ok "stat --follow prints its table when the process ends" out_has '(ended)'
ok "stat --follow has rows for three domains" \
  [ "$(grep -c '^[0-9] minor ' out)" -eq 3 ]
finish
