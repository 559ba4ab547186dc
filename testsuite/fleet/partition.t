#!/bin/sh
# Agents on machines of their own: they are cut off from the hub, and restarted
# all together.  testsuite/soak/agents has 64 of them.
# Only in make check-long: it is a load.
# Needs the machine alone: it runs eight agents, hubs and programs.
. "$(dirname "$0")/agent.sh"
can_isolate || { echo "1..0 # SKIP no network namespaces"; exit 0; }
compile counted

agents=${AGENTS:-8}
run isolated python3 -B "$here/agents.py" "$tmp/machines" counted "$agents" \
  "${HUB_MIB:-128}"
cat out
ok "$agents agents: cut off, restarted together, nothing is unaccounted" exits 0
finish
