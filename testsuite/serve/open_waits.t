#!/bin/sh
# If this breaks, a thread that sleeps is missing in the timeline, or counts as
# running, until the event at the end of its wait.
. "$(dirname "$0")/tap.sh"
here=$EVENTRING_TOP/testsuite/cli
compile idle threads.cmxa
here=$EVENTRING_TOP/testsuite/serve
mkdir -p "$tmp/rings"
cd "$tmp" || exit 1
serve "$tmp/rings"
start idle nothing 600
find_process "$pid"
ok "the events are read" within 60 read_all "$pid"

last_second() { # RESOURCE FILTER
  now=$(process "$pid" .now_ns)
  field "/api/processes/$id/$1?from=$((now - 1000000000))&to=$now" "$2"
}
is_drawn() {
  [ "$(last_second timeline '. as $t | [.lanes[] | .spans[] |
    [.[0] == $t.from, .[1] == $t.to, $t.names[.[2]]]] | tostring')" = \
    '[[true,true,"unfinished wait"]]' ]
}
ok "a wait that goes on is in the timeline" within 60 is_drawn
counts() {
  [ "$(last_second stat '.domains | map([.id, .watched_ns, .waiting_ns]) |
    tostring')" = '[[0,1000000000,1000000000]]' ]
}
ok "and in the statistics of a window" within 60 counts
has_ended() { [ "$(process "$pid" .state)" != running ]; }
row_waits() {
  field "/api/processes/$id/history?tier=1s" '[.running[-1], .waiting[-1]] |
    tostring' | grep -qxF '[0,1]'
}
ok "and in the history" within 60 row_waits
is_kind() {
  field "/api/processes/$id/history?tier=1s" '.waits["unfinished wait"][-1]' |
    grep -qxF 1
}
ok "and among the waits of the history" within 60 is_kind
in_tick() {
  get "/api/stream?process=$id" -N -m 3 |
    sed -n '/^event: tick/{n;s/^data: //p;q;}' |
    jq -e '.waits["unfinished wait"] == 1'
}
ok "and of the rows of the stream" within 60 in_tick
is_share() {
  field "/api/processes/$id/detail" '.domains | map(.wait_share) | tostring' |
    grep -qxF '[1]'
}
ok "and in the share of the domain" within 60 is_share
kill -9 "$pid"
ok "the program is killed" within 60 has_ended
ok "the wait that went on is among those of the history still" is_kind
end_server
finish
