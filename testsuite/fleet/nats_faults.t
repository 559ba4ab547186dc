#!/bin/sh
# A round of random faults with a NATS server between the agent and the hub.
# testsuite/soak/fleet has more.  In this one the agent and the server are killed,
# and the server loses its store.
. "$(dirname "$0")/nats.sh"
compile counted

export FLEET_NATS=1 FLEET_ROUND_SECONDS=3
run random_faults "${FLEET_SEED:-289}" 1
sed -n '/^# /p' out
ok "each event is stored once or counts as lost, whatever NATS does" exits 0
finish
