#!/bin/sh
# A cluster of three NATS servers, of which one is killed: each event is at the
# hub, once, or counts as lost.
# Only in make check-long: nats.t has one server.
. "$(dirname "$0")/nats.sh"
compile counted

set -- $(free_ports 9)
urls=nats://127.0.0.1:$1,nats://127.0.0.1:$2,nats://127.0.0.1:$3
routes="\"nats://127.0.0.1:$4\", \"nats://127.0.0.1:$5\", \"nats://127.0.0.1:$6\""
hub_options="--nats $urls"
start_hub $hub_options || exit 1
start_agent --node n1 --nats "$urls" "$join"
within 60 [ -s "$state/nats" ]
member() {
  print_config "$1.conf" "$2" "$4"
  cat >>"$1.conf" <<END
server_name: $1
cluster { name: three, listen: "127.0.0.1:$3", routes: [$routes] }
END
  start_nats "$1"
}
watch=$7
watches="$7 $8 $9"
member a "$1" "$4" "$7"
member b "$2" "$5" "$8"
member c "$3" "$6" "$9"

stream='[.account_details[].stream_detail[].cluster]'
three() { monitor "$watch" "$stream | any((.replicas | length) == 2)"; }
count 2 20 0.002
appears() {
  eventring ps --hub "$read" >ps.out && grep -q "^n1 *$pid *running" ps.out
}
ok "a traced program appears in ps --hub" within 60 appears
ok "the stream has three replicas" within 60 three
# Asks the servers that live, since one is dead, for a leader other than $1.
elected() {
  for watch in $watches; do
    monitor "$watch" "$stream[0].leader | . != null and . != \"$1\"" && return
  done
  return 1
}
lead=
for round in 1 2; do
  within 60 elected "$lead"
  lead=$(jq -r "$stream[0].leader" jsz)
  crash_nats "$lead"
  ok "round $round: without the leader $lead, there is another" \
    within 60 elected "$lead"
  start_nats "$lead"
done
ok "the hub warns of a version that may lose streams in a cluster" \
  eval 'case $(nats-server --version) in
    *v2.[0-8].* | *v2.9.[0-9] | *v2.9.1[0-9] | *v2.9.2[0-5])
      [ "$(grep -c "nats-server 2.* may remove streams" hub.err)" = 1 ];;
  esac'
stop_counting
ok "the leader is killed twice, and no event is lost" none_lost
ok "no part came twice and different" \
  [ -z "$(find "$store" -name '*.differs')" ]
end_agent
ok "the agent ends in order" exits 0
end_hub
ok "the hub ends in order" exits 0
finish
