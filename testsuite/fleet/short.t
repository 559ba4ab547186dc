#!/bin/sh
# Hundreds of processes of milliseconds under one agent.
# testsuite/soak/processes has ten thousand.
# Only in make check-long: it is a load.
. "$(dirname "$0")/agent.sh"
compile counted

start_hub || exit 1
start_agent --node n1 "$join"
within 60 [ -s "$state/hub" ]
run python3 -B "$here/short.py" "$read" n1 "$tmp/rings" counted "${PROCESSES:-300}"
cat out
ok "each event of short processes is stored, or counts as lost" exits 0
ok "the agent has seen some of them" grep -q ' [1-9][0-9]* seen' out
none_left() { [ -z "$(ls rings)" ]; }
ok "no tombstone is left" within 60 none_left
forgotten() { [ -z "$(ls "$state/spool" | grep -v lock)" ]; }
ok "the agent forgets them" within 60 forgotten
end_agent
echo "# $(cat agent.err)"
echo "# hub: $(sed -n 's/^VmHWM: *//p' /proc/$hub/status)"
ok "nothing of that is worth a line" [ "$(wc -l <agent.err)" = 1 ]
finish
