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
ok "a program is traced" traced
run eventring events --dir "$dir" "$pid"
ok "events of a running process: ends by itself" exits 0
ok "events: minor collections" [ "$(minors out)" -gt 0 ]
ok "events: two domains" eval "grep -q 'domain 0 ' out && grep -q 'domain 1 ' out"
ok "events: in the order of time" in_order "$pid"
run eventring events "$pid"
ok "found by its process id alone" exits 0
run eventring check "$pid"
ok "check: nothing wrong" exits 0
run eventring stat "$pid"
ok "stat ends by itself" exits 0
ok "stat: of a running process" out_has '(running)'
for domain in 0 1; do
  ok "stat: domain $domain collected" out_has "^$domain minor  *[1-9][0-9]*  "
  ok "stat: domain $domain was stopped" \
    out_has "^$domain stopped  *[1-9][0-9]*  "
done
ok "stat: and why" out_has '^minor  *[1-9].*  minor_heap_full$'
ok "stat: and why all were stopped" \
  out_has '^stopped  *[1-9].*  minor_collection$'

# Paused from outside: the last event of the ring stays the last.
last_event() { eventring events --raw "$pid" 2>/dev/null | tail -1 | cut -f 2-; }
moves() { before=$(last_event); sleep 0.3; [ "$before" != "$(last_event)" ]; }
still() { ! moves; }
ok "events come" moves
run eventring pause "$pid"
ok "pause" exits 0
ok "pause says what it did" out_has "^$pid .*/work: paused\$"
sleep 0.1
ok "paused: no events come" still
run eventring pause "$pid"
ok "pausing twice is no error" exits 0
ok "pausing twice: says so" out_has ': was already paused$'
run eventring resume "$pid"
ok "resume" exits 0
ok "resume says what is recorded" out_has "^$pid .*/work: recording gc, "
ok "resumed: events come again" within 5 moves
run eventring resume "$pid"
ok "resuming twice: says so" out_has ': was already recording gc, '
run eventring pause --quiet "$pid"
ok "pause --quiet" silent
run eventring resume -q --dir "$dir" "$pid"
ok "resume --quiet --dir" silent

# By a user without permission.
if can_be_nobody; then
  for command in events stat pause resume; do
    run as_nobody $command "$pid"
    ok "$command by somebody else" refused 3 "$pid"
    run as_nobody $command "$ring"
    ok "$command by somebody else, by its file" refused 3 '[Pp]ermission'
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
sleep 1
kill -TERM "$first" "$second"
wait "$second"
ok "stat --follow: SIGTERM ends it in order" [ $? = 0 ]
ok "stat --follow: prints its table then" grep -q '^0 minor  *[1-9]' second
wait "$first"
ok "events --follow: ends in order" [ $? = 0 ]
ok "events --follow: whole lines" \
  eval "[ -s first ] && [ -z \"\$(tail -c 1 first)\" ]"
ok "the process runs on" kill -0 "$pid"

# Ctrl-C.  A shell starts background commands with SIGINT ignored.
perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' \
  "$EVENTRING_BIN" events -f "$pid" >third 2>third.err &
third=$!
started="$started $third"
within 10 [ -s third ]
kill -INT "$third"
wait "$third"
ok "events --follow: Ctrl-C ends it in order" [ $? = 0 ]

# Killed: every event that was written is in the file.
kill -9 "$pid"
wait "$pid" 2>/dev/null
run eventring events "$ring"
ok "killed: its file is read" exits 0
ok "killed: events are there" [ "$(minors out)" -gt 0 ]
ok "killed: in the order of time" in_order "$ring"
run eventring stat "$ring"
ok "killed: the table says so" out_has '(killed)'
run eventring pause "$ring"
ok "killed: cannot be paused" refused 3 'has ended'
run eventring events --dir "$dir" "$pid"
ok "killed: found by its old process id in --dir" exits 0

# Followed to its end.
start work 1 2
run timeout 60 "$EVENTRING_BIN" events --raw --follow "$pid"
ok "events --follow ends with the process" exits 0
ok "events --follow: to the last event" out_has '	ring_stop	'
ok "events --follow: in the order of time" eval "ticks_rise <out"
# Without values in nanoseconds: they are rounded as is best at the moment.
exact() { cut -f 2- out | awk -F '\t' '$5 == "complete" { $NF = "" } { print }'; }
exact >followed
run eventring events --raw "$ring"
exact | grep -v '	lost	' | tail -1000 >kept
ok "events --follow: the same as in the file that is kept" \
  eval "tail -1000 followed | cmp - kept"
run eventring check "$ring"
ok "ended: nothing wrong" exits 0
run eventring stat "$ring"
ok "ended: the table says so" out_has '(ended)'
start work 1 3
run timeout 60 "$EVENTRING_BIN" stat --follow "$pid"
ok "stat --follow ends with the process" exits 0
ok "stat --follow: prints its table then" out_has '(ended)'
ok "stat --follow: three domains" [ "$(grep -c '^[0-9] minor ' out)" -eq 3 ]
finish
