#!/bin/sh
# A rule for all nodes of a hub: an event on one node saves the last seconds of the
# processes of all nodes, although the clocks of one are ten hours ahead.
# Waits most of the time: for rules, which look each second.
. "$(dirname "$0")/tap.sh"
. "$here/slow.sh"
cd "$tmp" || exit 1
ahead="unshare --time --monotonic 36000 --fork"
$ahead true 2>/dev/null || { echo "1..0 # SKIP no time namespaces"; exit 0; }
here=$here/../fleet compile rounds
mkdir rings-b empty
"$EVENTRING_BIN" hub --listen 127.0.0.1:0 --store "$tmp/hub" >hub.out 2>hub.err &
started="$started $!"
within 60 grep -q '^read: ' hub.out
read=$(sed -n 's/^read: *eventring ps --hub //p' hub.out)
new_token() {
  "$EVENTRING_BIN" hub --store "$tmp/hub" --new-token |
    sed 's/^.*eventring agent //'
}
"$EVENTRING_BIN" agent --state "$tmp/agent-a" --node a --dir "$tmp/rings" \
  "$(new_token)" 2>agent-a.err &
started="$started $!"
mkfifo stop
sleep 600 >stop &
started="$started $!"
# Programs in the new time namespace, which end with this shell's children.
token=$(new_token)
$ahead --kill-child sh -c '
  OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$1/rings-b "$1/rounds" <"$1/stop" &
  exec "$2" agent --state "$1/agent-b" --node b --dir "$1/rings-b" "$3"' \
  sh "$tmp" "$EVENTRING_BIN" "$token" 2>agent-b.err &
started="$started $!"
begin
tell span 40
ok "the server starts" serve --hub "$read" "$tmp/empty"
both() { [ "$(field /api/fleet '[.processes[] | select(.bytes > 0)] | length')" = 2 ]; }
ok "the hub has the processes of both nodes" within 60 both

ok "fleet: true or false" with_token_is 400 \
  -d '{"when":"step > 20ms","fleet":1}' "$base/api/rules"
post /api/rules '{"when":"step > 20ms","fleet":true,"before_s":2,"after_s":0.5,
  "distance_s":1,"max_files":2}' >body
rule=$(jq -r .rule.id body)
rule_is() { field_is /api/rules ".rules[] | select(.id == $rule) | $1" "$2"; }
ok "the rule is for all nodes" rule_is '[.fleet, .when] | join(" ")' \
  'true step > 20ms'
watched() { field_is /api/rules .nodes_watched 2; }
ok "both processes are watched" within 60 watched
sleep 3           # rounds, and 2 s of events before
ok "an event of the time before the rule saves nothing" rule_is .fired 0

tell span 40
ok "a slow span on one node saves" within 60 rule_is .saved 1
folder=$(field /api/rules .rules[0].last_result)
manifest=$folder/manifest.json
has() { jq -e "$1" "$manifest" >/dev/null; }
ok "the folder is in the store" eval \
  '[ "${folder%/fleet-*}" = "$EVENTRING_STORE" ] && [ -e "$manifest" ]'
ok "the manifest says what fired, where and how long it took" has \
  '.rule == "step > 20ms on any node" and .fired.node == "a" and
   .fired.event == "step" and .fired.took_ns > 20000000'
ok "it has a recording of each node, and none that failed" has \
  '([.recordings[].node] | sort) == ["a", "b"] and .failed == []'
for node in a b; do
  file=$folder/$(jq -r ".recordings[] | select(.node == \"$node\") | .file" \
    "$manifest")
  # With the times of the clock of the node.
  eventring events --json "$file" | jq -c --argjson start \
    "$(eventring get "$file" process.started_ns)" '.ns += $start' >events-$node
  ok "the recording of node $node is sound" eventring check "$file"
done
slow() {
  jq -se --argjson ns "$(jq .fired.ns "$manifest")" \
    'any(.[]; .name == "step" and .duration_ns > 20000000 and .ns == $ns)' \
    events-a >/dev/null
}
ok "the slow span is in the recording of its node" slow
# The rounds of node b are 2 ms long.
around() {
  jq -se --slurpfile m "$manifest" '
    ($m[0].recordings[] | select(.node == "b")) as $w |
    [.[].ns] as $ns |
    ($ns | min) >= $w.from_ns and ($ns | max) < $w.to_ns and
    ($ns | max) - ($ns | min) > 2000000000 and
    $w.to_ns - $w.from_ns - 2 * $w.bound_ns == 2500000001 and
    $w.from_ns - $m[0].fired.ns > 35990000000000' events-b >/dev/null
}
ok "the events of the other node are those around it, by its own clock" around
ok "nothing unfinished is left" eval '! ls -A "$EVENTRING_STORE" | grep -q "^\."'

for i in 2 3; do
  sleep 1.1       # the distance of the rule
  tell span 40
  ok "it saves again" within 60 rule_is .saved $i
done
ok "the limit of 2 folders holds" \
  [ "$(ls -d "$EVENTRING_STORE"/fleet-* | wc -l)" = 2 ]
ok "the first one is gone" [ ! -e "$folder" ]
end_server
ok "the server ends" [ "$status" = 0 ]
ok "serve without a hub" serve "$tmp/empty"
ok "a rule for all nodes needs a hub" with_token_is 409 \
  -d '{"when":"step","fleet":true}' "$base/api/rules"
leave
finish
