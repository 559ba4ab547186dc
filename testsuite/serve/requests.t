#!/bin/sh
# If this breaks, the page does not find the slowest request of a time, or shows work
# that was not its.  Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
make_ring plain

# In each ms a request of 100 us plus its number in us, in two threads by turns.
# Request 50 begins before the others and ends last; it works three times.  Request 51 does
# not end, and is worked on to the end; request 52 until its domain ends.  In request 50,
# thread 103 waits from before its run, 105 twice; 104 waits after its run.  105
# collects in its run, with a span inside, 103 after it; 101 from before its run
# for request 39, and 106, which had none before, for request 53.  While 106 works on
# request 54, the slice that it began long before has no end: what follows is in it, until
# another slice begins, which has one inside.  Domain 0 arrives first at a stop in request 55, in which it
# collects, too; in request 56 it waits meanwhile, at last for the lock of the domain.
awk 'BEGIN {
  CONVFMT = OFMT = "%.0f"
  us = 1000
  print "0/100", 0, "instant ring_start 1"
  print "0/100", 0, "instant domain_start 0 0 0"
  print "0/100", us, "instant thread_run 0"
  print "0/100", 10 * us, "begin order 50"
  for (k = 1; k <= 40; k++) {
    t = k * 1000
    thread = "0/" (k % 2 ? 101 : 102)
    print thread, t * us, "begin order", k
    print thread, t * us + 1, "instant request_run", k
    print thread, (t + 100 + k) * us, "end order", k
  }
  for (k = 1; k <= 3; k++) {
    print "0/" (102 + k), k * 10000 * us + 500 * us, "instant request_run 50"
    print "0/" (102 + k), k * 10000 * us + (500 + 10 * k) * us, "instant request_run 0"
  }
  print "0/103", 10505 * us, "instant mutex_wait", 20 * us, 0, 4096, 102
  print "0/105", 30520 * us, "instant condition_wait", 10 * us, 0, 8192
  print "0/105", 30525 * us, "instant mutex_wait", 3 * us, 0, 4096, 102
  print "0/104", 40000 * us, "instant mutex_wait", 3 * us, 0, 4096, 102
  print "0/101", 39050 * us, "instant blocking_section", 1 * us
  print "0/101", 39051 * us, "instant semaphore_wait", 2 * us
  print "0/101", 39052 * us, "instant thread_yield", 3 * us
  print "0/101", 39053 * us, "instant mutex_wait", 4 * us, 0, 4096, 102
  print "0/101", 39054 * us, "instant condition_wait", 5 * us, 0, 8192
  print "0/101", 39055 * us, "instant thread_yield", 6 * us
  print "0/103", 10600 * us, "begin minor"
  print "0/103", 10700 * us, "end minor"
  print "0/105", 30505 * us, "begin major_slice"
  print "0/105", 30506 * us, "begin major_mark_roots"
  print "0/105", 30508 * us, "end major_mark_roots"
  print "0/105", 30510 * us, "end major_slice"
  print "0/101", 38900 * us, "begin minor"
  print "0/101", 39020 * us, "end minor"
  print "0/106", 41000 * us, "begin order 53"
  print "0/106", 41001 * us, "begin minor"
  print "0/106", 41010 * us, "instant request_run 53"
  print "0/106", 41050 * us, "end minor"
  print "0/106", 41100 * us, "end order 53"
  print "0/106", 47000 * us, "begin major_slice"
  late = 11000000
  print "0/106", (late + 47100) * us, "begin order 54"
  print "0/106", (late + 47100) * us, "instant request_run 54"
  print "0/106", (late + 47110) * us, "begin minor"
  print "0/106", (late + 47115) * us, "end minor"
  print "0/106", (late + 47120) * us, "begin major_slice"
  print "0/106", (late + 47122) * us, "begin major_slice"
  print "0/106", (late + 47124) * us, "end major_slice"
  print "0/106", (late + 47130) * us, "end major_slice"
  print "0/106", (late + 47140) * us, "begin stw_handler"
  print "0/106", (late + 47143) * us, "begin minor"
  print "0/106", (late + 47145) * us, "end minor"
  print "0/106", (late + 47147) * us, "end stw_handler"
  print "0/106", (late + 47170) * us, "end order 54"
  print "0/106", 48000 * us, "begin order 55"
  print "0/106", 48000 * us, "instant request_run 55"
  print "0/106", 48040 * us, "begin minor"
  print "0/106", 48050 * us, "end minor"
  print "0/106", 48090 * us, "instant stop_the_world", 40 * us, 0, 0, 0, 0, 0, 0, 1,
        20 * us, 0
  print "0/106", 48100 * us, "end order 55"
  print "0/106", 46200 * us, "begin order 56"
  print "0/106", 46200 * us, "instant request_run 56"
  print "1/201", 46270 * us, "instant stop_the_world", 30 * us, 1, 0, 0, 0, 0, 0, 1, 0, 0
  print "0/106", 46280 * us, "instant blocking_section", 60 * us, 20 * us
  print "0/106", 46300 * us, "end order 56"
  print "0/103", 45000 * us, "end order 50"
  print "1/201", 45500 * us, "instant ring_start 1"
  print "1/201", 45500 * us, "instant domain_start 1 0 1"
  print "1/201", 45900 * us, "begin order 52"
  print "1/201", 45900 * us, "instant request_run 52"
  print "1/201", 47000 * us, "instant domain_terminate 1 0 1"
  print "0/102", 46000 * us, "begin order 51"
  print "0/102", 46000 * us, "instant request_run 51"
  print "0/100", (late + 50000) * us, "instant ring_stop 0"
}' | sort -s -k 2,2n | ./make_ring script ring.eventring pid=4242427 || exit 1
serve ring.eventring
find_process 4242427
ok "the events are read" within 60 read_all 4242427
requests="/api/processes/$id/requests"
ok "the slowest comes first" field_is "$requests?limit=3" \
  '[.requests[].number] | tostring' '[50,40,39]'
