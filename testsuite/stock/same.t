#!/bin/sh
# The command's output for a file of stock OCaml differs from the events that
# Runtime_events itself reads: an event too many or too few, another name, time,
# value or order, or fewer events said to be lost than were.
. "$(dirname "$0")/stock.sh"
compile_stock work
compile_stock read
cd "$tmp" || exit 1

# The same lines; for losses, the highest number possible.
compared=0
same() {
  theirs >theirs && grep -v ' lost ' theirs >events && ours >ours &&
    [ -s events ] && cmp events ours &&
    compared=$((compared + $(wc -l <events)))
}
at_most() {
  eventring events --raw "$ring" 2>/dev/null | awk -F '\t' '
    $6 == "lost" { print $3, $9 }' >bound
  grep ' lost ' theirs | while read -r number _ words; do
    printf '%d %016x\n' "$number" $((words / 2))
  done | sort >words
  sort bound | cmp - words
}

trace ./work 100 0 ""
ok "ended in order: the same events" same
ok "ended in order: nothing is lost" eval '! grep -q lost theirs'
ok "all kinds of events" eval "grep -q ' begin minor -' ours &&
  grep -q ' counter minor_allocated ' ours && grep -q ' ring_start ' ours &&
  grep -q ' begin request -' ours && grep -q ' counter size ' ours &&
  grep -q ' instant a tick -' ours && grep -q ' instant note 0.*0011 ' ours"
ok "two domains" eval "grep -q '^1 .* domain_spawn ' ours"
run eventring events "$ring"
ok "a negative number is one" out_has 'counter   size  -97$'
ok "what has no words is text or bytes" \
  eval "! out_has 'lost' && out_has 'instant   note  '"
run eventring check "$ring"
ok "check: nothing wrong" exits 0

trace ./work 30 0 kill
ok "killed: the same events" same
run eventring check "$ring"
ok "killed, check: nothing wrong" exits 0

for log in 9 12; do
  OCAMLRUNPARAM=e=$log trace ./work 300 0 ""
  ok "2^$log words, overwritten: the same events" same
  ok "2^$log words, overwritten: both rings" \
    [ "$(grep -c lost theirs)" = 2 ]
  ok "2^$log words, overwritten: what can be lost at most" at_most
done
trace ./work 20 0 compact
ok "compactions: the same events" same
ok "compactions: their steps" grep -q ' begin compaction_release -$' ours
trace ./work 1000 0 ""
ok "more events than are translated at once: the same" same
echo "# $compared events compared"
finish
