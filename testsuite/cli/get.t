#!/bin/sh
# eventring get: single figures, by name.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
mkdir source
cat >source/figures.ml <<'M'
let () =
  let queue = Eventring.Counter.register ~unit:"jobs" "queue" in
  let span = Eventring.Span.register "a span.with *" in
  for i = 1 to 100 do
    Eventring.Counter.sample queue (i - 200);
    Eventring.Span.run span Gc.minor
  done;
  print_endline "ready";
  if Array.length Sys.argv > 1 then ignore (input_char stdin)
M
here=$tmp/source
compile figures
here=$EVENTRING_TOP/testsuite/cli
OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
  OCAML_EVENTRING_PREFIX=$tmp/rings ./figures >figures.out
mv rings/*.eventring it.eventring
# Times of a ring file may differ by a nanosecond between two readings.
eventring record -o it.evr it.eventring 2>errors
eventring stat --json it.evr >stat

# equals NAME FILTER: the figure NAME, printed, is what jq finds in ./stat
equals() {
  run eventring get it.evr "$1"
  exits 0 && [ "$(cat out)" = "$(jq -r "$2" stat)" ]
}
ok "a count" equals total.minor_collections .total.minor_collections
ok "a share" equals total.gc_share .total.gc_share
ok "an unknown figure is null" equals process.cpu_ns .process.cpu_ns
ok "a text" equals process.runtime .process.runtime
ok "a figure of a domain, by its id" \
  equals domains.0.pauses.any.max_ns '.domains[0].pauses.any.max_ns'
ok "a figure of a span, by its name" \
  equals 'spans.a span.with *.count' \
  '.spans[] | select(.name == "a span.with *") | .count'
run eventring get it.eventring counters.queue
ok "the last value of a counter" eval 'exits 0 && [ "$(cat out)" = -100 ]'
run eventring get it.eventring 'schema.queue.*'
ok "the schema of an event" eval 'printf "%s\t%s\n" schema.queue.kind counter \
  schema.queue.category user schema.queue.unit jobs | cmp - out'
run eventring get it.eventring manifest.program
ok "the manifest of a ring file" eval '[ "$(cat out)" = "$tmp/figures" ]'
run eventring get it.evr manifest.recorded
ok "the manifest in a recording" \
  eval '[ "$(cat out)" = "$(eventring get it.evr manifest.recorded)" ] &&
        grep -q "^20..-" out'

run eventring get it.evr
ok "without names: every figure of stat" eval \
  '[ "$(grep -c "^\(total\|causes\|domains\)\." out)" = "$(jq \
     "[.total, .causes, .domains | .. | select(type != \"object\" and type \
       != \"array\")] | length" stat)" ]'
ok "without names: the counters, not the schema" \
  eval 'out_has "^counters.queue	-100$" && ! out_has "^schema"'
run eventring get it.eventring 'total.pauses.*.count' counters.queue
ok "a pattern and a name: lines with names" \
  eval '[ "$(wc -l <out)" = 6 ] && out_has "^total.pauses.any.count	[1-9]"'
run eventring get --json it.evr total.gc_ns counters.queue
ok "--json: an object" eval '[ "$(jq -r "keys | join(\",\")" out)" = \
  counters.queue,total.gc_ns,version ] &&
  [ "$(jq ".[\"total.gc_ns\"]" out)" = "$(jq .total.gc_ns stat)" ]'

run eventring get it.eventring counters.queue counters.bogus
ok "a name without a figure: said, the others are printed, exit code 1" \
  eval 'exits 1 && out_has "^counters.queue	-100$" &&
        err_has "has no figure counters.bogus"'
run eventring get it.eventring 'bogus*'
ok "a pattern without a figure: exit code 1" eval 'exits 1 && ! [ -s out ]'
run eventring get nowhere total.gc_ns
ok "a file that is not there" refused 3 nowhere
run eventring get --bogus it.eventring
ok "an unknown option" refused 2 bogus

# A running process
mkfifo in
: >live.out
OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings ./figures wait \
  <in >live.out &
pid=$!
started="$started $pid"
exec 3>in
until grep -q ready live.out; do sleep 0.05; done
run eventring get -d rings $pid counters.queue
ok "a running process" eval 'exits 0 && [ "$(cat out)" = -100 ]'
echo >&3
exec 3>&-
finish