ok "with its name, its times, and how long threads worked on it" field_is \
  "$requests?limit=1" '.requests[0] | [.name, .from, .to, .duration_ns, .running_ns,
   .waiting_ns] | tostring' \
  '["order",10000,45000000,44990000,60000,44930000]'
ok "with the waits of these threads, from the begins of their runs on" field_is \
  "$requests?limit=1" '.requests[0] | [(.waits[] | .name, .count, .total_ns)] | tostring' \
  '["mutex_wait",2,8000,"condition_wait",1,10000]'
ok "with their time in the collector, of the runs only" field_is "$requests?limit=3" \
  '[.requests[].collector_ns] | tostring' '[5000,0,19999]'
ok "also of collections that began before the run, and in stops" field_is \
  "$requests?limit=100" '[.requests[] | select(.number == (53, 54)) | .collector_ns] |
    tostring' '[40000,17000]'
ok "also of stops, but not of one while they wait" field_is "$requests?limit=100" \
  '[.requests[] | select(.number == (55, 56)) | .collector_ns, (.waits[] | .total_ns)] |
    tostring' '[60000,0,40000,20000]'
ok "waits of more than four kinds are others" field_is "$requests?request=39" \
  '.requests[0] | [(.waits[] | .name, .count, .total_ns)] | tostring' \
  '["blocking_section",1,1000,"semaphore_wait",1,2000,"thread_yield",2,9000,"mutex_wait",1,4000,null,null,5000]'
ok "statistics of a window have those that began before it, too" field_is \
  "/api/processes/$id/stat?from=30500000&to=45500000" \
  '[.requests[] | .count, .max_ns, .not_finished] | tostring' '[12,44990000,0]'
ok "and not those that ended before it" field_is \
  "/api/processes/$id/stat?from=45500000&to=46000000" '[.requests[] | .count] | tostring' \
  '[0]'
ok "only those that end in the window" field_is \
  "$requests?from=10000000&to=20000000&limit=2" \
  '[.requests[] | [.number, .duration_ns]] | tostring' '[[19,119000],[18,118000]]'
ok "a distribution of each kind" field_is "$requests" \
  '[.kinds[] | [.name, .count, .max_ns, ([.buckets[].count] | add)]] | tostring' \
  '[["order",45,44990000,45]]'
ok "one alone, with its runs in all threads" field_is "$requests?request=50" \
  '[(.requests | length), (.runs[] | [.thread, .from, .to])] | tostring' \
  '[1,[103,10500000,10510000],[104,20500000,20520000],[105,30500000,30530000]]'
ok "of many there are no runs" field_is "$requests" '.runs | length' 0
ok "those without an end, the longest first, until the last event, and who has them" \
  field_is "$requests" '[.open[] | [.number, .from, .to, .duration_ns, .running_ns,
    .waiting_ns, .thread]] | tostring' \
  '[[52,45900000,11050000000,11004100000,1100000,11003000000,null],[51,46000000,11050000000,11004000000,11004000000,0,102]]'
ok "one of them alone, with its run until there" field_is "$requests?request=51" \
  '[(.requests | length), (.open[] | .number), (.runs[] | [.thread, .from, .to])] |
    tostring' '[0,51,[102,46000000,11050000000]]'
ok "also in an earlier window, if they had begun" field_is \
  "$requests?from=10000000&to=46000000" '[.open[].number] | tostring' '[52]'
ok "request=0 is refused" with_token_is 400 "$base$requests?request=0"
ok "a request that there is not" field_is "$requests?request=77" \
  '.requests | length' 0
ok "a request that goes on at the end is in the timeline until there" field_is \
  "/api/processes/$id/timeline?from=40000000&to=50000000&width=1000" \
  '[.lanes[] | select(.thread == 102) | .spans[] | select(.[4] == 4) | .[:2]][-1:] | tostring' \
  '[[46000000,50000000]]'
ok "on a domain that ends, until then" field_is \
  "/api/processes/$id/timeline?from=40000000&to=50000000&width=1000" \
  '[.lanes[] | select(.thread == 201) | .spans[] | select(.[4] == 4) | .[:2]] | tostring' \
  '[[45900000,47000000]]'
end_server
finish
