#!/bin/sh
# The agent: each event of each process is at the hub, once, or counts as lost,
# whatever happens to agent, hub and programs.
# Waits most of the time: for agents and hubs, which look each second.
. "$(dirname "$0")/agent.sh"
compile counted
${CC:-cc} -std=gnu11 -Wall -Wextra -shared -fPIC -o faults.so \
  "$here/hub_faults.c" || exit 1

# The command line

run eventring agent --state "$state"
ok "an agent without a hub is refused" refused 3 'missing address of the hub'
run eventring agent --state "$state" --spool-size 10k https://127.0.0.1:1
ok "a spool that is too small is refused" refused 2 'not a size from 1M on'
run eventring agent --state "$state" --spool-age soon https://127.0.0.1:1
ok "a wrong age is refused" refused 2 'not a time'
run eventring agent --state "$state" --dir "$tmp/none"
ok "a folder that does not exist is refused" refused 3 'No such file'
run eventring agent --state "$state" one two
ok "two hubs are refused" refused 2 "unexpected argument 'two'"
run eventring agent --state "$state" https://127.0.0.1:1
ok "an address without a fingerprint is refused" refused 2 'fingerprint'
run eventring agent --state "$state" http://x
ok "another address is refused" refused 2 'expected https://HOST:PORT'
ok "nothing of these makes a folder" [ ! -e "$state" ]
: >file
nowhere=https://127.0.0.1:1#0@$(printf '%064d' 0)
run eventring agent --state "$tmp/file/state" "$nowhere"
ok "a state below a file is refused" refused 4 'cannot make'

# Joining

start_hub || exit 1
run eventring agent --state "$state" --node 'no name' "$join"
ok "a wrong name is refused" refused 2 'not the name of a node'
wrong=$(echo "$join" | sed 's/.$/0/')
[ "$wrong" != "$join" ] || wrong=$(echo "$join" | sed 's/.$/1/')
run eventring agent --state "$state" --node n1 "$wrong"
ok "another server at the address of the hub gets no token" \
  refused 3 'has not the fingerprint'
run eventring agent --state "$state" --node n1 "${join%%#*}#@${join#*@}"
ok "an address without a token is refused" refused 3 'token'
start_agent --node n1 "$join"
ok "an agent joins" within 60 [ -s "$state/hub" ]
ok "its files are for the user only" \
  [ -z "$(find "$state" ! -perm 600 ! -perm 700)" ]
run eventring agent --state "$state"
ok "a second agent with its state is refused" refused 4 'another agent uses'
run eventring agent --state "$tmp/other" --node n2 "$join"
ok "a token cannot be used twice" refused 3 'cannot join'
second=$(eventring hub --store "$store" --new-token | sed 's/.* //')
run eventring agent --state "$tmp/other" --node n1 "$second"
ok "a name that is taken is refused" refused 3 'taken'

# A process at the hub

