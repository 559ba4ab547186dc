#!/bin/sh
# A program runs more instructions because somebody reads its figures.  They are
# counted; no time is taken.  The program is some 50 times slower while they are
# counted, so 100 readings a second are thousands for the time that it would take.
# Only in make check-long: the machine decides how much is read.
. "$(dirname "$0")/programs.sh"
build points unix
if ! command -v valgrind >/dev/null; then
  skip "instructions of a program that is read" "no valgrind"
  finish
fi

at_most() { echo "$1, at most $2"; [ -n "$1" ] && [ "$1" -le "$2" ]; }

# counted NAME...: sets $instructions of the program, from which figures called
# NAME are read 100 times a second, $attempts and $readings that had a result,
# and $evaluations of its points.
counted() {
  fresh
  : >said
  env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    valgrind --tool=callgrind --callgrind-out-file=out "$tmp/points.opt" \
    plain working 3000 </dev/null >said 2>log &
  pid=$!
  started="$started $pid"
  until grep -q ready said || ! kill -0 "$pid" 2>"$tmp/err"; do
    sleep 0.01
  done
  attempts=0 readings=0
  while [ $# -gt 0 ] && kill -0 "$pid" 2>"$tmp/err"; do
    attempts=$((attempts + 1))
    eventring get "$(ring)" "$@" >figures 2>"$tmp/err" &&
      readings=$((readings + 1))
    sleep 0.01
  done
  wait "$pid"
  instructions=$(awk '/^(summary|totals):/ { print $2; exit }' out)
  evaluations=$(sed -n 's/ evaluations$//p' said)
}

counted
alone=$instructions
counted
again=$instructions
echo "# alone: $alone instructions, and $again"
counted total.minor_collections total.gc_share
echo "# read: $instructions instructions, $readings readings"
difference=$((instructions - alone))
ok "the program is read while it runs" [ "$readings" -ge 10 ]
ok "reading figures changes the program's instructions by less than 0.01 %" \
  at_most "$((${difference#-} * 10000))" "$alone"
counted points.answer
echo "# points: $instructions instructions, $readings readings," \
  "$evaluations evaluations"
ok "points are evaluated at most once for each reading" \
  eval '[ "$evaluations" -ge 10 ] && at_most "$evaluations" "$attempts"'
ok "an evaluation of 8 points takes at most 40,000 instructions" \
  at_most "$(((instructions - alone) / evaluations))" 40000
finish
