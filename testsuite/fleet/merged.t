#!/bin/sh
# The events of processes of two nodes, merged by the clocks that the hub has
# compared: the clocks of one node are ten hours ahead.
# Waits most of the time: for agents and hubs, which look each second.
. "$(dirname "$0")/hub.sh"
ahead="unshare --time --monotonic 36000 --fork"
$ahead true 2>/dev/null || { echo "1..0 # SKIP no time namespaces"; exit 0; }
(here=$here/../serve; compile slow) || exit 1
mkdir rings-a rings-b
start_hub
token_b=$(eventring hub --store "$store" --new-token |
  sed 's/^.*eventring agent //')
# A program that takes commands from the FIFO orders-NODE and answers in
# answers-NODE, and an agent.
cat >node.sh <<'END'
OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$1/rings-$2 \
  "$1/slow" <"$1/orders-$2" >"$1/answers-$2" &
exec "$3" agent --state "$1/agent-$2" --node $2 --dir "$1/rings-$2" "$4"
END
mkfifo orders-a orders-b
sh node.sh "$tmp" a "$EVENTRING_BIN" "$join" 2>a.err &
started="$started $!"
$ahead --kill-child sh node.sh "$tmp" b "$EVENTRING_BIN" "$token_b" 2>b.err &
started="$started $!"
exec 8>orders-a 9>orders-b
within 60 [ -e answers-a ] && within 60 [ -e answers-b ]
answers_of() { wc -l <"answers-$1"; }
answered_by() { [ "$(answers_of "$1")" -gt "$before" ]; }
tell_node() { # NODE DESCRIPTOR
  before=$(answers_of "$1")
  echo "request 1" >&"$2"
  within 60 answered_by "$1"
  sleep 1         # more than the bounds of the clocks
}
for i in 1 2 3; do
  tell_node a 8
  tell_node b 9
done
pid_of() { basename "$(ls rings-"$1"/*.eventring)" .eventring; }
requests() {
  eventring events --all --json --name job --form begin --hub "$read" \
    "a/$(pid_of a)" "b/$(pid_of b)" 2>note >merged &&
    [ "$(wc -l <merged)" = 6 ] || { cat note merged; return 1; }
}
ok "the hub has the requests of both nodes" within 60 requests
clocks() {
  got 200 nodes && has '[.nodes[] | .clock.bound_ns != null and
    .time_namespace > 0] == [true, true]' &&
    has '(.nodes | sort_by(.node) | map(.clock.offset_ns)) as [$a, $b] |
      ($a - $b) / 36e12 | . > 0.999 and . < 1.001'
}
ok "the hub knows the clocks of both nodes" within 60 clocks
requests
in_turn() {
  [ "$(jq -r .node merged | tr '\n' ' ')" = "a b a b a b " ] ||
    { cat merged; return 1; }
}
ok "the events are in the order of their real times" in_turn
ok "the distances are real" eval '
  jq -se "[.[].ns] | .[-1] - .[0] | . > 5000000000 and . < 120000000000" merged \
    >/dev/null'
note_of_clocks() {
  grep -q 'the hub has compared the clocks of the nodes: events of different' note &&
    grep -Eq 'nodes that are at most [0-9.]+ .?s apart have no certain order' note ||
    { cat note; return 1; }
}
ok "a note says how exact the order is" note_of_clocks
run eventring trace --hub "$read" -o both.json "a/$(pid_of a)" "b/$(pid_of b)"
ok "trace prints the same note" eval \
  'exits 0 && grep -q "have no certain order" err'
run eventring events --hub "$read" "a/$(pid_of a)"
ok "the events of one node need no note" eval 'exits 0 && ! [ -s err ]'
finish
