#!/bin/sh
# merge, cat and cut take ring files: a recording of what is in them now.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
make_ring plain
mkdir tmp rings
TMPDIR=$tmp/tmp
export TMPDIR
nothing_left() { [ -z "$(ls -A tmp)" ]; }

# ring NAME HEADER...: makes rings/NAME.eventring of the events on standard input
ring() {
  name=$1
  shift
  ./make_ring script "rings/$name.eventring" "$@"
}
events_of() { eventring stat --json "$1" | jq '.total.events + .lost_events'; }
minors_of() { eventring stat --json "$1" | jq .total.minor_collections; }
# minors N: the events of N minor collections, a millisecond apart
minors() {
  awk -v n="$1" 'BEGIN {
    print "0 0 instant domain_start 0"
    for (i = 1; i <= n; i++) {
      print "0", i * 1000000, "begin minor"
      print "0", i * 1000000 + 1000, "end minor"
    }
  }'
}
for i in 1 2 3; do
  minors $i | ring $i pid=$((4242400 + i)) started=$((1000000 + i))
done
run eventring merge rings/*.eventring -o all.evr
ok "ring files of three processes that have ended are merged" exits 0
for i in 1 2 3; do
  ok "process $i has its collections and events" eval \
    '[ "$(minors_of all.evr:$i)" = $i ] &&
     [ "$(events_of all.evr:$i)" = "$(events_of rings/$i.eventring)" ]'
done
ok "check finds no fault in the recording" eventring check all.evr
ok "no snapshot is left" nothing_left

# A process that runs, and one that has lost events.
minors 4 >events
./make_ring script rings/4.eventring pid=4242404 started=1000004 state=1 \
  hold=1 <events >holder &
holder=$!
started="$started $holder"
held() { grep -qs 'rings/4\.eventring' "/proc/$holder/maps"; }
within 60 held
run eventring merge rings/4.eventring rings/1.eventring -o two.evr
ok "the ring file of a running process is merged" eval \
  'exits 0 && [ "$(minors_of two.evr:2)" = 4 ]'
make_ring lost
run eventring merge lost.eventring -o losses.evr
ok "events that the ring has left are in the recording" eval \
  'exits 0 && [ "$(eventring stat --json losses.evr | jq .total.events)" = \
                "$(eventring stat --json lost.eventring | jq .total.events)" ]'
run eventring merge all.evr plain.eventring -o mixed.evr
ok "a ring file is merged with a recording" eval \
  'exits 0 && [ "$(eventring stat --all --json mixed.evr |
                   jq -s "last.processes")" = 4 ]'

# More files than descriptors may be open at first.
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
  minors 1 | ring many-$i pid=$((4242500 + i)) started=$((2000000 + i))
done
few() { (ulimit -S -n 12; exec "$@"); }
run few "$EVENTRING_BIN" merge rings/many-*.eventring -o many.evr
ok "many ring files are merged" eval \
  'exits 0 && [ "$(eventring stat --all --json many.evr |
                   jq -s "last.processes")" = 12 ]'

# A recording of the same process: its events are in the output once.
eventring dump rings/3.eventring -o three.evr 2>/dev/null
run eventring cat three.evr rings/3.eventring -o joined.evr
ok "cat: events of the recording and the ring file are in the output once" \
  eval 'exits 0 && [ "$(minors_of joined.evr)" = 3 ]'
run eventring cut rings/3.eventring --from=2ms -o cut.evr
ok "cut: a ring file" eval 'exits 0 && [ "$(minors_of cut.evr)" = 2 ]'

# Refused.
run eventring merge rings/1.eventring rings/1.eventring -o twice.evr
ok "a ring file that is given twice is refused" \
  refused 2 'rings/1.eventring are the same'
run eventring cat rings/1.eventring rings/2.eventring -o both.evr
ok "cat names the ring files of two processes" \
  refused 3 'rings/1.eventring is of process 4242401 and rings/2.eventring'
run eventring merge rings/1.eventring -o rings/1.eventring --force
ok "the ring file is not overwritten" eval \
  'exits 4 && [ "$(minors_of rings/1.eventring)" = 1 ]'
run env TMPDIR=/nonexistent "$EVENTRING_BIN" merge rings/1.eventring -o none.evr
ok "a TMPDIR that does not exist is reported" refused 4 'cannot make a folder'
head -c 100 rings/1.eventring >short.eventring
run eventring merge short.eventring -o none.evr
ok "a file that is no ring file is refused" refused 3 'short.eventring'
ok "no file is left" eval 'nothing_left && [ ! -e none.evr ]'
finish
