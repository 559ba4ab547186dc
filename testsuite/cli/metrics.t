#!/bin/sh
# eventring metrics: what promtool accepts and Prometheus scrapes, the numbers of
# stat, counters that grow, a bounded number of series.
. "$(dirname "$0")/tap.sh"
. "$here/prometheus.sh"
cd "$tmp" || exit 1

accepted() { promtool check metrics <out && ! grep . err; }
# value SERIES: its value in ./out
value() { awk -v s="$1" '{ v = $NF; sub(/ [^ ]*$/, "") } $0 == s { print v }' out; }
# is SERIES JQ: has the number that JQ finds in ./stat.json
is() {
  found=$(value "$1") wanted=$(jq -r "$2" stat.json)
  echo "$1: $found, stat: $wanted"
  [ -n "$found" ] && awk -v a="$found" -v b="$wanted" \
    'BEGIN { d = a - b; exit d > 1e-8 || d < -1e-8 }'
}

for kind in summary stock hostile lost; do
  make_ring $kind
  run eventring metrics $kind.eventring
  ok "$kind: promtool accepts it" accepted
done
ok "events that were lost are counted" \
  [ "$(value eventring_lost_events_total)" = 504 ]

run eventring metrics summary.eventring
eventring stat --json summary.eventring >stat.json
ok "minor collections are those of stat" \
  is ocaml_minor_collections_total .total.minor_collections
ok "allocated words are those of stat, in bytes" \
  is ocaml_minor_allocated_bytes_total '.total.allocated_words * 8'
ok "words allocated directly are those of stat without promoted ones" \
  is ocaml_direct_allocated_bytes_total \
  '.total | (.major_allocated_words - .promoted_words) * 8'
for domain in 0 1; do
  for state in running collecting waiting; do
    member=${state}_ns
    [ $state = collecting ] && member=gc_ns
    ok "domain $domain, $state: the time of stat" is \
      "ocaml_domain_seconds_total{domain=\"$domain\",state=\"$state\"}" \
      ".domains[] | select(.id == $domain) | .$member / 1e9"
  done
done
for kind in minor major_slice stopped any while_waiting; do
  ok "pauses of kind $kind: the number of stat" is \
    "ocaml_gc_pause_seconds_count{kind=\"$kind\"}" ".total.pauses.$kind.count"
  ok "pauses of kind $kind: the sum of stat" is \
    "ocaml_gc_pause_seconds_sum{kind=\"$kind\"}" \
    ".total.pauses.$kind.total_ns / 1e9"
done
causes() { jq -r '.causes[] | to_entries[] | .value' stat.json | sort -n; }
ok "causes are those of stat" [ "$(causes)" = \
  "$(awk '/^ocaml_gc_causes_total/ { print $NF }' out | sort -n)" ]
grows() {
  awk '/_bucket/ { n = $NF; sub(/,le=.*/, "")
                   if ($0 == last && n < before) bad = 1
                   last = $0; before = n; seen++ }
       END { exit bad || !seen }' out
}
ok "the buckets of a histogram add up" grows

make_ring passed_on
run eventring metrics passed_on.eventring
ok "a domain whose end is lost has ended when another one has its ring" \
  [ "$(value ocaml_domains)" = 2 ]

# 150 names, the first of them the most frequent
mkdir source
cat >source/names.ml <<'M'
let () =
  for i = 1 to 150 do
    let span = Eventring.Span.register (Printf.sprintf "span \"%d\\\n" i) in
    for _ = i to 150 do Eventring.Span.run span ignore done
  done
M
here=$tmp/source
compile names
here=$EVENTRING_TOP/testsuite/cli
OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings \
  OCAML_EVENTRING_KEEP=1 ./names
