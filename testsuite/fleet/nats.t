#!/bin/sh
# Events by NATS JetStream: each is at the hub, once, or counts as lost, whatever
# the server does.
# Waits most of the time: for agents, hubs and servers to find each other again.
. "$(dirname "$0")/nats.sh"
compile counted

# The command line

run eventring hub --store "$store" --nats nats://example.com:4222
ok "a server on another machine without TLS is refused" refused 2 'needs tls://'
run eventring agent --state "$state" --nats http://127.0.0.1:4222
ok "another scheme is refused" refused 2 'is not nats://'
run eventring agent --state "$state" --nats nats://me:secret@127.0.0.1:4222
ok "a password in the address is refused" refused 2 'no password'
run eventring agent --state "$state" --nats-ca file
ok "--nats-ca alone is refused" refused 2 'needs --nats'
run eventring hub --store "$store" --print-nats-config --new-token
ok "two requests at a time are refused" refused 2 'exclude each other'
run eventring hub --store "$store" --print-nats-config
ok "a store without a hub has no configuration" refused 3 'no hub has used'

# The configuration

set -- $(free_ports 2)
port=$1 watch=$2
url=nats://127.0.0.1:$port
hub_options="--nats $url"
start_hub $hub_options || exit 1
start_agent --node n1 --nats "$url" "$join"
within 60 [ -s "$state/nats" ]
ok "the credentials are for the user only" [ -z "$(find "$state/nats" ! -perm 600)" ]
two=$(eventring hub --store "$store" --new-token | sed 's/.* //')
mkdir two
"$EVENTRING_BIN" agent --state "$tmp/two" --node n2.x "$two" --dir "$tmp/two" \
  2>two.err &
other=$!
started="$started $other"
within 60 [ -s "$tmp/two/nats" ]
crash "$other"
print_config nats.conf "$port" "$watch"
ok "nats-server takes the configuration" nats-server -t -c nats.conf
ok "it has the hub and both nodes" [ "$(grep -c 'user: ' nats.conf)" = 3 ]
start_nats nats
short=$(echo "$fingerprint" | cut -c 1-16)

# A process at the hub

