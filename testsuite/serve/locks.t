#!/bin/sh
# If this breaks, the page names a wrong lock, holder or span for the time that threads
# waited.  Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
make_ring plain

# Mutex 0x1000: thread 101 waits 3 times for 5 ms, of which 1 ms for its domain's lock,
# held by 102 and once by 103; in the span my.span but once.  Mutex 0x2000: 2 ms.
# Condition 0x3000: 7 ms.  A wait of a file that does not tell its mutex: 1 ms.  Of two
# waits for 0x5000, all of the time is for the domain's lock, in one more than all.  Thread
# 102 runs while 101 waits for the lock of their domain, once.
printf '%s\n' "0/100 0 instant ring_start 1" "0/100 0 instant domain_start 0 0 0" \
  "0/101 1000000 instant thread_run 0" "0/101 2000000 begin my.span" \
  "0/101 10000000 instant mutex_wait 5000000 1000000 4096 102" \
  "0/101 20000000 instant mutex_wait 5000000 1000000 4096 103" \
  "0/101 21000000 end my.span" \
  "0/101 30000000 instant mutex_wait 5000000 1000000 4096 102" \
  "0/101 40000000 instant mutex_wait 2000000 0 8192 0" \
  "0/101 50000000 instant condition_wait 7000000 0 12288" \
  "0/101 60000000 instant mutex_wait 1000000 0" \
  "0/101 61000000 instant mutex_wait 300000 300000 20480 0" \
  "0/101 62000000 instant mutex_wait 200000 900000 20480 0" \
  "0/102 67000000 instant thread_run 0" "0/101 70000000 instant thread_yield 4000000" \
  "0/101 80000000 instant blocking_section 9000000 500000" \
  "0/100 90000000 instant ring_stop 0" |
  ./make_ring script ring.eventring pid=4242428 || exit 1
serve ring.eventring
find_process 4242428
ok "the events are read" within 60 read_all 4242428
locks="/api/processes/$id/locks"
ok "each lock has its waits, the most time first" field_is "$locks" \
  '[.locks[] | [.kind, .lock, .waits, .total_ns, .longest_ns]] | tostring' \
  '[["mutex","0x1000",3,12000000,4000000],["domain lock","0",7,8000000,4000000],["condition","0x3000",1,7000000,7000000],["mutex","0x2000",1,2000000,2000000],["mutex",null,1,1000000,1000000]]'
ok "its holders, that of the longest time first" field_is "$locks" \
  '.locks[0].holders | map([.thread, .waits, .total_ns]) | tostring' \
  '[[102,2,8000000],[103,1,4000000]]'
ok "that of the lock of a domain ran while the other waited" field_is "$locks" \
  '.locks[1].holders | map([.thread, .waits, .total_ns]) | tostring' '[[102,1,4000000]]'
ok "the longest wait has its place" field_is "$locks" \
  '[.locks[0, 1].longest | .from, .to, .domain, .thread] | tostring' \
  '[5000000,10000000,0,101,66000000,70000000,0,101]'
ok "and the spans that waited" field_is "$locks" \
  '.locks[0].spans | map([.span, .waits, .total_ns]) | tostring' \
  '[["my.span",2,8000000]]'
ok "of a holder that is not known, nothing is said" field_is "$locks" \
  '.locks[3].holders | length' 0
ok "only waits that end in the window" field_is "$locks?from=35000000&to=55000000" \
  '[.locks[].lock] | tostring' '["0x3000","0x2000"]'
end_server
finish
