#!/bin/sh
# Control of processes by way of a hub: only with the address for control, only
# where the agent allows it, and each request at most once.
# Waits most of the time: for agents and hubs, which ask each second.
. "$(dirname "$0")/agent.sh"
. "$here/control.sh"

start_hub || exit 1
run eventring hub --store "$store" --print-control-url
control=$(cat out)
ok "a hub that runs has an address for control" eval 'exits 0 && out_lines 1'
run eventring hub --store "$store" --print-control-url
ok "the address stays" [ "$(cat out)" = "$control" ]
ok "its token is not the one of readers" \
  [ "$(token_of "$control")" != "$reader" ]
ok "only the user of the hub can read the token" \
  [ "$(stat -c %a "$store/hub/control.token")" = 600 ]

mkdir elsewhere
begins elsewhere
strange=$pid
strange_ring=$ring
begins rings

# An agent that allows nothing

start_agent --node n1 "$join"
appears() { eventring ps --hub "$read" | grep -q "^n1 *$pid *running"; }
ok "a process appears at the hub" within 60 appears
at_hub enable n1/$pid gc
ok "an agent allows no control by itself" \
  refused 3 'n1 allows no control; start it with --allow-control'
at_hub get n1/$pid points.rounds
ok "nor does it evaluate points" refused 3 'allows no control'
ok "the process records what it did" records user
end_agent

# Nodes that are made of curl: a request is given once, and to its node only.

for node in n2 n3 n4; do
  new_key $node
  join $node "$(token_of "$(eventring hub --store "$store" --new-token)")"
  report 200 $node '{"control": "https", "streams": []}'
done
# poll NODE BODY: a request of the agent of NODE for requests
poll() {
  node=$1
  shift
  answers 200 --cert "$node.crt" --key "$node.key" -d "$@" \
    "$base/fleet/requests"
}
eventring pause --hub "$control" n2/4711 >asked.out 2>asked.err &
asked=$!
started="$started $asked"
ok "an agent gets a request" eval \
  'poll n2 "{}" && has ".request.command == \"pause\" and
   .request.node == \"n2\" and .request.process == \"4711\""'
id=$(jq -r .request.id answer)
again() { command curl -s -m 1 -k --cert n2.crt --key n2.key -d '{}' \
  "$base/fleet/requests"; }
ok "the agent gets it once" [ -z "$(again)" ]
# says NODE STATUS TEXT: the answer of NODE to that request
says() {
  jq -n --arg id "$id" --argjson status "$2" --arg text "$3" \
    '{answer: {id: $id, status: $status, output: $text, errors: ""}}' >said
  command curl -s -m 1 -k --cert "$1.crt" --key "$1.key" -d @said \
    "$base/fleet/requests" >/dev/null
}
says n4 0 'of another node'
says n2 1 "$(printf 'paused\tby \033[31mme\nand more\n ')"
wait "$asked"
status=$?
ok "the answer of another node does not count" \
  eval '! grep "another node" asked.out'
ok "an answer has its exit code, and does not control the terminal" eval \
  'exits 1 && printf "paused\tby \\\\x1b[31mme\nand more\n " | cmp - asked.out'
ok "an answer of another form is refused" answers 400 --cert n2.crt \
  --key n2.key -d '{"answer": {"id": "x"}}' "$base/fleet/requests"

# The next ones take seconds, and run meanwhile.  The last poll of n2 waits at the
# hub, and its client is gone.
report 200 n2 '{"control": "https", "streams": []}'
eventring pause --hub "$control" n2/4712 >silent.out 2>silent.err &
silent=$!
started="$started $silent"
report 200 n3 '{"control": "https", "streams": []}'
waiting=
for i in 1 2 3 4 5 6 7 8 9; do
  eventring pause --hub "$control" n3/$i >away.out 2>away.$i &
  waiting="$waiting $!"
done
started="$started $waiting"

# An agent that allows control

# Its parent has left it to ignore the ends of its children.
command=$EVENTRING_BIN
printf '#!/bin/sh\nexec env --ignore-signal=CHLD "%s" "$@"\n' "$command" >ignoring
chmod +x ignoring
EVENTRING_BIN=./ignoring
start_agent --allow-control
EVENTRING_BIN=$command
ok "an agent with --allow-control takes requests" within 60 reaches
at_hub enable n1/$pid nonsense
ok "a command that fails has its exit code" refused 2 "no category 'nonsense'"
at_hub get --wait=0 n1/$pid points.rounds
ok "get --wait=0 does not wait for a safe point" exits 3
at_hub enable n1/$pid gc
ok "enable records a category more" eval 'exits 0 && records "gc user"'
sed 's/: recording/: was already recording/' out >first
run eventring enable "$pid" --dir "$tmp/rings" gc
ok "it prints the same as on the machine" cmp first out
ok "the agent has a line of it" grep -q \
  "control by the hub: enable of process $pid, gc: exit code 0" agent.err
ok "and so has the hub" grep -q "control: enable of process $pid of node n1" \
  hub.err
arrives() {
  [ -n "$(eventring events --hub "$control" n1/$pid --categories gc)" ]
}
ok "its events come to the hub, where this address reads, too" \
  within 60 arrives
at_hub disable n1/$pid gc
ok "disable" eval 'exits 0 && records user'
at_hub pause n1/$pid --json
ok "pause" eval 'exits 0 && jq -e ".processes[0].paused" out'
ok "no path of the machine is told" \
  [ "$(jq -r '.processes[0].path' out)" = "n1/$pid" ]
