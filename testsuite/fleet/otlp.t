#!/bin/sh
# The metrics of all processes and agents of a hub for OpenTelemetry: eventring
# metrics --hub --otlp, and the spans of processes of two nodes.
# Waits most of the time: for agents and hubs, which look each second.
. "$(dirname "$0")/hub.sh"
command -v protoc >/dev/null || { echo "1..0 # SKIP no protoc"; exit 0; }
trace=$here/../trace
compile rounds
recorded() { # FILE
  rm -rf rings
  mkdir rings
  OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings \
    OCAML_EVENTRING_KEEP=1 ./rounds 500 </dev/null >/dev/null &&
    eventring dump rings/*.eventring -o "$1" 2>dump.err
}
start_hub
for node in a b; do
  new_key $node
  join $node "$(token_of "$(eventring hub --store "$store" --new-token)")"
done
for name in one two three; do recorded $name.evr; done
pid_of() { eventring get "$1" process.pid; }
send_report() { # NODE STREAM PID STATE EVENTS
  report 200 "$1" "{\"streams\": [{\"stream\": \"$2\", \"pid\": $3,
    \"program\": \"rounds\", \"state\": \"$4\", \"events\": $5, \"lost\": 7,
    \"parts_dropped\": 0}], \"spool\": {\"bytes\": 900, \"waiting\": 80},
    \"dropped\": {\"parts\": 3, \"bytes\": 400}}"
}
one=$(pid_of one.evr) two=$(pid_of two.evr)
ok "two nodes send a recording each" eval '
  put 200 a "s-1/1?offset=0&last=1" one.evr &&
  put 200 b "s-2/1?offset=0&last=1" two.evr &&
  send_report a s-1 $one running 70 && send_report b s-2 $two ended 80'

python3 -B "$trace/collector.py" &
started="$started $!"
within 60 [ -s port ]
url=http://127.0.0.1:$(cat port)
decode() { # MESSAGE FILE
  protoc --decode="$1" --proto_path="$trace" otlp.proto <"$2" >text &&
    ! grep -E '^ *[0-9]+:' text
}
same_as_prometheus() {
  decode ExportMetricsServiceRequest got.v1.metrics &&
    python3 -B "$trace/read_otlp.py" hub page <text
}
run eventring metrics --hub "$read" --otlp "$url"
ok "metrics --hub --otlp sends the metrics" eval 'exits 0 && ! [ -s err ]'
eventring metrics --hub "$read" >page
ok "the collector has every series of every process and agent" \
  same_as_prometheus
rm got.v1.metrics
run eventring metrics --hub "$read" --otlp "$url" b/
ok "the metrics of a node can be sent alone" exits 0
eventring metrics --hub "$read" b/ >page
ok "the collector has the metrics of this node only" same_as_prometheus

run eventring trace --hub "$read" --otlp "$url" "a/$one" "b/$two"
ok "trace --hub --otlp sends the spans of processes of two nodes" exits 0
spans_of_both() {
  decode ExportTraceServiceRequest got.v1.traces &&
    [ "$(grep -c 'key: "process.pid"' text)" = 2 ]
}
ok "the collector has both processes" spans_of_both

# Again and again: only processes with new events.
rm got.v1.metrics
"$EVENTRING_BIN" metrics --hub "$read" --otlp "$url" -i 100ms 2>follow.err &
follower=$!
started="$started $follower"
sent_times() { # STREAM: how often its metrics were sent
  decode ExportMetricsServiceRequest got.v1.metrics &&
    grep -c "string_value: \"$1\"" text
}
agents() { [ "$(sent_times eventring-agent)" -ge "$1" ]; }
ok "agents are sent again and again" within 60 agents 8
ok "a process without new events is sent once" [ "$(sent_times s-1)" = 1 ]
put 200 b "s-3/1?offset=0&last=1" three.evr
new_stream() { [ "$(sent_times s-3)" = 1 ]; }
ok "a new process is sent" within 60 new_stream
: >refuse
ok "a collector that refuses costs a line" \
  within 60 grep -q "cannot send to $url/v1/metrics: it answers with status 503" \
  follow.err
rm refuse got.v1.metrics
ok "sending goes on when it accepts again" within 60 agents 2
kill "$follower"
wait "$follower"
ok "it ends at SIGTERM" [ $? = 0 ]

: >refuse
run eventring metrics --hub "$read" --otlp "$url"
ok "a collector that refuses is a failure" exits 4
set_refusal() { # STATUS WORD
  echo "$1 $2" >refuse.new
  mv refuse.new refuse
}
others() {
  for s in s-2 s-3; do [ "$(sent_times $s)" -ge 1 ] || return 1; done
}
rm -f got.v1.metrics
set_refusal 413 s-1
run eventring metrics --hub "$read" --otlp "$url"
ok "a refused request of one process is a failure" eval '
  exits 4 && [ "$(grep -c "^eventring: a/s-1: .* 413" err)" = 1 ]'
ok "the other processes are sent" others
run eventring metrics --hub "$read" --otlp "$url" -o file
ok "--otlp writes no file" exits 2

# The same from the hub itself.
rm refuse got.v1.metrics
end_hub
start_hub --otlp "$url/" -i 100ms
new_streams() {
  for s in s-1 s-2 s-3; do [ "$(sent_times $s)" -ge 1 ] || return 1; done
}
ok "hub --otlp sends the metrics of all processes" within 60 new_streams
ok "with the names of their nodes" eval '
  grep -A 3 "key: \"host.name\"" text | grep -q "string_value: \"a\"" &&
  grep -A 3 "key: \"host.name\"" text | grep -q "string_value: \"b\""'
ok "the agents are sent again and again" within 60 agents 8
ok "processes without new events are sent once" \
  eval '[ "$(sent_times s-1) $(sent_times s-3)" = "1 1" ]'
put 200 a "s-4/1?offset=0&last=1" one.evr
fourth() { [ "$(sent_times s-4)" = 1 ]; }
ok "a new process is sent" within 60 fourth
: >refuse
refusals() { [ "$(grep -c "cannot send to $url/v1/metrics: .* 503" hub.err)" = 1 ]; }
ok "a collector that refuses costs a line" within 60 refusals
sleep 1
ok "and no more than one" refusals
put 200 a "s-5/1?offset=0&last=1" two.evr
rm refuse got.v1.metrics
ok "sending goes on when it accepts again" within 60 agents 2
fifth() { [ "$(sent_times s-5)" = 1 ]; }
ok "with the events that came meanwhile" within 60 fifth
end_hub
ok "the hub ends in order" [ "$status" = 0 ]

# A process that the collector refuses, or that makes the collector fail.
for answer in 400 500; do
  rm -f got.v1.metrics
  set_refusal $answer s-1
  start_hub --otlp "$url" -i 100ms
  ok "a process refused with $answer does not stop the others" within 60 others
  ok "and costs a line" eval '
    within 60 grep -q "^eventring: a/s-1: .* $answer" hub.err &&
    within 60 agents $(($(sent_times eventring-agent) + 4)) &&
    [ "$(grep -c "^eventring: .* $answer" hub.err)" = 1 ]'
  [ $answer = 500 ] || end_hub
done
rm refuse
first() { [ "$(sent_times s-1)" = 1 ]; }
ok "it is sent when the collector accepts it" within 60 first

# A recording that cannot be read.
head -c 5000 /dev/zero >bad.evr
put 200 a "s-0/1?offset=0&last=1" bad.evr
ok "a recording that cannot be read costs a line" \
  within 60 grep -q '^eventring: a/s-0: ' hub.err
: >refuse
ok "a collector that refuses costs a line after it" within 60 refusals
rm refuse got.v1.metrics
ok "each fault costs one line" eval '
  within 60 agents 4 && [ "$(grep -c "^eventring: a/s-0: " hub.err)" = 1 ] && refusals'
end_hub

# A machine that does not know its own name.
nameless() { # ADDRESS
  rm -f got.v1.metrics
  start_hub --listen "$1:0" --otlp "$url" -i 100ms
  within 60 agents 2
  result=$?
  end_hub
  return $result
}
command_of_hub=$EVENTRING_BIN
printf '#!/bin/sh\nexec unshare --user --map-root-user --uts sh -c \
  "hostname nowhere.invalid; exec \"\$0\" \"\$@\"" "%s" "$@"\n' \
  "$command_of_hub" >nameless
chmod +x nameless
if ./nameless --version >/dev/null 2>&1; then
  EVENTRING_BIN=$tmp/nameless
  for address in 0.0.0.0 '[::]'; do
    ok "a hub at $address reads itself" nameless "$address"
  done
  EVENTRING_BIN=$command_of_hub
else
  skip "a hub at all addresses reads itself" "no user namespaces"
fi

# A collector that takes connections and never answers.
python3 -c '
import socket, time
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
time.sleep(300)' >silent &
started="$started $!"
within 60 [ -s silent ]
start_hub --otlp "http://127.0.0.1:$(cat silent)" -i 100ms
run eventring stat --hub "$read" a/$one
ok "a collector that does not answer does not hold up readers" exits 0
began=$(date +%s)
end_hub
ok "nor the end of the hub" eval \
  '[ "$status" = 0 ] && [ $(($(date +%s) - began)) -lt 8 ]'

# The hub ends while it gets a long recording from itself.
compile many
rm -rf rings
mkdir rings
OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings \
  OCAML_EVENTRING_KEEP=1 ./many &&
  eventring dump rings/*.eventring -o many.evr 2>dump.err
${CC:-cc} -shared -fPIC -o slow_write.so "$here/slow_write.c" || exit 1
printf '#!/bin/sh\nLD_PRELOAD=%s exec "%s" "$@"\n' "$tmp/slow_write.so" \
  "$command_of_hub" >slow
chmod +x slow
EVENTRING_BIN=$tmp/slow
store=$tmp/long
start_hub --otlp "$url" -i 100ms
EVENTRING_BIN=$command_of_hub
new_key c
join c "$token"
put 200 c "s-9/1?offset=0&last=1" many.evr
is_getting() { ls -l "/proc/$hub/fd" | grep -q /eventring-hub-; }
ok "a hub gets a long recording from itself" within 60 is_getting
began=$(date +%s)
end_hub
ok "the hub ends without the rest of it" eval \
  '[ "$status" = 0 ] && [ $(($(date +%s) - began)) -lt 3 ]'
run eventring hub --otlp localhost:4318
ok "an address of another kind is refused" \
  refused 2 'localhost:4318 is not the address of a collector'
run eventring hub --interval 1s
ok "--interval goes with --otlp" refused 2 '--interval goes with --otlp'
run eventring hub --otlp "$url" --interval 1ms
ok "an interval that is too short is refused" refused 2 '1ms is not an interval'
finish
