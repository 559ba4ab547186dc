#!/bin/sh
# Events that no agent has recorded are reported as lost: by tombstones, by the
# numbers of the events, and once.
# Only in make check-long: it waits until missing events count as lost.
. "$(dirname "$0")/agent.sh"
compile counted

# A program that removes its ring file at its end and leaves a tombstone in
# $graves.
graves=$tmp/rings
gone() {
  OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings \
    OCAML_EVENTRING_TOMBSTONES=$graves OCAML_EVENTRING_CATEGORIES=user \
    ./counted "$@" <stop >gone.out &
  pid=$!
  started="$started $pid"
}
tombstones() { ls "$graves"/*.tombstone 2>/dev/null | wc -l; }
left() { [ "$(tombstones)" = "${1:-1}" ]; }
# reported PID STATE EVENTS LOST: EVENTS and LOST are conditions of jq
reported() {
  eventring ps --hub "$read" --json >ps.json &&
    jq -e ".processes[] | select(.pid == $1 and .state == \"$2\" and
      (.events | $3) and (.lost | $4))" ps.json >/dev/null
}
forgotten() { [ -z "$(ls "$state/spool" | grep -v lock)" ]; }
open_stop() {
  sleep 1000 >stop &
  stopper=$!
  started="$started $stopper"
}
end_of() {
  wait "$pid"
  [ -z "$(ls rings/*.eventring 2>/dev/null)" ]
}

open_stop
start_hub || exit 1
gone 1 100 0 1
ok "a program ends while no agent runs" end_of
ok "it leaves a tombstone" left
start_agent --node n1 "$join"
ok "its events are reported as lost" \
  within 60 reported "$pid" ended '. == 0' '. == 100'
ok "the tombstone is removed" within 60 left 0
ok "the agent forgets the process" within 60 forgotten
sleep 2
ok "the hub does not" reported "$pid" ended '. == 0' '. == 100'

# Recorded from its beginning to its end.
gone 1 100 0.05
within 60 reported "$pid" running '. > 100' '. == 0'
crash "$stopper"
end_of
open_stop
ok "a process that was recorded whole lost nothing" \
  within 60 reported "$pid" ended '. > 100' '. == 0'
ok "its tombstone is removed, too" within 60 left 0
within 60 forgotten
sleep 1
ok "and its report stays" reported "$pid" ended '. > 100' '. == 0'

# Recorded in part.
gone 1 100 0.05
within 60 reported "$pid" running '. > 100' '. == 0'
crash "$agent"
sleep 0.5
crash "$stopper"
end_of
open_stop
start_agent
written=$(cut -d ' ' -f 2 gone.out)
sums() {
  reported "$pid" ended '. > 100' '. > 0' && [ "$(jq ".processes[] |
    select(.pid == $pid) | .events + .lost" ps.json)" = "$written" ]
}
ok "the events after the last recorded one are lost" within 60 sums
ok "and the tombstone is removed" within 60 left 0

# While the hub is away.
crash "$hub"
crash "$agent"
gone 1 70 0 1
end_of
start_agent
sleep 1.5
ok "a tombstone stays until the hub has the report" left
crash "$agent"
start_agent
restart_hub
ok "and is reported once" \
  eval 'within 60 reported "$pid" ended ". == 0" ". == 70" &&
        within 60 left 0'

# Another folder, old and damaged ones.
crash "$agent"
graves=$tmp/graves
mkdir graves
gone 1 30 0 1
end_of
OCAML_EVENTRING_TOMBSTONES=$graves
export OCAML_EVENTRING_TOMBSTONES
start_agent
ok "the folder of tombstones may be another one" \
  within 60 reported "$pid" ended '. == 0' '. == 30'
within 60 left 0
crash "$agent"
gone 1 20 0 1
end_of
touch -d '2 days ago' graves/*
head -c 3000 /dev/urandom >graves/1-2-3.tombstone
ln -s /etc/passwd graves/4-5-6.tombstone
: >agent.err
start_agent
ok "an old tombstone is removed" within 60 left 2
sleep 1
ok "a damaged one costs one line" \
  [ "$(grep -c '1-2-3.tombstone is not' agent.err)" = 1 ]
ok "nothing else is worth a line" [ "$(wc -l <agent.err)" = 1 ]
ok "nothing of an old one is reported" \
  eval '! reported "$pid" ended ". == 0" ". == 20"'
unset OCAML_EVENTRING_TOMBSTONES

# The rings were too small until the agent came.
OCAMLRUNPARAM=e=10
export OCAMLRUNPARAM
crash "$agent"
crash "$stopper"
stopper=
count 1 2000 0.01
sleep 0.5
start_agent
sleep 0.5
stop_counting
unset OCAMLRUNPARAM
ok "events from before the first one are lost" eval \
  'within 60 arrived && within 60 conserves && grep -qv ", 0 lost" sums'
ok "and there are some of them" eval \
  'eventring events --raw --hub "$read" "n1/$pid" | head -1 | grep -qv "[^0-9]0*1$"'
rm rings/*
end_agent

# The agent has dropped all parts before the hub had a single event of the process.
crash "$hub"
start_agent --spool-size 1M --spool-age 1s
count 1 1000 0.001
within 60 eval '! arrived'
stop_counting
within 60 arrived
restart_hub
ok "a process of which all parts were dropped is reported" \
  within 60 reported "$pid" ended '. >= 0' '. > 0'
rm rings/*
end_agent

# A restarted agent is slow to open the file of a process that it has recorded.
start_agent
count 1 20 0.005
sleep 0.3
stop_counting
within 60 arrived
sleep 1
end_agent
: >agent.err
cc -shared -fPIC -o slow_open.so "$here/slow_open.c"
: >hold.open
HOLD=$tmp/hold LD_PRELOAD=$tmp/slow_open.so "$EVENTRING_BIN" agent \
  --state "$state" --dir "$tmp/rings" >agent.out 2>>agent.err &
agent=$!
started="$started $agent"
within 60 [ -e hold.open.reached ]
sleep 3
rm hold.open
sleep 3
end_agent
ok "an agent that is slow to open a file has not forgotten the process" eval \
  'grep -q "^eventring: agent: 0 sessions" agent.err &&
   ! grep -q refuses agent.err && conserved'
rm rings/*

# A file takes the path of another one before the agent could read that.
start_agent
count 1 20 0.005
stop_counting
within 60 arrived
end_agent
: >agent.err
rm -rf "$state/spool"
mv "$ring" "$tmp/kept"
rm rings/*
start_agent
: >"rings/$pid.eventring"
sleep 0.4
mv "$tmp/kept" "rings/$pid.eventring"
sleep 1.5
end_agent
ok "a file in the place of another is not followed twice" \
  grep -q '^eventring: agent: 1 sessions' agent.err
finish
