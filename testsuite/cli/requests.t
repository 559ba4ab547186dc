#!/bin/sh
# Requests in stat, latency, events, trace and check: threads that take turns,
# that work at a time, a request that goes on or began too early, and a gap.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

# of_requests PROGRAM: runs the jq PROGRAM on the first kind of request
of_requests() { jq -e ".requests[0] | $1" out; }

make_ring requests
run eventring stat requests.eventring
ok "stat: total, running, waiting, and what is not finished" \
  prints requests.expected
run eventring stat --json requests.eventring
ok "stat --json: the totals" of_requests \
  '.name == "order" and .count == 3 and .total_ns == 15300'
ok "stat --json: running adds up over threads" of_requests \
  '.running | .count == 3 and .total_ns == 10400 and .max_ns == 5000'
ok "stat --json: waiting is when no thread works" of_requests \
  '.waiting | .count == 3 and .total_ns == 5900 and .max_ns == 4000'
ok "stat --json: a request is not finished" of_requests '.not_finished == 1'

run eventring latency --span=order requests.eventring
ok "latency: a kind of request is named as a span is" \
  prints requests.latency.expected
run eventring latency --json --span=order requests.eventring
ok "latency --json: running and waiting" jq -e '.distributions[0]
  | .total_ns == 15300 and .running.total_ns == 10400
    and .waiting.total_ns == 5900' out

run eventring events requests.eventring
ok "events: the begin has the number" out_has '  begin     order  5$'
ok "events: so has the run" out_has '  instant   request_run  request=5$'
run eventring check requests.eventring
ok "check: requests that go on are no damage" exits 0

run eventring trace -o - requests.eventring
ok "trace: a begin and an end for each request that is known" jq -es '
  [.[].traceEvents[] | select(.ph == "b" or .ph == "e") | .ph + .id[-1:]]
  | sort == ["b1", "b2", "b3", "b5", "e1", "e2", "e5"]' out
ok "trace: the runs, in microseconds, with the number of the request" jq -es '
  [.[].traceEvents[] | select(.ph == "X" and .name == "order")
   | [.args.id, .ts, .dur]] | sort
  == [[1, 2, 3], [1, 6, 2], [2, 3, 4], [2, 5, 1], [3, 1.3, 4.7], [5, 9, 0.5]]
  ' out
ok "trace: also of a request whose begin is not known" jq -es '
  [.[].traceEvents[] | select(.ph == "X" and .name == "request_run")
   | [.args.request, .ts, .dur]] == [[4, 7, 1]]' out

# The numbers of two requests share a place in the table: the later one is
# kept.
printf '%s\n' "0 0 instant ring_start 1" "0 1000 begin order 1" \
  "0 2000 begin order 65537" "0 3000 end order 65537" \
  "0 4000 instant ring_stop 0" | ./make_ring script place.eventring || exit 1
run eventring stat --json place.eventring
ok "a request that lost its place to another is not counted as open" \
  of_requests '.count == 1 and .not_finished == 0'

# Two threads of a domain, with a request each.  Only the category thread tells that
# the first works on while the second one does.
two_threads() {
  printf '%s\n' "0/100 0 instant domain_start 0 0 0" "$@" \
    "0/100 1000 begin order 1" "0/100 1000 instant request_run 1" \
    "0/101 2000 begin order 2" "0/101 2000 instant request_run 2" \
    "0/101 10000 end order 2" "0/100 11000 end order 1" \
    "0/100 12000 instant ring_stop 0" | ./make_ring script two.eventring || exit 1
  run eventring stat --json two.eventring
}
two_threads "0/100 500 instant thread_run 0"
ok "threads of one domain work at the same time" of_requests \
  '.running.total_ns == 18000 and .waiting.total_ns == 0'
two_threads
ok "without the category thread, one works at a time" of_requests \
  '.running.total_ns == 9000 and .waiting.total_ns == 9000'

make_ring gap
run eventring stat --json gap.eventring
ok "a gap: the totals are known" of_requests '.count == 3 and .total_ns == 5000'
ok "a gap: a request from before it may have ended in it" of_requests \
  '.not_finished == 0'
ok "a gap: the runs that it cut are not counted" of_requests \
  '.running.total_ns == 800 and .running.count == 1
   and .waiting.total_ns == 200'
run eventring stat gap.eventring
ok "a gap: stat says so" out_has '^  2 with runs that were not recorded$'

make_ring hostile
run eventring stat --json hostile.eventring
ok "a file without requests has none" jq -e '.requests == []' out
finish