at_hub resume --quiet n1/$pid
ok "resume" eval 'exits 0 && silent && records user'
at_hub enable n1/$pid --rate=200 profile
ok "an option of the command goes with it" eval \
  'exits 0 && out_has "200 samples a second"'
for form in '' --names; do
  at_hub categories $form n1/$pid
  cp out first
  run eventring categories $form "$pid" --dir "$tmp/rings"
  ok "categories $form prints the same as on the machine" \
    eval '[ -s out ] && cmp first out'
done
at_hub enable n1/$pid nonsense
cp err first
run eventring enable "$pid" --dir "$tmp/rings" nonsense
ok "so does a category that there is not, with the name of the process" eval \
  'exits 2 && sed "s,$ring,n1/$pid," err | cmp first -'
run env EVENTRING_HUB="$control" "$EVENTRING_BIN" disable n1/$pid profile
ok "EVENTRING_HUB does as --hub" eval 'exits 0 && records user'

at_hub get n1/$pid points.rounds
ok "a point is evaluated" eval 'exits 0 && [ "$(cat out)" -ge 1 ]'
at_hub get n1/$pid --json 'points.*'
ok "points are evaluated as JSON, and one has failed" eval \
  'exits 1 && jq -e ".\"points.rounds\" >= 1" out && err_has "points.broken has failed"'
at_hub get n1/$pid points.missing
ok "a point that there is not" eval 'exits 1 && err_has "n1/$pid has no figure"'
at_hub get n1/$pid points.rounds process.pid
ok "points and other figures are two commands" refused 2 'two commands'
at_hub get n1/$pid --wait=11s points.rounds
ok "a wait has a limit" refused 2 'at most 10 s'

stream=$(eventring ps --hub "$read" --json |
  jq -r ".processes[] | select(.pid == $pid) | .stream")
at_hub pause "n1/$stream"
ok "a stream is a process, too" eval 'exits 0 && eventring resume "$ring"'
at_hub pause n1/$strange
ok "a process that the agent does not follow is not changed" eval \
  'refused 3 "n1 records no process $strange" &&
   eventring categories --json "$strange_ring" |
     jq -e ".processes[0].paused | not"'
at_hub pause n9/$pid
ok "a node that there is not" refused 3 'no agent has the name n9'

# Without the rights

run eventring pause --hub "$read" n1/$pid
ok "readers do not control" refused 3 'this address is for reading'
run eventring pause --hub "$(echo "$control" | sed 's/#..../#0000/')" n1/$pid
ok "a wrong token" refused 3 'missing or wrong'
run eventring pause --hub "$join" n1/$pid
ok "the token of an agent" refused 3 'missing or wrong'
ok "no token" answers 401 -d '{}' "$base/fleet/control"
ok "another method" answers 405 -H "Authorization: Bearer $reader" \
  "$base/fleet/control"
ok "only agents get requests" answers 403 -d '{}' "$base/fleet/requests"
# refuses BODY: the hub refuses this request for control
refuses() {
  answers 400 -H "Authorization: Bearer $(token_of "$control")" -d "$1" \
    "$base/fleet/control"
}
ok "no JSON" refuses x
ok "another command" refuses \
  '{"node": "n1", "process": "1", "command": "run", "arguments": ["ls"]}'
ok "the path of a file" refuses \
  '{"node": "n1", "process": "../x", "command": "pause"}'
ok "other figures than points" refuses \
  '{"node": "n1", "process": "1", "command": "get", "arguments": ["manifest"]}'
head -c 20000 /dev/zero | tr '\0' ' ' >long
ok "a long body" answers 413 -d @long \
  -H "Authorization: Bearer $(token_of "$control")" "$base/fleet/control"
ok "nobody has changed the process" records user

# The command line

at_hub pause --all
ok "--all is for this machine" refused 2 'processes of this machine'
at_hub pause
ok "a process is needed" refused 2 'missing process'
at_hub pause n1/
ok "a node is no process" refused 2 'NODE/PID'
at_hub pause --dir rings n1/$pid
ok "--dir is for this machine" refused 2 'processes of this machine'

# Ends

at_hub pause n1/$pid
mv "$store/hub/control.token" token
at_hub resume n1/$pid
ok "without its file, the token ends at once" refused 3 'missing or wrong'
mv token "$store/hub/control.token"
crash "$stopper"
wait "$pid"
gone() {
  at_hub pause n1/$pid
  refused 3 "records no process $pid"
}
ok "a process that is gone" within 60 gone
ok "the agent ends while it waits for a request" quick 5 end_agent
wait "$silent"
ok "a request that is not answered: nobody knows" grep -q \
  'n2 has got the request and not answered: whether' silent.err
for one in $waiting; do wait "$one"; done
ok "a request that is not fetched was not carried out" eval \
  '[ "$(cat away.? | grep -c "n3 has not fetched the request, which was not")" = 8 ]'
ok "eight requests wait for a node, and no more" eval \
  '[ "$(cat away.? | grep -c "too many requests wait for node n3")" = 1 ]'
at_hub pause n2/4711
ok "a node without reports is away" refused 3 'n2 is away'
start_agent --allow-control
ok "another agent goes on" within 60 gone
ok "the hub ends while an agent waits" quick 5 end_hub
finish
