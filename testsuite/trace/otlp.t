#!/bin/sh
# Spans, requests and metrics for OpenTelemetry, decoded by protoc: they are not
# those that events and metrics print, or belong to other requests.
. "$(dirname "$0")/lib.sh"
program protoc || { echo "1..0 # SKIP needs protoc"; exit 0; }

cp "$here/program.ml" . &&
  "$EVENTRING_STAGE/bin/ocamlopt" -I +unix -I +threads unix.cmxa threads.cmxa \
    program.ml -o program >/dev/null || exit 1
# With this clock no time is rounded.
OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 OCAMLRUNPARAM=e=20 \
  OCAML_EVENTRING_CLOCK=monotonic ./program &&
  eventring dump [0-9]*.eventring -o program.evr || exit 1

# decode MESSAGE FILE
decode() {
  protoc --decode="$1" --proto_path="$here" otlp.proto <"$2" >text &&
    ! grep -E '^ *[0-9]+:' text
}

eventring events --json program.evr >events
run eventring trace --format=otlp -o out.otlp program.evr
ok "trace writes the format" exits 0
spans() {
  decode ExportTraceServiceRequest out.otlp &&
    python3 -B "$here/read_otlp.py" spans events <text
}
ok "all spans and requests have their times, requests and parents" spans
run eventring trace -o again.otlp program.evr
ok "the ending of the file gives the format" exits 0
ok "the same file gives the same trace" cmp out.otlp again.otlp

eventring metrics program.evr >prometheus
run eventring metrics --format=otlp -o out.metrics program.evr
ok "metrics writes the format" exits 0
metrics() {
  decode ExportMetricsServiceRequest out.metrics &&
    python3 -B "$here/read_otlp.py" metrics prometheus <text
}
ok "all series have the values of the text format" metrics

run eventring metrics --format=json program.evr
ok "an unknown format is refused" exits 2
ok "its message names the formats" \
  grep -q 'metrics: no format json: prometheus or otlp' err

python3 -B "$here/collector.py" &
started="$started $!"
within 60 [ -s port ]
url=http://127.0.0.1:$(cat port)

run eventring trace --otlp="$url" program.evr
ok "trace sends to a collector" exits 0
ok "the collector gets the same spans" cmp again.otlp got.v1.traces
run eventring metrics --otlp="$url/" program.evr
ok "metrics sends to a collector" exits 0
ok "the collector gets the same totals" cmp out.metrics got.v1.metrics
# A process that is followed: a span each 2 ms, until its input ends.
cp "$here/../fleet/rounds.ml" . &&
  "$EVENTRING_STAGE/bin/ocamlopt" -I +unix unix.cmxa rounds.ml -o rounds \
    >/dev/null || exit 1
mkfifo stop
sleep 60 >stop &
stopper=$!
started="$started $stopper"
OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp ./rounds <stop >rounds.out &
pid=$!
started="$started $pid"
within 60 [ -e "$pid.eventring" ]
rm got.*
eventring trace -f --otlp="$url" "$pid" 2>trace.err &
tracer=$!
eventring metrics -f -i 100ms --otlp="$url" "$pid" 2>metrics.err &
metrics=$!
started="$started $tracer $metrics"
several() { [ -s got.v1.traces ] && [ -s got.v1.metrics ]; }
ok "a collector gets spans and totals while the process runs" within 60 several
kill "$stopper"
wait "$pid"
ok "following ends with the process" eval 'wait "$tracer" && wait "$metrics"'
rounds_sent() {
  decode ExportTraceServiceRequest got.v1.traces &&
    [ "$(grep -c 'name: "round"' text)" = "$(cat rounds.out)" ]
}
ok "each span was sent once" rounds_sent
: >refuse
run eventring trace --otlp="$url" program.evr
ok "a collector that refuses is a failure" exits 4
ok "its message has the status and the number of spans" eval \
  'grep -q "cannot send to $url/v1/traces: it answers with status 503" err &&
   grep -q "120 spans were not sent" err'
run eventring metrics --otlp="$url" program.evr
ok "so it is for metrics" exits 4
run eventring metrics --otlp=http://127.0.0.1:1 program.evr
ok "so is a collector that is not there" exits 4
ok "its message names it" grep -q 'cannot send to http://127.0.0.1:1: ' err
run eventring trace --otlp=file:///tmp/x program.evr
ok "an address of another protocol is refused" exits 4
run eventring trace --otlp="$url" -o out.otlp program.evr
ok "a file and a collector together are refused" exits 2

# A process without a name, spans without begin or end, texts that are no UTF-8.
for name in hostile killed overtaken plain; do
  make_ring $name
  run eventring trace --format=otlp --force -o out.otlp $name.eventring
  ok "$name: written" exits 0
  ok "$name: can be decoded" decode ExportTraceServiceRequest out.otlp
done
finish
