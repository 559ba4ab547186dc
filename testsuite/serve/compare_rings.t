#!/bin/sh
# If this breaks, a comparison shows a change of a process that does the same all
# the time, since its rings reach back to different times.  Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

# steady SECONDS: each second has 200 spans in ring 0 and 10 in ring 1, where
# each of them has a minor collection.
steady() {
  awk -v seconds="$1" 'BEGIN {
    CONVFMT = OFMT = "%.0f"
    print 0, 0, "instant ring_start 1"
    print 0, 0, "instant domain_start 0 0 0"
    print 1, 1, "instant domain_start 1 0 1"
    for (i = 1; i < seconds * 200; i++) {
      t = i * 5e6
      print 0, t, "begin my.span"
      print 0, t + 1e6, "end my.span"
      if (i % 20 == 10) {
        print 1, t, "begin minor"
        print 1, t + 1e6, "end minor 0 1000 minor_heap_full 1"
      }
    }
    print 0, seconds * 1e9, "instant ring_stop 0"
  }'
}
make_ring plain
steady 4 | ./make_ring overwritten short.eventring pid=4242424 || exit 1
steady 30 | ./make_ring overwritten long.eventring pid=4242425 || exit 1
serve short.eventring long.eventring
find_process 4242424
a=$id
find_process 4242425
b=$id
within 60 field_is /api/processes '[.processes[].reading] | any' false
lost() { jq ".$1.lost_events > 0" compare.json; }
get "/api/compare?a=$a&b=$b" >compare.json
ok "a ring of the long run was overwritten" \
  [ "$(lost a) $(lost b)" = "false true" ]
# Spans that are cut by the begin, of a few seconds.
is_same() {
  jq -e ".differences[] | select(.name == \"$1\" and .measure == \"$2\") |
    .b / .a | . > 0.99 and . < 1.01" compare.json
}
ok "the rate of the spans is the same" is_same my.span rate
ok "the rate of minor collections is the same" is_same 'minor collections' rate
ok "the allocation is the same" is_same allocated rate
ok "the share of the collector is the same" is_same collector share
ok "the time compared is the time that all rings have" jq -e \
  '.b.to_ns == 30e9 and .b.from_ns > 1e9 and .b.from_ns < 29e9' compare.json

# The short run ends at 4 s.
get "/api/compare?a=$a&b=$b&a_from=10000000000" >compare.json
ok "a window behind all events has no begin and no end" jq -e \
  '.a | .from_ns == null and .to_ns == null' compare.json
ok "and nothing to compare" jq -e \
  '[.differences[] | select(.name == "my.span")] |
   length > 0 and all(.a == null)' compare.json
get "/api/compare?a=$a&b=$b&a_from=3996500000&a_to=3999000000" >compare.json
ok "a window between two events has its own begin and end" jq -e \
  '.a | .from_ns == 3996500000 and .to_ns == 3999000000' compare.json
end_server
finish
