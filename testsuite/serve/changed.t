#!/bin/sh
# If this breaks, the page and stat have different numbers of a process whose
# categories were changed while it ran.  Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
make_ring plain

# Eight stops of 12 ms of two domains, each told after the end of a slot of the
# statistics of the server, which begins in it.  The category sync is off at the end:
# bit 3 of the two masks of the control word.
awk 'BEGIN {
  CONVFMT = OFMT = "%.0f"
  ms = 1000000
  print 0, 0, "instant domain_start 0 0 0"
  print 1, 1, "instant domain_start 1 0 1"
  for (k = 1; k <= 8; k++) {
    t = k * 250
    print 0, (t - 8) * ms, "begin minor"
    print 0, (t - 2) * ms, "end minor 1000 250000 minor_heap_full 0"
    print 1, (t - 8) * ms, "begin minor"
    print 1, (t - 1) * ms, "end minor 0 125000 minor_heap_full 0"
    print 0, (t + 1) * ms, "begin my.span"
    print 0, (t + 1) * ms + 5, "end my.span"
    print 1, (t + 2) * ms, "instant stop_the_world 12000000 0",
      "minor_collection minor_heap_full 0 0 0 1 0 0"
  }
  print 0, 2500 * ms, "instant ring_stop 0"
}' | sort -s -k 1,1n -k 2,2n | ./make_ring script sync.eventring pid=4242425 || exit 1
perl -e 'open F, "+<", "sync.eventring" or die; seek F, 512, 0; read F, $w, 8;
  $w = pack "Q", unpack("Q", $w) & ~(8 | 8 << 32); seek F, 512, 0; print F $w' || exit 1

# A request that works from 10 to 950 ms.  The categories were changed at 200 ms, and
# changed back at 800 ms: marks of the clock in the header, two for each.
printf '%s\n' "0/100 0 instant ring_start 1" "0/100 0 instant domain_start 0 0 0" \
  "0/100 1000000 instant thread_run 0" "0/100 10000000 begin order 7" \
  "0/100 10000001 instant request_run 7" "0/100 100000000 begin my.span" \
  "0/100 110000000 end my.span" "0/100 900000000 begin my.span" \
  "0/100 910000000 end my.span" "0/100 950000000 end order 7" \
  "0/100 1000000000 instant ring_stop 0" |
  ./make_ring script control.eventring pid=4242426 || exit 1
perl -e 'open F, "+<", "control.eventring" or die; seek F, 928, 0;
  print F pack "Q*", 4, map { 5000000000 + $_ } 200000000, 200000001, 800000000,
    800000001' || exit 1

serve sync.eventring control.eventring
# numbers NAME PID FILTER: what stat prints and what the server answers
numbers() {
  eventring stat --json "$1.eventring" >stat.json
  jq -c "$3" stat.json
  find_process "$2" && within 60 read_all "$2" &&
    get "/api/processes/$id/stat" | jq -c "$3"
}
both_are() { [ "$(numbers "$1" "$2" "$3")" = "$4
$4" ] || { numbers "$1" "$2" "$3"; false; }; }
ok "stops that were told while they were recorded" both_are sync 4242425 \
  '.total.pauses.any | [.count, .total_ns, .max_ns]' '[16,192000000,12000000]'
find_process 4242425
ok "the charts have as many pauses" field_is \
  "/api/processes/$id/history?tier=100ms" '[.pauses[] | values] | add' 16
ok "nothing is known of the time of a change" both_are control 4242426 \
  '[.total.watched_ns, (.requests[0] | .running.count, .running.total_ns)]' \
  '[210000000,0,0]'
end_server
finish
