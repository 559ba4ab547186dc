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
ok "and the collector has no share of no active time" field_is \
  "/api/processes/$id/stat?from=3200000000&to=3800000000" \
  '[.total, .domains[]] | map([.watched_ns > 0, .active_gc_share]) | tostring' \
  '[[true,null],[true,null],[true,null]]'
ok "a window that ends in a wait" is 3000 3500 '[2000,0,1000]'
ok "a window that begins in a wait" is 3500 4050 '[909,0,455]'
ok "a window before which a thread began to run" is 8200 8800 '[0,10000,5000]'
ok "a window that ends in waits of 11 s and more" is 12000 14000 \
  '[1050,0,525]'

events_of() { field "/api/processes/$id/events?from=$1000000&to=$2000000" '.events | length'; }
ok "an event at the end of a window is in the next one only" \
  [ "$(events_of 2500 3000) $(events_of 3000 3500)" = '0 1' ]

# The command has the same numbers of a window, of threads that wrote later, too.
by_command() {
  run eventring stat --json "--from=$1ms" "--to=$2ms" ring.eventring
  [ "$(jq -c '[(.domains + [.total])[] | .running_ns / .watched_ns * 10000 | round]' \
    out)" = "$(running "$1" "$2")" ]
}
for window in "3200 3800" "3000 3500" "3500 4050" "8200 8800" "12000 14000"; do
  # shellcheck disable=SC2086
  ok "stat --from --to: $window ms" by_command $window
done
ok "stat: a window that is none is refused" eval \
  'run eventring stat --from=2s --to=1s ring.eventring && refused 2 "from is not before"'
ok "and one with --interval" eval \
  'run eventring stat --from=1s --interval=1s ring.eventring && refused 2 exclude'

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

# 1100 domains run before the second 10, one after the other; then domain 5000,
# and domain 5001, which does not end; then 30 more.
awk 'BEGIN {
  CONVFMT = OFMT = "%.0f"
  ms = 1000000
  print 0, 0, "instant ring_start 1"
  for (i = 1; i <= 1100; i++) run(i % 3, i, i * 8 * ms, 5 * ms)
  print 2, 10200 * ms, "instant domain_start 5001 0 1"
  run(1, 5000, 10100 * ms, 800 * ms)
  for (i = 1; i <= 30; i++) run(0, 6000 + i, (11000 + i * 8) * ms, 5 * ms)
  print 0, 20000 * ms, "instant ring_stop 0"
}
function run(ring, id, from, ns) {
  print ring, from, "instant domain_start", id, 0, 1
  print ring, from + ns, "instant domain_terminate", id
}' | ./make_ring roomy many.eventring || exit 1
serve many.eventring
find_process 4242424
ok "the events of many domains are read" within 60 read_all 4242424
has_domains() { # FROM TO DOMAINS
  [ "$(field "/api/processes/$id/stat?from=$1&to=$2" \
    '.domains | map([.id, .watched_ns / 1e6, .ended]) | tostring')" = "$3" ]
}
ok "a window has its domains, after 1100 others" \
  has_domains 10000000000 11000000000 '[[5000,800,true],[5001,800,false]]'
ok "without an entry for further ones, and without the end behind it" \
  has_domains 10150000000 10180000000 '[[5000,30,false]]'
ok "all time has 1024 domains, and the 109 that ended first" field_is \
  "/api/processes/$id/stat" '.domains | [length, .[0].id, .[-1].id,
    .[-1].watched_ns / 1e6] | tostring' '[1025,109,null,540]'
ok "all events were read, and all times count" field_is "/api/processes/$id/stat" \
  '[.all_read, .total.watched_ns == (.domains | map(.watched_ns) | add)] | tostring' \
  '[true,true]'
# Domain 5001 has the most rows of 100 ms, then 5000, which has one row of 1 s, as
# most others.
domains_are() {
  field "/api/processes/$id/history?tier=$1" '[(.domains | length, has("5000"),
    has("5001")), .domains_left_out] | tostring' >domains
  [ "$(cat domains)" = "$2" ] || { cat domains; false; }
}
ok "of 1132 domains of a minute, 32 with the most rows are in the history" \
  domains_are 100ms '[32,true,true,1100]'
ok "of the 320 that are known of an hour, too" domains_are 1s \
  '[32,false,true,288]'
end_server

# A recording that begins when domain 0, whose ring holds a half of its events, has
# run for a while.
awk 'BEGIN {
  print "0 0 instant ring_start 1"; print "0 0 instant domain_start 0 0 0"
  print "1 1 instant domain_start 1 0 1"
  for (t = 1; t <= 9000; t++) {
    print 0, t * 50000, "begin my.span"
    print 0, t * 50000 + 10000, "end my.span"
  }
  print 0, 500000000, "instant ring_stop 0"
}' | ./make_ring overwritten late.eventring || exit 1
run eventring merge -o late.evr late.eventring
serve late.evr
find_process 4242424
ok "the recording is read" within 60 read_all 4242424
late_is() {
  field "/api/processes/$id/$1" "$2 | tostring" >late
  [ "$(cat late)" = "$3" ] || { cat late; false; }
}
ok "its timeline has a gap where a domain was not recorded" late_is \
  'timeline?from=0&to=500000000' \
  '.gaps[] | .[:1] + [.[1] > 200000000 and .[1] < 300000000] + .[2:]' \
  '[0,true,"not recorded",0,false]'
ok "its charts have nothing there" late_is 'history?tier=100ms' '.events[:5]' \
  '[null,null,null,4000,2002]'
end_server
finish
