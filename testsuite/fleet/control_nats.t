#!/bin/sh
# Control of processes by NATS: a node gets its own requests only, and a server that
# repeats or invents messages has nothing carried out.
# Only in make check-long: control.t has the same by https.
. "$(dirname "$0")/nats.sh"
. "$here/control.sh"

set -- $(free_ports 2)
port=$1 watch=$2
url=nats://127.0.0.1:$port
hub_options="--nats $url"
start_hub $hub_options || exit 1
control=$(eventring hub --store "$store" --print-control-url)
start_agent --node n1 --nats "$url" --allow-control "$join"
within 60 [ -s "$state/nats" ]
new_key n2.x
join n2.x "$(token_of "$(eventring hub --store "$store" --new-token)")"
print_config nats.conf "$port" "$watch"
start_nats nats
short=$(echo "$fingerprint" | cut -c 1-16)

begins rings
carried_out() { grep -c 'control by the hub: ' agent.err; }

ok "an agent takes requests by NATS" within 60 reaches
at_hub enable n1/$pid gc
ok "enable" eval 'exits 0 && records "gc user"'
at_hub get n1/$pid points.rounds
ok "a point is evaluated" eval 'exits 0 && [ "$(cat out)" -ge 1 ]'
at_hub disable n1/1 gc
ok "a process that the agent does not follow" \
  refused 3 'n1 records no process 1 '

# An agent that is stopped.
kill -STOP "$agent"
waiting=
for i in 1 2 3 4 5 6 7 8 9; do
  eventring categories --hub "$control" n1/$pid >away.out 2>away.$i &
  waiting="$waiting $!"
done
started="$started $waiting"
one_too_many() { [ "$(cat away.? | grep -c 'too many requests wait')" = 1 ]; }
ok "8 requests wait for a node" within 60 one_too_many
kill -CONT "$agent"
for one in $waiting; do wait "$one"; done

# Permissions

mine="client $port $short/n1 $(secret 1)"
# word SAID MODE SUBJECT: what the server says to n1
word() {
  said=$1
  shift
  $mine "$@" >word
  grep -q "$said" word || { cat word; return 1; }
}
subject=eventring.$short.control
ok "a node sees requests to itself" word OK subscribe "$subject.n1"
ok "it does not see requests to others" \
  word 'Permissions Violation' subscribe "$subject.n2=x"
ok "nor those to all" word 'Permissions Violation' subscribe "$subject.*"
ok "it sends no requests to others" \
  word 'Permissions Violation' publish "$subject.n2=x"
ok "it answers no requests that it has not got" \
  word 'Permissions Violation' publish "_INBOX.one"

# A server that is against us: it lets all in.
crash_nats nats
at_hub pause n1/$pid
ok "without the server, a request is not carried out" eval \
  'refused 3 "node n1 " && ! err_has "not known"'
rm -rf nats.store
cat >open.conf <<END
listen: "127.0.0.1:$port"
http: "127.0.0.1:$watch"
jetstream { store_dir: "$tmp/nats.store", max_file_store: 1GB }
END
start_nats open
ok "the connections are made again" within 60 reaches
client "$port" x x replay "$subject.n1" 6 >replayed 2>&1 &
replayer=$!
started="$started $replayer"
# The client has subscribed when it sees a request.
before=$(carried_out)
asked=0
until grep -q 'came twice' agent.err || [ $asked = 20 ]; do
  at_hub disable n1/$pid gc
  at_hub enable n1/$pid gc
  asked=$((asked + 2))
done
ok "the server repeats requests" grep -q 'came twice' agent.err
ok "an agent carries out each once" \
  [ "$(carried_out)" = $((before + asked)) ]
crash "$replayer"
before=$(carried_out)
client "$port" x x ask "$subject.n1" "Eventring-Id=/fleet/control/hello?id=1" \
  "Eventring-Seal=$(printf '%064d' 0)" >word
ok "an agent gives no nonce to others than the hub" grep -q -x nothing word
client "$port" x x answer "$subject.n1" >answered 2>&1 &
answerer=$!
started="$started $answerer"
: >>answered
within 60 grep -q OK answered
at_hub pause n1/$pid
ok "the hub does not believe an answer of the server" eval \
  'exits 0 && grep -q "control.n1" answered && ! out_has invented'
crash "$answerer"
ok "the agent ends" quick 8 end_agent
at_hub pause n1/$pid
ok "without the agent, a request is not carried out" \
  refused 3 'n1 has not fetched the request, which was not carried out'
ok "the hub ends" quick 8 end_hub
finish
