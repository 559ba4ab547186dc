#!/bin/sh
# eventring latency: each duration is in the right place of a distribution.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

make_ring pauses
run eventring latency pauses.eventring
ok "pauses of known lengths have the expected distribution" \
  prints latency.expected
ok "the exit code is 0" exits 0
ok "no line is wider than a terminal" [ "$(wc -L <out)" -le 80 ]
run eventring latency --follow pauses.eventring
ok "--follow of an ended process prints the same" prints latency.expected

make_ring summary
run eventring latency --span=my.span -s mutex_wait summary.eventring
ok "--span prints a span of the program and a wait" prints latency.span.expected
run eventring latency --span=my.span --json summary.eventring
ok "--json prints the distribution of a span" prints latency.json.expected

run eventring latency --span nothing summary.eventring
ok "an unknown span: a line reports it" err_has 'no span or wait called nothing'
ok "an unknown span: its row has count 0" out_has '^nothing  *0  '
ok "an unknown span: the exit code is 0" exits 0

# Buckets hold all durations, each within its bounds.
run eventring latency --json pauses.eventring
ok "--json: the counts of the buckets add up" jq -e \
  'all(.distributions[]; .count == ([.buckets[].count] | add // 0))' out
ok "--json: each bucket is at most 2 % wide" jq -e \
  'all(.distributions[].buckets[];
       .from_ns < .to_ns and .to_ns <= .from_ns * 65 / 64 + 1)' out
ok "--json: deviations are those of the buckets" jq -e \
  'all(.distributions[] | select(.count > 1); (.total_ns / .count) as $mean |
     ([.buckets[] | .count * ((.from_ns + .to_ns) / 2 - $mean | . * .)]
      | add) as $squares | ($squares / (.count - 1) | sqrt) as $deviation |
     (.deviation_ns / $deviation - 1 | fabs) < 0.02)' out
ok "--json: percentiles rise" jq -e \
  'all(.distributions[]; .p50_ns <= .p90_ns and .p90_ns <= .p99_ns
       and .p99_ns <= .p99_9_ns and .p99_9_ns <= .max_ns)' out

# HdrHistogram's format, against the durations themselves.
run eventring events --raw pauses.eventring
cp out raw
run eventring latency --hgrm --span=minor pauses.eventring
ok "--hgrm exits with 0" exits 0
cp out printed
ok "--hgrm agrees with the durations of the events" \
  python3 "$here/check_hgrm.py" raw out
run eventring latency --hgrm=minor.hgrm -s minor pauses.eventring
ok "--hgrm=FILE prints nothing" silent
ok "--hgrm=FILE writes the output of --hgrm" cmp printed minor.hgrm
cp minor.hgrm other.hgrm
run eventring latency --hgrm=other.hgrm pauses.eventring
ok "--hgrm=FILE refuses to overwrite a file" \
  eval "refused 4 'other.hgrm: .*--force' && cmp minor.hgrm other.hgrm"
run eventring latency --hgrm=other.hgrm --force pauses.eventring
ok "--hgrm=FILE --force overwrites a file" \
  eval "silent && ! cmp minor.hgrm other.hgrm"
make_ring idle
run eventring latency idle.eventring
ok "a process without pauses gets one line and no table" \
  [ "$(sed 1d out)" = "no pauses" ]
run eventring latency --hgrm pauses.eventring
ok "--hgrm without --span prints all pauses" out_has '^#\[Max .* Total count '
make_ring plain
run eventring latency --hgrm --span nothing plain.eventring
ok "--hgrm of an unknown span has the count 0" out_has 'Total count    = *0\]'
run eventring latency --hgrm=nowhere/x.hgrm pauses.eventring
ok "--hgrm=FILE in a missing folder is refused" refused 4 'nowhere/x.hgrm'
run eventring latency --hgrm=/dev/full pauses.eventring
ok "--hgrm=FILE on a full disk is an error" refused 4 'No space left on device'

run eventring latency --hgrm -s a -s b pauses.eventring
ok "--hgrm with two spans is refused" refused 2 '--hgrm takes one'
run eventring latency --hgrm --json pauses.eventring
ok "--hgrm with --json is refused" refused 2 'exclude'

# The time between two events.
run eventring latency --between=mutex_wait --and=my.span --scope=domain --json \
  summary.eventring
ok "--between has one pair of known length" eval '[ "$(jq -c \
  "[(.distributions[0] | .count, .max_ns), .between.longest[0].first.ns]" \
  out)" = "[1,4000000,5000000]" ]'
run eventring latency --json --span=minor pauses.eventring
spans=$(jq -c '.distributions[0] | [.p50_ns, .max_ns]' out)
run eventring latency --json --between=minor --and='minor form=end' \
  pauses.eventring
ok "--between begin and end has the durations of the spans" \
  [ "$(jq -c '.distributions[0] | [.p50_ns, .max_ns]' out)" = "$spans" ]
run eventring latency -f --between=minor --and='minor form=end' pauses.eventring
ok "--between prints the longest pairs" \
  out_has '100 us  *0.099001000  domain 0 thread 4242424  minor  to  minor'
refuses() { run eventring latency "$@" pauses.eventring; }
refuses --between=minor
ok "--between without --and is refused" refused 2 'need each other'
refuses --between=minor --and=form=x
ok "a wrong filter is refused" refused 2 "unknown form 'x'"
refuses --between=minor --and=minor --scope=x
ok "a wrong scope is refused" refused 2 "unknown scope 'x'"
refuses --scope=domain
ok "--scope without --between is refused" refused 2 '--scope needs --between'
refuses --between=minor --and=minor -s minor
ok "--between with --span is refused" refused 2 'exclude'

# A running process.
compile work
start work 60 2
run eventring latency "$pid"
ok "running process: latency exits without --follow" exits 0
collections() {
  run eventring latency "$pid"
  out_has '^minor  *[1-9]'
}
ok "running process: latency has minor collections" within 60 collections
finish