count 2 20 0.002
appears() {
  eventring ps --hub "$read" >ps.out && grep -q "^n1 *$pid *running" ps.out
}
ok "a traced program appears in ps --hub" within 60 appears
stop_counting
ended() { eventring ps --hub "$read" | grep -q "^n1 *$pid *ended"; }
ok "the end of the program appears too" within 60 ended
ok "and all of its events are there" within 60 conserved
ok "the spool is empty" within 60 arrived
rm rings/*
forgotten() { [ -z "$(ls "$state/spool" | grep -v lock)" ]; }
ok "the agent forgets a process that has left no file" within 60 forgotten

# The events are those of a local recording.
categories=all
count 2 20 0.002
categories=
"$EVENTRING_BIN" record "$pid" -o local.evr 2>local.err &
local=$!
started="$started $local"
sleep 1
crash "$agent"
start_agent
sleep 1
stop_counting
wait "$local"
within 60 ended && within 60 arrived
# Without times in ns, of which the rate is measured at the end of a recording.
in_ticks() { sed 's/^[^\t]*\t//; /\tcomplete\t/s/\t[^\t]*$//'; }
eventring events --raw local.evr | in_ticks >local.raw
eventring events --raw --hub "$read" "n1/$pid" | in_ticks >hub.raw
ok "a local recording lost none" grep -q ', 0 lost' local.err
ok "the events at the hub are the events of a local recording" \
  cmp local.raw hub.raw
rm rings/*

# Crashes

count 2 50 0.002
for pause in 0.05 0.2 0.4 0.01 0.3; do
  sleep $pause
  crash "$agent"
  start_agent
done
stop_counting
ok "an agent is killed again and again" eval \
  'within 60 arrived && within 60 conserved'
rm rings/*

count 2 50 0.002
for pause in 0.1 0.3 0.5; do
  sleep $pause
  crash "$hub"
  sleep 0.1
  restart_hub
done
stop_counting
ok "a hub is killed again and again" eval \
  'within 60 arrived && within 60 conserved'
rm rings/*

crash "$hub"
parts() { find "$state/spool" -name '*.evr' | wc -l; }
has_more() { [ "$(parts)" -gt "$1" ]; }
count 1 50 0.002
within 60 has_more 0
crash "$agent"
before=$(parts)
start_agent
within 60 has_more "$before"
stop_counting
crash "$agent"
ok "parts wait in the spool" eval '! arrived'
start_agent
restart_hub
ok "a process that ended while the hub was away is not lost" eval \
  'within 60 arrived && within 60 conserves'
ok "and not a single event of it" grep -q ', 0 lost' sums
rm rings/*

# Too much for the rings, and for the spool

OCAMLRUNPARAM=e=10
export OCAMLRUNPARAM
count 2 2000 0.001
sleep 0.3
crash "$agent"
sleep 0.3
start_agent
sleep 0.3
stop_counting
unset OCAMLRUNPARAM
ok "what the rings lost while no agent ran is counted" eval \
  'within 60 arrived && within 60 conserves && grep -qv ", 0 lost" sums'
rm rings/*

# The hub ends when it has stored a part, without an answer.
end_agent
crash "$hub"
HUB_DIES=$tmp/die LD_PRELOAD=$tmp/faults.so restart_hub
start_agent --spool-size 4M
count 2 150 0.001
has_two() { [ "$(find "$store/nodes/n1" -path "*-$pid-*.evr" | wc -l)" -ge 2 ]; }
within 60 has_two
: >die
wait "$hub"
ok "a hub ends without an answer" [ $? = 9 ]
dropped() { grep -q 'reached its limit' agent.err; }
ok "a spool that is too small says that it drops events" within 60 dropped
ok "and keeps its limit" \
  [ "$(du -sk "$state/spool" | cut -f 1)" -lt 5000 ]
restart_hub
stop_counting
ok "what it dropped counts as lost" eval \
  'within 60 arrived && within 60 conserves && grep -qv ", 0 lost" sums'
got 200 nodes
ok "and is reported" has '.nodes[] | select(.node == "n1") | .dropped.parts > 0'
end_agent
ok "the line of totals has the parts dropped" eval \
  'exits 0 && tail -1 agent.err | grep -q " [1-9][0-9]* parts dropped"'
rm rings/*

# Many, short, bad

: >agent.err
start_agent
sleep 0.5
for i in 1 2 3 4 5 6 7 8; do count 1 20 0.005; done
for i in 1 2 3 4 5 6 7 8 9 10; do count 1 5 0 1; done
stop_counting
ok "several processes, and some of milliseconds" eval \
  'within 60 arrived && within 60 conserves'
ok "no event of them is lost" eval "! grep -v ', 0 lost' sums"
rm rings/*

# A new file may have the inode of the old one, and its path is another.
count 1 20 0.005
sleep 0.3
stop_counting
within 60 arrived
rm rings/*
count 1 20 0.005
sleep 0.3
stop_counting
ok "a file in the place of another is followed at once" eval \
  'within 60 arrived && within 60 conserves && grep -q ", 0 lost" sums'
rm rings/*
ok "nothing of that is worth a line" [ ! -s agent.err ]
count 1 20 0.005
good=$ring
head -c 100000 /dev/urandom >rings/4194301.eventring
: >rings/4194302.eventring
mkdir rings/4194303.eventring
ln -s /etc/passwd rings/4194300.eventring
count 1 20 0.005
cut=$ring
sleep 0.5
truncate -s 4096 "$cut"
costs_a_line() { within 60 grep -q "$1" agent.err; }
costs_a_line "$cut"
costs_a_line 4194301
sleep 1
ok "a file that is no ring file costs one line" \
  [ "$(grep -c 4194301 agent.err)" = 1 ]
ok "a file that is cut while it is read costs one line" \
  [ "$(grep -c "$cut" agent.err)" = 1 ]
ok "the agent lives" kill -0 "$agent"
stop_counting
rm -r rings/41943* "$cut" "${cut%.eventring}.out"
ok "and loses nothing of other processes" eval \
  'within 60 arrived && within 60 conserved'
rm rings/*

# A hub that is away, and then refuses

end_agent
run eventring agent --state "$state" --node n2
ok "a node has one name" refused 3 'has joined as n1'
: >agent.err
crash "$hub"
start_agent
count 1 20 0.005
ok "an agent without its hub says so" within 60 grep -q 'cannot be used' agent.err
eventring hub --store "$store" --forget n1
restart_hub
refuses() { grep -q 'cannot be used.*n1' agent.err; }
ok "an agent that the hub has forgotten says so" within 60 refuses
stop_counting
crash "$agent"
rm -r rings/* "$state"
ok "no part of all these came twice and different" \
  [ -z "$(find "$store" -name '*.differs')" ]
crash "$hub"
finish