run eventring metrics rings/*.eventring
ok "names with quotes, backslashes and line ends: promtool accepts it" accepted
ok "150 spans: 100 with their names and the others together" \
  [ "$(grep -c '^ocaml_span_seconds_count' out)" = 101 ]
ok "the others are all there" \
  [ "$(value 'ocaml_span_seconds_count{span="(other)"}')" = $((50 * 51 / 2)) ]

# A file that is written again and again, which Prometheus reads
mkdir www
run eventring metrics -f summary.eventring
ok "--follow without a file is refused" refused 2 'missing output file (-o FILE)'
run eventring metrics -f -o - summary.eventring
ok "--follow to standard output is refused" refused 2 'missing output file (-o FILE)'
mkfifo www/fifo
run timeout -s KILL 10 "$EVENTRING_BIN" metrics -f --force -o www/fifo \
  summary.eventring
ok "--follow to a FIFO is refused" refused 4 'fifo: it is not a regular file'
rm www/fifo
run eventring metrics -i 1ms -o www/metrics summary.eventring
ok "an interval that is too short is refused" refused 2 'not an interval'
echo mine >www/metrics
run eventring metrics -o www/metrics summary.eventring
ok "a file that exists is not overwritten" \
  eval 'refused 4 www/metrics && [ "$(cat www/metrics)" = mine ]'
run eventring metrics -o nowhere/metrics summary.eventring
ok "a folder that does not exist: one line" refused 4 nowhere/metrics

# falls SERIES: its value becomes smaller between two pages of ./history
falls() {
  awk -v s="$1" '{ v = $NF; sub(/ [^ ]*$/, "") }
                 $0 == s { n++; if (v < before) bad = 1; before = v }
                 END { print n " pages"; exit !(bad && n > 1) }' history
}
# follow NAME: runs it, and keeps all pages of its metrics in ./history
follow() {
  start "$1"
  eventring metrics -i 100ms -o www/pages $pid 2>/dev/null &
  metrics=$!
  started="$started $metrics"
  while kill -0 $metrics 2>/dev/null; do
    cat www/pages 2>/dev/null
    sleep 0.05
  done >history
  cp www/pages out
  rm www/pages
}
cat >source/ends.ml <<'M'
(* Domains that write so much that their ends are lost. *)
let () =
  let span = Eventring.Span.register "span" in
  let write () = for _ = 1 to 300_000 do Eventring.Span.run span ignore done in
  for _ = 1 to 20 do Domain.join (Domain.spawn write) done;
  Unix.sleepf 0.5
M
here=$tmp/source
compile ends
here=$EVENTRING_TOP/testsuite/cli
export OCAMLRUNPARAM=e=9
follow ends
unset OCAMLRUNPARAM
ok "domains whose ends are lost are not counted for ever" eval \
  '[ "$(value eventring_lost_events_total)" -gt 0 ] &&
   [ "$(value ocaml_domains)" -le 2 ]'
compile metrics
follow metrics
ok "time of calls that compute without the domain lock does not fall" \
  eval '! falls "ocaml_domain_seconds_total{domain=\"0\",state=\"running\"}"'
ok "(other) does not fall when one of its names becomes frequent" \
  eval '! falls "ocaml_span_seconds_count{span=\"(other)\"}"'
ok "a span called (other) is one of the others" eval \
  'grep -q "^ocaml_span_seconds_count{span=\"(other)\"}" out &&
   [ -z "$(grep -v "^#" out | sed "s/ [^ ]*$//" | sort | uniq -d)" ]'

compile spans
start spans 600
eventring metrics -i 200ms --force -o www/metrics $pid 2>follow.err &
metrics=$!
started="$started $metrics"
has_collections() { grep -q '^ocaml_minor_collections_total [1-9]' www/metrics; }
ok "the file is written while the process runs" within 60 has_collections

(cd www && exec python3 -u -m http.server --bind 127.0.0.1 0 >../www.log 2>&1) &
started="$started $!"
port() { sed -n 's/.* port \([0-9]*\) .*/\1/p' www.log; }
serves() { [ -n "$(port)" ]; }
within 60 serves
prometheus_scrapes <<E
scrape_configs:
  - job_name: eventring
    scrape_interval: 200ms
    static_configs: [{ targets: ["127.0.0.1:$(port)"] }]
E
ok "Prometheus scrapes it: the rate of collections" within 60 query \
  'rate(ocaml_minor_collections_total[5s])' \
  '.data.result[0].value[1] | tonumber > 0'
ok "Prometheus scrapes it: a percentile of the spans of the program" within 60 \
  query 'histogram_quantile(0.9, ocaml_span_seconds_bucket{span="request"})' \
  '.data.result[0].value[1] | tonumber | . > 0.003 and . < 1'
kill "$pid"
wait $metrics
status=$?
ok "metrics ends with the process" exits 0
cp www/metrics out
ok "and says that it has ended" [ "$(value eventring_running)" = 0 ]
ok "nothing but a note is printed" [ "$(wc -l <follow.err)" -le 1 ]
finish
