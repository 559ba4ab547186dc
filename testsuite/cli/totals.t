#!/bin/sh
# If this breaks, counters of a process go down when its rings wrap, or sums over the
# events that are left are shown as sums over all.  Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
make_ring plain
sleep 1000 &
alive=$!
started="$started $alive"
now=$(awk '{ printf "%.0f", ($1 - 100) * 1e9 }' /proc/uptime)

# begin [NAME=VALUE...]: ./ring.eventring, of two domains
begin() {
  grow ring.eventring monotonic="$now" "$@"
  echo "1 1 instant domain_start 1 0 1" >&7
}
# step N: 1000 minor collections from N * 10 s on; a ring has room for some steps
step() {
  collections 1000 "${1}0" >&7
  echo "0 ${1}2000000000 counter queue $1" >&7
}
reached() {
  [ "$(eventring get ring.eventring counters.queue 2>/dev/null)" = "$1" ]
}
has() { grep -q "^$1" out; }
value() { awk -v s="$1" '$1 == s { print $2 }' out; }
is() { grep -qx "$1" out || { grep "${1%% *}" out; false; }; }

begin
step 1
echo "0 0 totals 1000 1000 7 5 1 2 20000 10000 300 1008 5000000 70000 1 0" >&7
echo "1 0 totals 900 0 3 0 0 0 400 40 0 900 1000000 80000 2 9" >&7
ok "the first events are there" within 60 reached 1
run eventring metrics ring.eventring
ok "before a ring has wrapped, nothing is left out" eval \
  'exits 0 && [ ! -s err ] && has "ocaml_gc_pause_seconds_bucket" &&
   has ocaml_gc_causes_total && has eventring_events_total'
ok "each minor collection counts once" is "ocaml_minor_collections_total 1000"
run eventring stat ring.eventring
ok "stat does not print the same numbers twice" eval '! out_has "since tracing"'

for n in 2 3 4 5 6; do step $n; done
echo "0 0 totals 6000 6000 42 30 6 12 120000 60000 1800 6048 30000000 70000 1 0" >&7
ok "the rings have wrapped" within 60 reached 6
run eventring metrics ring.eventring
ok "a metric of a wrapped ring is of all of the process, or it is not there" eval \
  'exits 0 && ! has "ocaml_gc_pause_seconds" && ! has ocaml_gc_causes_total &&
   ! has ocaml_domain_seconds_total && ! has eventring_events_total'
for line in "ocaml_minor_collections_total 6000" "ocaml_major_slices_total 45" \
  "ocaml_major_cycles_total 30" "ocaml_compactions_total 6" \
  "ocaml_gc_calls_total 12" "ocaml_minor_allocated_bytes_total 963200" \
  "ocaml_promoted_bytes_total 480320" "ocaml_direct_allocated_bytes_total 14400" \
  "ocaml_gc_pauses_total 6948" "ocaml_gc_paused_seconds_total 0.031000000" \
  "ocaml_gc_longest_pause_seconds 0.000080000" \
  'ocaml_domain_minor_allocated_bytes_total{domain="0"} 960000'; do
  ok "$line" is "$line"
done
ok "of a ring that two domains have had, none has the totals" eval \
  '! has "ocaml_domain_minor_allocated_bytes_total{domain=\"1\"}"'
ok "a line names the parts left out, and a way to have them" eval \
  '[ "$(wc -l <err)" = 1 ] &&
   grep -q "events were overwritten: .* are left out; follow" err'
run eventring metrics --format=otlp -o otlp ring.eventring
ok "so it is for OpenTelemetry" eval 'exits 0 && ! grep -q gc_causes otlp'

run eventring stat ring.eventring
ok "stat has the totals below the sums over the events" eval \
  'out_has "^collections  minor 6000, slices 45, major cycles 30, compactions 6" &&
   out_has "^pauses       6948: longest 80.0 us, total 31.0 ms"'
run eventring get ring.eventring 'totals.*'
ok "get has them, and the totals of each ring" eval \
  'out_has "^totals.minor_collections	6000$" &&
   out_has "^totals.rings.1.last_domain	9$" &&
   out_has "^totals.rings.1.minor_collections	900$"'
run eventring dump ring.eventring -o all.evr
run eventring get all.evr 'totals'
ok "a recording has no totals" eval '[ "$status" = 1 ] || out_has null'

exec 7>&-
rm ring.eventring
begin started=1000 traced_since=$((now - 5000000000))
step 1
echo "0 0 totals 6001 6001 42 30 6 12 120020 60010 1800 6049 30001000 70000 1 0" >&7
ok "a session with larger rings has taken over" within 60 reached 1
run eventring metrics ring.eventring
ok "its metrics have the totals, and leave out all that only the new events tell" \
  eval 'exits 0 && is "ocaml_minor_collections_total 6001" &&
   ! has ocaml_gc_causes_total && ! has eventring_events_total &&
   grep -q "before the rings got their size are missing: .* left out; follow" err'
since=$(value eventring_start_time_seconds)
ok "tracing started with the session before, 5 s earlier" \
  [ "$since" = 995.000 ]

exec 7>&-
rm ring.eventring
begin
for n in 1 2 3 4 5 6; do step $n; done
ok "a file of format 1.8 has wrapped" within 60 reached 6
run eventring metrics ring.eventring
ok "of a file without totals, a line warns that counters may become smaller" eval \
  'exits 0 && grep -q "may be smaller the next time; follow" err &&
   has ocaml_minor_collections_total && ! has ocaml_gc_pauses_total'
run eventring stat --json ring.eventring
ok "totals that are not known are null" jq -e '.totals == null' out
finish
