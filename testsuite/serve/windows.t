#!/bin/sh
# If this breaks, a row of the history and the statistics of the same window
# differ, or the time of a window that begins or ends in a wait counts as
# running.  Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

# 25 seconds.  The main thread of domain 0 runs for 100 ms of each second; thread
# 77 for 10 ms, at 12 s.  Domain 1 runs from 8 s to 9 s.
awk 'BEGIN {
  CONVFMT = OFMT = "%.0f"
  ms = 1000000
  for (t = 1000; t <= 25000; t += 1000)
    print "0/4242424", t * ms, "instant blocking_section", 900 * ms, 0
  print "0/77", 12500 * ms, "instant blocking_section", 12400 * ms, 0
  print "0/77", 24500 * ms, "instant blocking_section", 11990 * ms, 0
  print 1, 8000 * ms, "instant blocking_section", 7990 * ms, 0
  print 1, 24000 * ms, "instant blocking_section", 15000 * ms, 0
  print "0/4242424", 25001 * ms, "instant ring_stop 0"
}' >lines
{ echo "0 0 instant ring_start 1"; echo "0 0 instant domain_start 0 0 0"
  echo "1 1 instant domain_start 1 0 1"
  sort -s -k 2,2n lines; } >script
make_ring plain
./make_ring script ring.eventring <script || exit 1
serve ring.eventring
find_process 4242424
ok "the events are read" within 60 read_all 4242424

# running FROM TO: the shares in which the domains ran, and all, in ms.
running() {
  field "/api/processes/$id/stat?from=$1000000&to=$2000000" '
    [(.domains + [.total])[] | .running_ns / .watched_ns * 10000 | round]
    | tostring'
}
is() { [ "$(running "$1" "$2")" = "$3" ] || { running "$1" "$2"; false; }; }
ok "a window in a wait of all threads" is 3200 3800 '[0,0,0]'
ok "a window that ends in a wait" is 3000 3500 '[2000,0,1000]'
ok "a window that begins in a wait" is 3500 4050 '[909,0,455]'
ok "a window before which a thread began to run" is 8200 8800 '[0,10000,5000]'
ok "a window that ends in waits of 11 s and more" is 12000 14000 \
  '[1050,0,525]'

rows() {
  field "/api/processes/$id/history?tier=$1" '. as $h | range(.t | length) |
    [$h.t[.] / 1000000, $h.t[.] / 1000000 + $h.tier_ns / 1000000,
     ([$h.domains["0"].running[.], $h.domains["1"].running[.],
       $h.running[.]] | map(. * 10000 | round) | tostring)] |
    map(tostring) | join(" ")' >rows
}
# Every row of a coarse tier, and a hundred of the finest.
rows_agree() {
  rows "$1" && [ "$(wc -l <rows)" -ge 2 ] || return 1
  sed -n "$2" rows | while read -r from to shares; do
    is "$from" "$to" "$shares" || { echo "$from $to $shares"; exit 1; }
  done
}
ok "rows of 10 s are the statistics of their windows" rows_agree 10s p
ok "rows of 1 s are the statistics of their windows" rows_agree 1s p
ok "rows of 100 ms are the statistics of their windows" rows_agree 100ms 40,139p
end_server
finish
