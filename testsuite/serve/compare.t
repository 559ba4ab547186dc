#!/bin/sh
# If this breaks, a difference between two runs is shown that is not there, or
# one that is there is not shown.
. "$(dirname "$0")/tap.sh"
. "$here/slow.sh"
cd "$tmp" || exit 1
mkdir rings
serve "$tmp/rings"

# Two runs: the second one has slow collections and requests.
begin
tell work 500
leave
find_process "$pid"
a=$id
a_ring=$ring
begin
tell work 500
for i in 1 2 3; do
  tell minor 3000000
  tell request 10
done
leave
find_process "$pid"
b=$id
b_ring=$ring
within 60 field_is /api/processes '[.processes[].reading] | any' false
get "/api/compare?a=$a&b=$b" >compare.json
eventring stat --json "$a_ring" >a.json
eventring stat --json "$b_ring" >b.json

# row GROUP NAME MEASURE SIDE: the number
row() {
  jq ".differences[] | select(.group == \"$1\" and .name == \"$2\"
    and .measure == \"$3\") | .$4" compare.json
}
# same TITLE GROUP NAME MEASURE JQ: both numbers are what JQ finds in stat
same() {
  for side in a b; do
    found=$(row "$2" "$3" "$4" $side)
    wanted=$(jq "$5" $side.json)
    ok "$1, run $side: $found" [ "$(jq -n \
      "if $found == null or $wanted == null then $found == $wanted
       else ($found - $wanted | fabs) <= 1e-5 * ($wanted | fabs) end")" = true ]
  done
}
seconds='([.domains[].watched_ns] | max / 1e9)'
same "share of the collector" total collector share \
  '.total.gc_ns / .total.watched_ns'
same "minor collections a second" total 'minor collections' rate \
  ".total.minor_collections / $seconds"
same "bytes allocated a second" total allocated rate \
  "(.total | .allocated_words + .major_allocated_words - .promoted_words) * 8
     / $seconds"
same "bytes promoted a second" total promoted rate \
  ".total.promoted_words * 8 / $seconds"
for measure in p50 p90 p99 max; do
  same "pauses, $measure" pauses any $measure \
    "if .total.pauses.any.count == 0 then null else .total.pauses.any.${measure}_ns end"
done
same "rate of a span" spans step rate \
  "(.spans[] | select(.name == \"step\") | .count) / $seconds"
same "mean of a span" spans step mean \
  '.spans[] | select(.name == "step") | .total_ns / .count'
same "p99 of a span" spans step p99 \
  '.spans[] | select(.name == "step") | .p99_ns'
same "a cause" causes 'minor: gc_minor' rate \
  "(.causes.minor.gc_minor // 0) / $seconds"
ok "a request that only one run has is compared with nothing" eval \
  '[ "$(row requests job rate a)" = 0 ] && [ "$(row requests job mean a)" = null ] &&
   [ "$(row requests job mean b)" != null ]'
ok "the larger share of the collector is in the second run" \
  [ "$(jq -n "$(row total collector share b) > $(row total collector share a)")" = true ]
get "/api/compare?a=$a&b=$a" >compare.json
# Each reading measures the clock again, to the present: sums differ by a nanosecond.
ok "a run does not differ from itself" [ "$(jq '[.differences[] | .a == .b or
    (.a - .b | fabs) <= 1e-5 * (.b | fabs)] | all' compare.json)" = true ]

# A window, and a saved recording
from=$(jq '.first_ns' b.json)
started=$(jq '.process.started_ns' b.json)
to=$((from - started + 300000000))
get "/api/compare?a=$b&b=$b&a_to=$to&b_from=$to" >compare.json
ok "the slow collections are in the second window only" eval \
  '[ "$(row causes "minor: gc_minor" rate a)" = 0 ] &&
   [ "$(jq -n "$(row causes "minor: gc_minor" rate b) > 0")" = true ]'
post "/api/processes/$b/save" '{"seconds":3600}' >saved.json
saved=$(get /api/saved | jq -r '.saved[0].id')
get "/api/compare?a=$saved&b=$b" >compare.json
ok "a saved recording has the rates of its process" eval '
  [ "$(jq -n "$(row total "minor collections" rate a) / $(
    row total "minor collections" rate b) | . > 0.95 and . < 1.05")" = true ]'
ok "both sides are described" [ "$(jq -r '.a.format, .b.format' compare.json |
  tr '\n' ' ')" = 'recording ring ' ]

# Bad requests
for query in "" "?a=$a" "?b=$b" "?a=x&b=$b" "?a=$a&b=$b&from=1" \
    "?a=$a&b=$b&a_from=2&a_to=1" "?a=$a&b=$b&b_from=2&b_to=1" "?a=$a&a=$a&b=$b"; do
  ok "refused: '$query'" with_token_is 400 "$base/api/compare$query"
done
ok "an id of nothing is not found" \
  with_token_is 404 "$base/api/compare?a=$a&b=0123456789abcdef"
end_server
finish
