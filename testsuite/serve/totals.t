#!/bin/sh
# If this breaks, the numbers of all that the server has read are those of the
# rest that the rings still have, or a page says that a time is shown of which the
# events were overwritten.  Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
make_ring plain
sleep 1000 &
alive=$!
started="$started $alive"
now=$(awk '{ printf "%.0f", ($1 - 100) * 1e9 }' /proc/uptime)
grow ring.eventring monotonic="$now"
cat >&7 <<'L'
1 1000000000 instant domain_start 1 0 1
1 2000000000 begin my.span
1 2500000000 end my.span
0 3000000000 counter queue 0
L
within 60 test -s ring.eventring
serve ring.eventring
find_process "$alive"
ok "the first events are read" within 60 eval \
  'read_all "$alive" && field_is "/api/processes/$id/detail" \
    ".counters | map(.value) | tostring" "[0]"'

# Step N: ten seconds after the one before, 500 spans, 100 requests, of which number
# N * 100 + 50 takes 200 - N us, and a pause of 20 - N ms.  A ring has room for some steps.
step() {
  awk -v n="$1" 'BEGIN {
    CONVFMT = OFMT = "%.0f"
    t = n * 10e9
    for (i = 0; i < 500; i++) {
      print 0, t + i * 1e6, "begin my.span"
      print 0, t + i * 1e6 + 500000, "end my.span"
    }
    for (i = 0; i < 100; i++) {
      print 0, t + 1e9 + i * 1e6, "begin order", n * 100 + i
      if (i == 50) {
        print 0, t + 1e9 + i * 1e6, "instant request_run", n * 100 + i
        print 0, t + 1e9 + i * 1e6 + 100000, "instant blocking_section 90000"
      }
      print 0, t + 1e9 + i * 1e6 + (i == 50 ? 200 - n : 1) * 1000, "end order", n * 100 + i
    }
    print 0, t + 2e9, "begin minor"
    print 0, t + 2e9 + (20 - n) * 1e6, "end minor"
    print 0, t + 3e9, "counter queue", n
  }' >&7
  within 60 field_is "/api/processes/$id/detail" \
    '.counters | map(.value) | tostring' "[$1]"
}
for n in 1 2 3 4 5 6 7 8 9; do step $n || { ok "step $n is read" false; break; }; done

get "/api/processes/$id/stat" >all.json
get "/api/processes/$id/stat?from=0&to=99000000000" >rings.json
get "/api/processes/$id/kept" >kept.json
is() { [ "$(jq -c "$2" "$1")" = "$3" ] || { jq -c "$2" "$1"; false; }; }
counts='[(.spans, .requests)[] | [.name, .count]]'
ok "all spans and requests that were read count" is all.json "$counts" \
  '[["minor",9],["my.span",4501],["order",900]]'
ok "none was lost before the server had read it" process_is "$alive" \
  .lost_events 0
begins='.process.started_ns as $s | [.all_read, (.domains[] |
  [.id, .begin_lost, .watched_from_ns - $s])] | tostring'
ok "each domain is covered from its first event on" is all.json "$begins" \
  '"[true,[0,false,0],[1,false,1000000000]]"'
ok "a window has what the rings still have" jq -e '.all_read == false and
  ([.requests[].count] | add > 100 and add < 900)' rings.json
ok "and says from when on each domain is covered" jq -e '
  .process.started_ns as $s | .domains |
  .[0].begin_lost and .[0].watched_from_ns - $s > 10e9
  and (.[1].begin_lost | not) and .[1].watched_from_ns - $s == 1e9' rings.json
pauses='[.long_pauses[] | [.end_ns, .duration_ns] | map(. / 1e6)]'
ok "a window has the pauses, too, of which the rings have no events" \
  is rings.json "$pauses" \
  "$(jq -nc '[range(9; 0; -1) | [10000 * . + 2020 - ., 20 - .]]')"
ok "and no other pauses than its own" field_is \
  "/api/processes/$id/stat?from=15000000000&to=32018000000" "$pauses | tostring" \
  '[[32017,17],[22018,18]]'
requests="/api/processes/$id/requests"
slow='[.requests[] | select(.number % 100 == 50) | .number] | tostring'
ok "the slowest requests are listed, too" field_is "$requests?limit=9" "$slow" \
  '[150,250,350,450,550,650,750,850,950]'
ok "with a mark, if the ring has no events of them" field_is "$requests?limit=9" \
  '[.requests[0, 8] | .overwritten] | tostring' '[true,false]'
ok "of a window only its own" field_is \
  "$requests?from=15000000000&to=32000000000&limit=2" "$slow" '[250,350]'
ok "and one alone, of which no run is known" field_is "$requests?request=150" \
  '[(.requests[] | .duration_ns, .overwritten, .waits[0].total_ns), (.runs | length)] |
    tostring' '[199000,true,90000,0]'
first() { jq -c "[.rings[] | select(.domain == $1)][0]" kept.json; }
ok "kept: the ring that was not overwritten" [ "$(first 1)" = \
  '{"domain":1,"from_ns":1000000000,"begin_lost":false,"samples":false}' ]
oldest=$(field "/api/processes/$id/events?filter=domain%3D0&limit=2" \
  '[.events[] | select(.form != "lost")][0].ns')
ok "kept: the oldest event of the other ring" [ "$(first 0)" = \
  "{\"domain\":0,\"from_ns\":$oldest,\"begin_lost\":true,\"samples\":false}" ]

# A recording of the same rings tells the same.
post "/api/processes/$id/save" '{"seconds": 10000}' >saved.json
ok "saving says from when on all events were there" [ "$(jq .complete_from_ns saved.json)" = \
  "$oldest" ]
complete_from() {
  command curl -s -m 60 -D - -o /dev/null -H "Authorization: Bearer $token" \
    "$base/api/processes/$id/$1" | tr -d '\r' | sed -n 's/^eventring-complete-from: //Ip'
}
ok "a download of a window says so, too" [ \
  "$(complete_from 'recording?from=0&to=90000000000')" = "$oldest" ]
ok "and a trace" [ "$(complete_from 'trace?from=0&to=90000000000')" = "$oldest" ]
ok "not if the rings have all of the window" [ \
  -z "$(complete_from "recording?from=$oldest&to=90000000000")" ]
saved=$(field /api/saved '.saved[0].id')
ok "the recording is read" within 60 field_is "/api/processes/$saved/kept" \
  '[.rings[] | [.domain, .begin_lost]] | tostring' '[[0,true],[1,false]]'
ok "kept: a recording begins like the rings" field_is \
  "/api/processes/$saved/kept" '.rings[0].from_ns' "$oldest"
ok "a range that all rings have is complete" [ \
  "$(post "/api/processes/$id/save" "{\"from_ns\":$oldest,\"to_ns\":90000000000}" |
    jq -c .complete_from_ns)" = null ]
exec 7>&-
end_server
finish