count 2 20 0.002
appears() {
  eventring ps --hub "$read" >ps.out && grep -q "^n1 *$pid *running" ps.out
}
ok "a traced program appears in ps --hub" within 60 appears
stop_counting
ok "all of its events are there" none_lost
rm rings/*
mine="client $port $short/n1 $(secret 1)"
parts=eventring.$short.parts

# The server's acknowledgment is not the hub's.
crash "$hub"
count 1 50 0.002
waits() {
  monitor "$watch" '[.account_details[].stream_detail[].state.messages] | add > 1'
}
ok "without a hub, JetStream takes a message" within 60 waits
stop_counting
sleep 1
ok "and the spool keeps its bytes" eval '! arrived'
restart_hub
ok "the hub takes them later" none_lost
rm rings/*

# The server loses all.
count 2 50 0.002
sleep 0.3
for i in 1 2; do
  crash_nats nats
  rm -rf nats.store
  sleep 0.2
  start_nats nats
  sleep 0.5
done
stop_counting
ok "a server that is killed, and loses its store, costs no event" none_lost
rm rings/*
count 1 50 0.002
within 60 appears
client "$port" "$short" "$(sed -n '/user: "'"$short"'"/{n;s/.*: "\(.*\)"/\1/p}' \
  nats.conf)" publish "\$JS.API.STREAM.DELETE.EVENTRING_$short" >word
ok "the hub may not delete its stream" grep -q "Permissions Violation" word
stop_counting
within 60 arrived
rm rings/*

# Others

publish() { $mine publish "$@" >word; grep -q "$said" word || { cat word; return 1; }; }
said=OK
ok "a node may publish under its own subjects" publish "$parts.n1.1-2-3"
said="Permissions Violation"
ok "a node may not publish as another" publish "$parts.n2=x.1-2-3"
ok "it may not publish the reports of another" \
  publish "eventring.$short.reports.n2=x"
ok "it may not publish answers" publish "eventring.$short.answers.n1.done"
ok "it may not ask JetStream" publish "\$JS.API.STREAM.NAMES"
$mine subscribe "eventring.$short.answers.n2=x.done" >word
ok "it may not see the answers to another" grep -q "$said" word
$mine subscribe "$parts.>" >word
ok "it may not see parts" grep -q "$said" word
client "$port" "$short/n1" wrong publish "$parts.n1.x" >word
ok "a wrong password is refused" grep -q 'Authorization Violation' word
refuses() { grep -q "parts.n1.1-2-3 is refused: it has not the seal" hub.err; }
ok "the hub refuses a message without a seal" within 60 refuses
seal=$(printf '%064d' 0)
said=OK
# A node that names a subject for an acknowledgment does not get the server's rights.
publish "$parts.n1.1-2-7 $parts.n2=x.1-2-7"
publish "$parts.n1.1-2-8"
later() { grep -q "parts.n1.1-2-8 is refused" hub.err; }
ok "the server acknowledges nothing, to no subject of others" eval \
  'within 60 later && grep -q "n1.1-2-7 is refused" hub.err &&
   ! grep -q "n2=x.1-2-7" hub.err'
publish "$parts.n1.1-2-4" "Eventring-Seal=$seal" \
  "Eventring-Id=/fleet/parts/1-2-4/1?offset=0&length=256&last=1" >/dev/null
forged() { grep -q "parts.n1.1-2-4 is refused: it has not the seal" hub.err; }
ok "and one with a wrong seal" within 60 forged
ok "neither leaves anything in the store" eval '[ ! -e "$store/nodes/n1/1-2-4" ]'

# An agent with a wrong password
end_agent
cp "$state/nats" kept
{ printf '%064d\n' 1; secret 2; } >wrong
cp wrong "$state/nats"
: >agent.err
start_agent --nats "$url"
count 1 20 0.005
denied() { grep -qi 'cannot be used.*authoriz' agent.err; }
ok "an agent with a wrong password says so" within 60 denied
stop_counting
ok "its events wait" eval '! arrived'
crash "$agent"
head -c 20 kept >"$state/nats"
run eventring agent --state "$state" --nats "$url"
ok "credentials that are cut are refused" refused 3 'no credentials'
cp kept "$state/nats"
start_agent --nats "$url"
ok "with its own password it loses none" none_lost
rm rings/*

# A server that is against us: it lets all in, and invents answers.
crash "$agent"
crash_nats nats
crash "$hub"
rm -rf nats.store
cat >open.conf <<END
listen: "127.0.0.1:$port"
http: "127.0.0.1:$watch"
jetstream { store_dir: "$tmp/nats.store", max_file_store: 1GB }
END
start_nats open
restart_hub
start_agent --nats "$url"
count 1 20 0.005
within 60 appears
stop_counting
none_lost
rm rings/*
crash "$hub"
client "$port" x x forge "$parts.>" 200 >forged.out 2>forger.err &
forger=$!
started="$started $forger"
count 1 20 0.005
ok "the server answers in place of the hub" within 60 [ -s forged.out ]
stop_counting
sleep 1
ok "the agent does not believe it" eval '! arrived'
crash "$forger"
client "$port" x x replay "$parts.>" 300 >word 2>&1 &
replayer=$!
started="$started $replayer"
restart_hub
count 1 50 0.002
ok "the server repeats old messages" within 60 grep -q OK word
stop_counting
ok "and nothing comes twice, or is lost" none_lost
ok "no part came twice and different" \
  [ -z "$(find "$store" -name '*.differs')" ]
rm rings/*

# The consumer then waits for numbers that the stream has not.
crash_nats open
rm -rf nats.store/jetstream/*/streams/*/msgs/*
start_nats open
count 1 20 0.005
within 60 appears
stop_counting
ok "a server that loses all messages, but not how far the hub was, costs no event" \
  none_lost
rm rings/*

# Reports that are sealed, and old.
received() { jq .received_realtime_ns "$store/nodes/n1/node.json"; }
# Waits until the hub has taken all messages before.
taken() {
  client "$port" x x publish "$parts.n1.1-9-$1" >/dev/null
  within 60 grep -q "parts.n1.1-9-$1 is refused" hub.err
}
ok "reports are on the way" \
  client "$port" x x keep "eventring.$short.reports.n1" kept.json 3
# The last report of the agent may be on the way to the server until its connection ends.
connections() { curl -s "http://127.0.0.1:$watch/connz" | jq .num_connections; }
connected=$(connections)
crash "$agent"
has_gone() { [ "$(connections)" -lt "$connected" ]; }
within 60 has_gone
taken 1
last=$(received) lines=$(wc -l <hub.err)
ok "the server sends earlier reports again" \
  eval 'client "$port" x x resend - kept.json 30 | grep -q OK && taken 2'
ok "a node does not seem to report by them" [ "$(received)" = "$last" ]
ok "nobody is accused of that" [ "$(wc -l <hub.err)" = $((lines + 1)) ]
crash "$hub"
restart_hub
client "$port" x x resend - kept.json 10 >/dev/null
taken 3
ok "another run of the hub does not take them, either" \
  [ "$(received)" = "$last" ]
start_agent --nats "$url"
reports() { [ "$(received)" != "$last" ]; }
ok "but the reports of the agent, when it runs again" within 60 reports
end_agent
crash_nats open

# TLS
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
  -days 2 -subj /CN=nats -addext "subjectAltName = IP:127.0.0.1" \
  -keyout nats.key -out nats.crt 2>/dev/null
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
  -days 2 -subj /CN=nats -keyout other.key -out other.crt 2>/dev/null
{ cat nats.conf; echo 'tls { cert_file: "nats.crt", key_file: "nats.key" }'; } \
  >tls.conf
start_nats tls
end_hub
hub_options="--nats tls://127.0.0.1:$port --nats-ca nats.crt"
restart_hub
start_agent --nats "tls://127.0.0.1:$port" --nats-ca nats.crt
count 1 20 0.005
within 60 appears
stop_counting
ok "events go by TLS" none_lost
end_agent
: >agent.err
start_agent --nats "tls://127.0.0.1:$port" --nats-ca other.crt
doubts() { grep -q 'cannot be used.*SSL' agent.err; }
ok "a server with another certificate is refused" within 60 doubts
end_agent
: >agent.err
start_agent --nats "tls://localhost:$port" --nats-ca nats.crt
ok "a server with a certificate for another name is refused" within 60 doubts
end_agent
ok "the agent ends in order" exits 0
end_hub
ok "the hub ends in order" exits 0
finish
