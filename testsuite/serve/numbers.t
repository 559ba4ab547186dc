#!/bin/sh
# If this breaks, the page shows wrong numbers of a process: all are known here.
# Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
. "$here/../cli/ten_seconds.sh"
make_ring plain
./make_ring script ring.eventring <script || exit 1
# A process that lived for 110 ms
awk '$2 < 110000000 { print } END { print 0, 110000000, "instant ring_stop 0" }' \
  script >short
./make_ring script short.eventring pid=4242425 <short || exit 1
# Half a second with a million words of large blocks, in which two threads of a
# domain wait at the same time
printf '%s\n' "0/100 0 instant ring_start 1" "0/100 0 instant domain_start 0 0 0" \
  "0/100 100000000 begin major_slice" \
  "0/100 110000000 end major_slice major_allocation 1000000" \
  "0/100 509000000 instant mutex_wait 350000000 0" \
  "0/101 510000000 instant condition_wait 350000000 0" \
  "0/101 510000000 instant ring_stop 0" |
  ./make_ring script large.eventring pid=4242426 || exit 1
# A process of 15 s: in its first second a pause of 50 ms, then one of 1 ms each
# second
awk 'BEGIN {
  print 0, 0, "instant ring_start 1"
  for (i = 0; i < 15; i++) {
    t = i * 1000000000 + 500000000
    printf "0 %.0f begin minor\n", t
    printf "0 %.0f end minor 10 20 minor_heap_full 0\n",
      t + (i == 0 ? 50000000 : 1000000)
  }
  print "0 15000000000 instant ring_stop 0"
}' | ./make_ring script long.eventring pid=4242427 || exit 1
printf '%s\n' "0/100 0 instant ring_start 1" "0/100 0 instant domain_start 0 0 0" \
  "0/100 1000 instant thread_run 0 100" "0/100 500000000 begin minor" \
  "0/100 500001000 end minor 10 20 minor_heap_full 0" \
  "0/101 500002000 instant thread_run 1 101" \
  "0/101 2000000000 begin stw_handler" "0/101 2100000000 begin minor" \
  "0/101 2200000000 end minor 10 20 minor_heap_full 0" \
  "0/101 2250000000 end stw_handler" "0/101 2300000000 begin my.span" \
  "0/101 2300000000 instant request_run 7" \
  "0/101 2500000000 instant ring_stop 0" |
  ./make_ring script killed.eventring pid=4242429 state=1 || exit 1
# A minor collection of 40 ms by the backup thread of a domain that waits, and a stop
# of 1 ms that waited for domain 1 for 70 ms, which domain 1 wrote; then a major slice
# of 20 ms, which does not say why, around a minor collection of 1 ms and 18 ms that do,
# and one of 10 ms that has none inside; and a slice of 30 ms that is mostly a stop
printf '%s\n' "0/4242428 0 instant ring_start 1" \
  "0/4242428 0 instant domain_start 0 0 0" "0/4242428 1 instant thread_run 0 4242428" \
  "1/201 0 instant ring_start 1" "1/201 0 instant domain_start 1 0 0" \
  "1/299 100000000 begin minor" \
  "1/299 140000000 end minor 10 20 minor_heap_full 1" \
  "1/201 271000000 instant stop_the_world 1000000 0 minor_collection \
minor_heap_full 0 0 0 1 70000000 0" "0/4242428 280000000 begin major" \
  "0/4242428 280000000 begin minor" \
  "0/4242428 281000000 end minor 10 20 minor_heap_full 1" \
  "0/4242428 281000000 begin major_slice" \
  "0/4242428 299000000 end major_slice major_allocation 0" \
  "0/4242428 300000000 end major" "0/4242428 310000000 begin major" \
  "0/4242428 320000000 end major" "0/4242428 330000000 begin major_slice" \
  "0/4242428 355000000 instant stop_the_world 1000000 0 phase_change \
phase_done 0 0 0 1 20000000 0" \
  "0/4242428 360000000 end major_slice half_minor_heap 0" \
  "0/4242428 370000000 instant ring_stop 0" |
  ./make_ring script late.eventring pid=4242428 || exit 1
serve ring.eventring short.eventring large.eventring long.eventring late.eventring killed.eventring
find_process 4242424
ok "the events are read" within 60 read_all 4242424

numbers() { process 4242424 "[$1] | tostring"; }
# is VIEW FIELDS VALUES
is() { [ "$("$1" "$2")" = "$3" ] || { "$1" "$2"; false; }; }
ok "time in the collector, of that of two domains" is numbers \
  .gc_share,.utilisation_share '[0.077,1]'
ok "allocation and events of the last second" is numbers \
  .alloc_bytes_per_s,.events_per_s '[300000000,708]'
ok "pauses of ten seconds" is numbers .pauses_per_s,.p50_ns,.p99_ns,.max_ns \
  '[200.1,1003520,1003520,4000000]'
