#!/bin/sh
# An agent in another mount namespace than a process opens the ring file by way of
# /proc: that path ends with the process, and the file stays.
. "$(dirname "$0")/agent.sh"
can_isolate || { echo "1..0 # SKIP no mount namespaces"; exit 0; }
compile counted
cc -shared -fPIC -o slow_open.so "$here/slow_open.c"

# Starts an agent elsewhere that waits where hold.open and hold.search say so.
start_elsewhere() {
  HOLD=$tmp/hold LD_PRELOAD=$tmp/slow_open.so unshare --mount \
    "$EVENTRING_BIN" agent --state "$state" --dir "$tmp/rings" \
    >agent.out 2>>agent.err &
  agent=$!
  started="$started $agent"
}
# Starts a program of which an agent records the beginning; starts another agent,
# which has found the ring file, and is about to open it.
begin_to_open() {
  count 1 20 0.05
  within 60 stored
  crash "$agent"
  : >hold.open
  start_elsewhere
  within 60 [ -e hold.open.reached ]
}
stored() {
  [ -n "$(find "$store/nodes/n1" -path "*-$pid-*/1.evr" -size +0)" ]
}
goes_on() { rm "hold.$1" "hold.$1.reached"; }
all_there() {
  within 60 conserves && grep -q ', 0 lost' sums && within 60 arrived &&
    [ ! -s agent.err ]
}

start_hub || exit 1
start_agent --node n1 "$join"
within 60 [ -s "$state/hub" ]

begin_to_open
stop_counting
goes_on open
ok "a file is found again when its process ends before it is opened" all_there
rm rings/*

# The next search has seen the process, too, and searches after it are rare.
: >hold.search
begin_to_open
within 60 [ -e hold.search.reached ]
stop_counting
goes_on open
sleep 0.5
goes_on search
ok "the process is not forgotten when two searches saw it before its end" \
  all_there
finish
