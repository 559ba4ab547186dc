#!/bin/sh
# A hub that answers nonsense, or keeps no reports, costs neither events nor time.
# Only in make check-long: it waits for a hub that does not answer.
. "$(dirname "$0")/agent.sh"
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
compile counted

start_hub || exit 1
start_agent --node n1 "$join"
within 60 [ -s "$state/hub" ]
requests() { [ "$(wc -c <counts)" -gt "$1" ]; }
for mode in zero negative garbage long silent; do
  crash "$hub"
  : >counts
  : >agent.err
  python3 -B "$here/badhub.py" "$store" "${base##*:}" $mode counts 2>/dev/null &
  bad=$!
  started="$started $bad"
  count 1 20 0.005
  ok "$mode: the agent sends" within 60 requests 0
  if [ $mode != silent ]; then
    ok "$mode: the agent says so" within 60 grep -q 'cannot be used' agent.err
    ok "$mode: it waits longer each time" eval '! requests 60'
  fi
  crash "$bad"
  restart_hub
  stop_counting
  ok "$mode: the hub has all, or the report says so" eval \
    'within 70 arrived && within 60 conserves'
  ok "$mode: no event is lost" grep -q ', 0 lost' sums
  rm rings/*
done

crash "$hub"
python3 -B "$here/badhub.py" "$store" "${base##*:}" name counts 2>/dev/null &
bad=$!
started="$started $bad"
refuses() {
  run eventring "$1" --hub "$read" n1/1
  exits 3 && err_has "$2"
}
ok "name: a reader says so" within 60 \
  refuses events 'the hub has no events of process 1'
crash "$bad"
restart_hub

# The hub has been away for so long that a report is due whenever it is tried.
crash "$hub"
: >agent.err
count 1 20 0.005
within 60 grep -q 'cannot be used' agent.err
rm "$store/nodes/n1/node.json"
mkdir -p "$store/nodes/n1/node.json/full"
restart_hub
stop_counting
ok "a hub that can keep no reports gets all parts" within 60 arrived
ok "and has kept none meanwhile" [ -d "$store/nodes/n1/node.json/full" ]
rm -r "$store/nodes/n1/node.json"
ok "it gets the report later" within 60 conserved
rm rings/*
end_agent
ok "the agent ends in order" exits 0
finish
