# Read by tests of the agent: the functions of testsuite/fleet/hub.sh, agents,
# and programs that count (counted.ml).
#
#   start_agent ARG...   starts eventring agent ARG... with the state
#                        $tmp/state, for the programs in $tmp/rings; leaves
#                        $agent
#   end_agent            ends it in order; leaves $status
#   crash PID            ends it with SIGKILL
#   crash_hub, restart_hub   the same for the hub; it comes back at its port, with
#                        $hub_options
#   count DOMAINS BATCH PAUSE [BATCHES]   starts counted; leaves $pid, $ring
#   stop_counting        ends the programs of count in order
#   arrived              whether the spool has no part any more
#   random_faults SEED ROUNDS   runs faults.py
#   conserved            whether the hub has each event of each program, or
#                        counts it as lost; prints the sums
#   conserves            the same; leaves the sums in the file sums

. "${EVENTRING_TOP:-$(dirname "$0")/../..}/testsuite/fleet/hub.sh"
here=$(cd "$EVENTRING_TOP/testsuite/fleet" && pwd)
state=$tmp/state
mkdir -p rings
mkfifo stop

start_agent() {
  "$EVENTRING_BIN" agent --state "$state" --dir "$tmp/rings" "$@" \
    >agent.out 2>>agent.err &
  agent=$!
  started="$started $agent"
}
end_agent() {
  kill -TERM "$agent"
  wait "$agent"
  status=$?
}
crash() {
  kill -KILL "$1"
  wait "$1"
} 2>/dev/null

hub_options=
restart_hub() { start_hub_at "${base#https://}"; }
start_hub_at() {
  : >hub.out
  "$EVENTRING_BIN" hub --listen "$1" --store "$store" $hub_options >hub.out \
    2>>hub.err &
  hub=$!
  started="$started $hub"
  within 60 grep -q '^read: ' hub.out
}

# The programs end when the stopper does, which has [stop] open for writing.
count() {
  OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings \
    OCAML_EVENTRING_KEEP=1 OCAML_EVENTRING_CATEGORIES=${categories:-user} \
    ./counted "$@" <stop >counting.out &
  pid=$!
  started="$started $pid"
  counting="$counting $pid"
  ring=$tmp/rings/$pid.eventring
  if [ -z "$stopper" ]; then
    sleep 1000 >stop &
    stopper=$!
    started="$started $stopper"
  fi
  within 60 [ -s "$ring" ] && mv counting.out "rings/$pid.out"
}
stop_counting() {
  crash "$stopper"
  stopper=
  for one in $counting; do wait "$one"; done
  counting=
}
stopper=
counting=

# isolated COMMAND...: runs it in namespaces for networks.py
can_isolate() {
  command -v ip >/dev/null && unshare --net --mount true 2>/dev/null
}
isolated() { FLEET_ISOLATED=1 unshare --net --mount "$@"; }
random_faults() {
  set -- python3 -B "$here/faults.py" "$tmp/random$1" ./counted "$1" "$2"
  if can_isolate; then isolated "$@"; else "$@"; fi
}

arrived() { [ -z "$(find "$state/spool" -name '*.evr')" ]; }
conserved() {
  python3 -B "$here/conserve.py" "$read" "${1:-n1}" "$store" \
    rings/*.eventring
}
conserves() { conserved >sums; }