ok "heap and memory" is numbers .heap_bytes,.resident_bytes '[33554432,524288]'
has_verdict() { numbers .verdict | grep -q 'active time in the collector'; }
ok "the verdict of diagnose" within 60 has_verdict
ok "nothing is lost" is numbers .lost_events,.reading '[0,false]'

detail() { field "/api/processes/$id/detail" "[$1] | tostring"; }
ok "the domains" is detail '.domains[] | .id, .gc_share, .alloc_bytes_per_s,
  .minor_per_s, .last_pause_ns, .max_pause_ns' \
  '[0,0.104,200000000,100,1000000,4000000,1,0.05,100000000,100,500000,500000]'
ok "a span of the program" is detail \
  '.spans[] | .name, .per_s, .share, .mean_ns, .max_ns' \
  '["my.span",100,0.3,3000000,3000000]'
ok "the longest pause" is detail '.long_pauses[0] | .duration_ns, .domain, .name' \
  '[4000000,0,"stop_the_world"]'

column() { field "/api/processes/$id/history?tier=1s" "$1 | unique | tostring"; }
for known in '.running[:9] [0.925]' '.collecting[:9] [0.075]' '.waiting [0]' \
    '.alloc_bytes_per_s [300000000]' '.promoted_bytes_per_s [800000]' \
    '.pauses [200,201]' '.events [700,703,707]' '.max_ns [1000000,4000000]' \
    '.domains["0"].collecting[:9] [0.1]' '[.domains_left_out] [0]' '.spans["my.span"].per_s [100]' \
    '.spans["my.span"].mean_ns [3000000]'; do
  ok "history: ${known% *}" is column "${known% *}" "${known##* }"
done

find_process 4242425
ok "a short process is read" within 60 read_all 4242425
short() { process 4242425 "[$1] | tostring"; }
ok "a short process: rates are of the time in which it lived" is short \
  '.alloc_bytes_per_s,.pauses_per_s|round' '[300000000,200]'
ok "a short process: so are those of domains" is detail \
  '.domains[] | .minor_per_s | round' '[100,100]'
ok "a short process: so are those of spans" is detail \
  '.spans[] | .per_s, .share | . * 1000 | round' '[100000,300]'

find_process 4242426
ok "a process with large blocks is read" within 60 read_all 4242426
ok "large blocks count" [ \
  "$(process 4242426 '.alloc_bytes_per_s * 0.51 / 1e4 | round')" = 800 ]
ok "waits of two threads at a time are not added in their domain" is detail \
  '.domains[] | .wait_share' '[1]'

find_process 4242427
ok "a process of 15 s is read" within 60 read_all 4242427
long() { process 4242427 "[$1] | tostring"; }
ok "a pause of more than 10 s ago is not among those of 10 s" is long \
  .max_ns,.p99_ns '[1000000,1000000]'

# A process that was killed: its thread 100 was last seen when it gave the domain lock to
# thread 101, two seconds before.
find_process 4242429
threads() { field_is "/api/processes/$id/detail" \
  '[.threads[] | select(.id < 102) |
    [.id, .activity, .wait_share, .gc_share]] | tostring' "$1"; }
ok "a thread without the domain lock waited at the end; time in stops is the collector's" \
  within 60 threads '[[100,"waiting",1,0],[101,"my.span",0,0.25]]'
ok "its open spans and its request" field_is \
  "/api/processes/$id/detail" '[.threads[] | select(.id == 101) | .spans, .request] | tostring' \
  '[["my.span"],{"number":7,"name":null}]'
find_process 4242427

events() { field "/api/processes/$id/events?filter=minor+form=end&$1" \
  '[(.events | map(.ns / 1000000)), .more] | tostring'; }
ok "the first events of a window" is events "limit=2&from=4000000000" '[[4501,5501],true]'
ok "and the latest ones" is events "limit=2&from=4000000000&order=latest" \
  '[[13501,14501],true]'
ok "all of them, if they are not more" is events \
  "limit=2&from=4000000000&to=6000000000&order=latest" '[[4501,5501],false]'
ok "events have the units of their fields" field_is \
  "/api/processes/$id/events?filter=minor+form=end&limit=2" '.units | map(.promoted, .cause) | tostring' '["words","cause"]'
ok "a window has its own long pauses" field_is \
  "/api/processes/$id/stat?from=2000000000&to=5000000000" \
  '.long_pauses | map([.end_ns, .duration_ns, .cause]) | tostring' \
  '[[4501000000,1000000,"minor_heap_full"],[3501000000,1000000,"minor_heap_full"],[2501000000,1000000,"minor_heap_full"]]'

find_process 4242428
ok "a process with a late domain is read" within 60 read_all 4242428
ok "the pause is of the domain that asked for the stop; a wait is none" is detail \
  '.long_pauses[] | select(.name == "stop_the_world") |
    .duration_ns, .domain, .domains, .requested_by, .cause' \
  '[71000000,0,2,0,"minor_collection, minor_heap_full, waited for domain 1"]'
