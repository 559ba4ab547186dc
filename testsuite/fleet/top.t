#!/bin/sh
# A process of a hub in eventring top, in a terminal that tmux makes.
# Waits most of the time: for agents and hubs, which look each second.
. "$(dirname "$0")/hub.sh"
TMPDIR=$tmp/temporary
export TMPDIR
mkdir "$TMPDIR"
compile rounds
. "$EVENTRING_TOP/testsuite/cli/terminal.sh"

mkfifo stop
# Two recordings of one process, of which the second is longer.
OCAMLRUNPARAM=e=19 OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings \
  OCAML_EVENTRING_KEEP=1 ./rounds <stop >/dev/null &
pid=$!
started="$started $pid"
exec 9>stop
ring=$tmp/rings/$pid.eventring
within 60 traced
eventring dump "$pid" -o first.evr 2>/dev/null
sleep 1.5
exec 9>&-
wait "$pid"
eventring dump "$ring" -o second.evr 2>/dev/null
events_of() { eventring stat --json "$1" | jq .total.events; }

start_hub
new_key a
join a
process() { # STATE
  report 200 a "{\"streams\": [{\"stream\": \"s-1\", \"pid\": $pid,
    \"program\": \"rounds\", \"state\": \"$1\", \"events\": 9, \"lost\": 0,
    \"parts_dropped\": 0}]}"
}
ok "a node sends a recording of a process" eval \
  'put 200 a "s-1/1?offset=0&last=1" first.evr && process running'

view --hub "'$read'" a/$pid
ok "top shows the process" shows "^$pid .*rounds"
ok "with its spans" shows '^round  '
keys p
ok "it cannot be controlled" shows 'the process has ended\|cannot be controlled'
ok "the node sends more" put 200 a "s-1/2?offset=0&last=1" second.evr
sleep 4
keys q
ok "top ends" shows 'ended with 0'
ok "it has shown the new events" \
  on_screen " $(events_of second.evr) events over "
view --hub "'$read'"
ok "without an operand it shows the only process that runs" \
  shows "^$pid .*rounds"
keys q
ok "and ends" shows 'ended with 0'
process ended
view --hub "'$read'"
ok "when none runs, it says so" shows 'missing process .*: none is running'
view --hub "'$read'" a/1
ok "a process that is not there is refused" \
  shows 'the hub has no events of process a/1; eventring ps --hub lists'
view --hub "'$read'" --all
ok "--all is refused" shows 'all and --hub exclude each other'
view --hub "'$read'" a/$pid
shows "^$pid .*rounds"
kill -STOP "$hub"
sleep 4
keys q
ended_soon() { within 60 on_screen 'ended with 0'; }
ok "top ends though the hub does not answer" ended_soon
kill -CONT "$hub"
view --hub "'$read'" a/$pid
shows "^$pid .*rounds"
end_hub
ok "a hub that has gone is a message on the screen" shows 'connect'
keys q
ok "and no end of top" shows 'ended with 0'
ok "nothing is left in the folder for temporary files" [ -z "$(ls "$TMPDIR")" ]
finish
