#!/bin/sh
# If this breaks, an agent that starts again takes a process of a container for another
# one when it has ended meanwhile: its events are twice at the hub.  Needs no OCaml.
. "$(dirname "$0")/agent.sh"
unshare --pid --fork true 2>/dev/null ||
  { echo "1..0 # SKIP no pid namespaces"; exit 0; }

make_ring plain
unshare --pid --fork sleep 1000 &
parent=$!
started="$started $parent"
child() { child=$(ps -o pid= --ppid "$parent" | tr -d ' '); [ -n "$child" ]; }
within 60 child
started="$started $child"
now=$(awk '{ printf "%.0f", ($1 - 100) * 1e9 }' /proc/uptime)
# ring_of PID OWN: the ring file of process PID, with the number OWN in its namespace
ring_of() {
  printf '%s\n' "0 0 instant ring_start 1" "0 0 instant domain_start 0 0 0" \
    "0 1000 counter queue 1" |
    ./make_ring growing "rings/$2.eventring" pid="$2" state=1 minor=9 \
      monotonic="$now" namespace="$(stat -L -c %i "/proc/$1/ns/pid")" \
      boot="$(cat /proc/sys/kernel/random/boot_id)"
}
ring_of "$child" 1
stored() { [ -n "$(find "$store/nodes/n1" -path "*-$1-*/1.evr" -size +0)" ]; }
streams() { find "$store/nodes/n1" "$state" -type d -name "*-*-*-*"; }

start_hub || exit 1
start_agent --node n1 "$join"
ok "the events of a process of another pid namespace arrive" within 60 stored 1
crash "$agent"
kill -KILL "$child"
wait "$parent" 2>/dev/null
sleep 1000 &
other=$!
started="$started $other"
ring_of "$other" "$other"
start_agent
ok "an agent that starts again finds its ring file, and another one" \
  within 60 stored "$other"
number=$(streams | sed 's,.*/,,' | sort -u | wc -l)
ok "each ring file has one stream" [ "$number" = 2 ]
finish