ok "a slice that is mostly a stop says for what it waited" is detail \
  '.long_pauses[] | select(.name == "major_slice") |
    .duration_ns, .domain, .domains, .requested_by, .arrived_last, .cause' \
  '[30000000,0,1,0,1,"half_minor_heap, waited for domain 1"]'
ok "the domain that arrived last is told, and of a collection none" is detail \
  '.long_pauses | map(.arrived_last) | unique' '[[null,1]]'
ok "a collection that does not say why has the cause of the longest inside of it" is \
  detail '.long_pauses[] | select(.name == "major") |
    .duration_ns, .requested_by, .cause' '[10000000,null,null,20000000,null,"major_allocation"]'
ok "so is the longest pause of each domain" is detail \
  '.domains[] | .id, .max_pause_ns' '[0,71000000,1,0]'
end_server
# Both domains stop fast; the one that did not ask for the stop is in it for longest, and
# its collection is short.
printf '%s\n' "0/4242430 0 instant ring_start 1" "0/4242430 0 instant domain_start 0 0 0" \
  "0/4242430 1 instant thread_run 0 4242430" \
  "1/201 0 instant ring_start 1" "1/201 0 instant domain_start 1 0 0" \
  "1/201 1 instant thread_run 1 201" "1/201 1600000 begin minor" "1/201 1700000 end minor 10 20 minor_heap_full 0" \
  "0/4242430 5000000 begin minor" "0/4242430 5400000 end minor 10 20 minor_heap_full 0" \
  "0/4242430 6000000 instant stop_the_world 4300000 0 minor_collection \
minor_heap_full 0 100000 0 1 0 0" "0/4242430 9000000 instant ring_stop 0" |
  ./make_ring script stop.eventring pid=4242430 || exit 1
serve stop.eventring
find_process 4242430
within 60 read_all 4242430
ok "a stop that is longer than its collections is a pause of its own length" is \
  detail '.long_pauses[] | .duration_ns, .domain, .domains, .name' '[4400000,1,2,"stop_the_world"]'
ok "the threads spent the stop in the collector, and no part of it twice" is detail \
  '.threads[] | select(.gc_share > 0) | .id, (.gc_share * 1e3 | round)' \
  '[4242430,478,201,489]'
ok "the longest of the long pauses is the longest pause of the statistics" field_is \
  "/api/processes/$id/stat" \
  '[.total.pauses.any.max_ns, (.long_pauses | map(.duration_ns) | max)] | tostring' \
  '[4400000,4400000]'
ok "each domain that it lists stands still in the timeline" field_is \
  "/api/processes/$id/timeline" '.names as $n | [.stops[] | .domain as $d | .spans[] |
    [$d, .[0], .[1], $n[.[2]]]] | tostring' \
  '[[0,1700000,6000000,"stop_the_world"],[1,1600000,6000000,"stop_the_world"]]'
ok "also in a window that cuts it off" field_is "/api/processes/$id/stat?from=0&to=4000000" \
  '[.total.pauses.any.max_ns, (.long_pauses | map(.duration_ns) | max)] | tostring' \
  '[2400000,2400000]'
end_server
# Collections of both domains for one request of domain 0; their stop was not recorded.
# Then two stops after which domain 0 goes on last, by far; in the second it collects.
printf '%s\n' "0/4242431 0 instant ring_start 1" "0/4242431 0 instant domain_start 0 0 0" \
  "1/201 0 instant ring_start 1" "1/201 0 instant domain_start 1 0 0" \
  "0/4242431 999000000 begin minor" "0/4242431 999900000 end minor 10 20 minor_heap_full 0" \
  "1/201 999500000 begin minor" "1/201 1000600000 end minor 10 20 minor_heap_full 0" \
  "0/4242431 1500000000 instant stop_the_world 5000000 1 phase_change phase_done \
0 0 0 1 10000 4600000" "0/4242431 1605050000 begin minor" \
  "0/4242431 1609950000 end minor 10 20 minor_heap_full 0" \
  "0/4242431 1610000000 instant stop_the_world 5000000 0 minor_collection minor_heap_full \
0 0 0 1 10000 4600000" |
  ./make_ring script united.eventring pid=4242431 || exit 1
serve united.eventring
find_process 4242431
within 60 read_all 4242431
ok "collections of several domains for one request are one pause" is detail \
  '.long_pauses[] | select(.name == "minor") |
    .duration_ns, .domain, .domains, .requested_by' '[1100000,1,2,0]'
ok "a domain that goes on long after another one is told, not one that collects" is detail \
  '.long_pauses[] | select(.name == "stop_the_world") | .duration_ns, .domain, .cause' \
  '[5010000,0,"minor_collection, minor_heap_full",5010000,0,"phase_change, phase_done, domain 0 went on late"]'
end_server
finish
