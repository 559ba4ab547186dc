#!/bin/sh
# The metrics of the processes and agents of a hub: eventring metrics --hub, and
# /metrics of eventring serve --hub.
# Waits most of the time: for agents and hubs, which look each second.
. "$(dirname "$0")/hub.sh"
TMPDIR=$tmp/temporary
export TMPDIR
mkdir "$TMPDIR" empty
compile rounds

# recorded FILE: the recording of a program that works until its input ends
recorded() {
  rm -rf rings
  mkdir rings
  OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings \
    OCAML_EVENTRING_KEEP=1 ./rounds >/dev/null &&
    eventring dump rings/*.eventring -o "$1" 2>dump.err
}
accepted() {
  command -v promtool >/dev/null || return 0
  promtool check metrics <"$1"
}
start_hub
for node in a b; do
  new_key $node
  join $node "$(token_of "$(eventring hub --store "$store" --new-token)")"
done
for name in one two three; do recorded $name.evr </dev/null; done
pid_of() { eventring get "$1" process.pid; }
one=$(pid_of one.evr) two=$(pid_of two.evr) three=$(pid_of three.evr)
# stream NAME PID STATE: an object of a report
stream() {
  echo "{\"stream\": \"$1\", \"pid\": $2, \"program\": \"rounds\",
    \"state\": \"$3\", \"events\": 70, \"lost\": 7, \"parts_dropped\": 0}"
}
ok "two nodes send recordings and reports" eval '
  put 200 a "s-1/1?offset=0&last=1" one.evr &&
  put 200 b "s-1/1?offset=0&last=1" two.evr &&
  put 200 b "s-2/1?offset=0&last=1" three.evr &&
  report 200 a "{\"streams\": [$(stream s-1 $one running)],
    \"spool\": {\"bytes\": 900, \"waiting\": 80},
    \"dropped\": {\"parts\": 3, \"bytes\": 400}}" &&
  report 200 b "{\"streams\": [$(stream s-1 $two running),
    $(stream s-2 $three ended)]}"'

# value FILE SERIES: its value
value() { awk -v s="$2" '{ v = $NF; sub(/ [^ ]*$/, "") } $0 == s { print v }' "$1"; }
labels_of() { echo "node=\"$1\",process=\"$2\",stream=\"$3\""; }
# same FILE RECORDING LABELS: the series of FILE with the labels are the metrics of
# the recording, but for eventring_running, which the recording does not know
same() {
  eventring metrics "$2" | grep -v '^#\|^eventring_running' | sort >wanted
  grep -v '^#' "$1" | grep -F "{$3" | sed "s/{$3,/{/; s/{$3}//" |
    grep -v '^eventring_running\|^eventring_agent' | sort >found
  [ -s wanted ] && diff wanted found
}
run eventring metrics --hub "$read"
cp out page
ok "metrics --hub prints all processes" eval 'exits 0 && ! [ -s err ]'
ok "promtool accepts the page" accepted page
ok "each metric has one head" [ -z "$(grep '^# TYPE' page | sort | uniq -d)" ]
ok "a process has the metrics of its recording" \
  same page one.evr "$(labels_of a "$one" s-1)"
ok "so has the first process of the other node" \
  same page two.evr "$(labels_of b "$two" s-1)"
ok "and its second process" same page three.evr "$(labels_of b "$three" s-2)"
ok "a process that runs is said to run" \
  [ "$(value page "eventring_running{$(labels_of a "$one" s-1)}")" = 1 ]
ok "and one that has ended is not" \
  [ "$(value page "eventring_running{$(labels_of b "$three" s-2)}")" = 0 ]
ok "the events that the agent lost are there" [ "$(value page \
  "eventring_agent_lost_events_total{$(labels_of a "$one" s-1)}")" = 7 ]
for pair in silent:0 spool_bytes:900 spool_waiting_bytes:80 \
  dropped_parts_total:3 dropped_bytes_total:400; do
  ok "the agent's ${pair%:*} is there" \
    [ "$(value page "eventring_agent_${pair%:*}{node=\"a\"}")" = "${pair#*:}" ]
done
reported=$(value page 'eventring_agent_last_report_time_seconds{node="a"}')
ok "the time of the agent's last report is in seconds" eval 'got 200 nodes &&
  has ".nodes[] | select(.node == \"a\") |
    .received_realtime_ns / 1e9 - $reported | fabs <= 1"'
ok "figures that an agent does not report are left out" \
  [ -z "$(value page 'eventring_agent_spool_bytes{node="b"}')" ]

run eventring metrics --hub "$read" a/
ok "NODE/ prints one node" eval \
  'exits 0 && [ -s out ] && ! grep -v "^#" out | grep -v "{node=\"a\""'
for target in nonode/ 'a/ nonode/'; do
  run eventring metrics --hub "$read" $target
  ok "a node that is not there is refused: $target" \
    refused 3 'the hub has no node nonode;'
done
run eventring metrics --hub "$read" b/$two
ok "NODE/PID prints one process" eval 'exits 0 &&
  eventring metrics two.evr | cmp - out'
run eventring metrics --hub "$read" a/ b/$two
ok "a node with a process is refused" refused 2 'nodes, NODE/, or one process'
run eventring metrics --hub "$read" -o page
ok "a file that exists is not overwritten" refused 4 page
run eventring metrics --hub "$read" -o page --force
ok "-o writes a file" eval 'exits 0 && accepted page'
run eventring metrics --hub "$read" -f -o page
ok "--follow of all processes is refused" refused 2 'without -f'
run eventring metrics --hub "$read" --format otlp
ok "so is OpenTelemetry" refused 2 'without -f'

"$EVENTRING_BIN" serve --hub "$read" "$tmp/empty" >address &
started="$started $!"
within 60 [ -s address ]
address=$(head -1 address)
secret=${address##*#}
secret=${secret#token=}
scrape() {
  command curl -s -m 30 --noproxy '*' -H "Authorization: Bearer $secret" \
    "${address%%/#*}/metrics" >"$1"
}
began=$(date +%s)
ok "serve --hub has the processes at /metrics" eval \
  'scrape first && same first one.evr "$(labels_of a "$one" s-1)" &&
   same first three.evr "$(labels_of b "$three" s-2)"'
ok "promtool accepts them" accepted first
ok "and the agents" \
  [ "$(value first 'eventring_agent_spool_bytes{node="a"}')" = 900 ]
ok "it says that all are read" eval \
  '[ "$(value first eventring_hub_processes) $(value first \
     eventring_hub_unread_processes)" = "3 0" ]'
put 200 b 's-4/1?offset=0&last=1' one.evr
scrape again
ok "a new recording waits for the next round, 10 seconds after the last" eval \
  '[ $(($(date +%s) - began)) -ge 10 ] ||
   [ "$(value again eventring_hub_unread_processes)" = 1 ]'

# Another process takes the place of the recording in the store, with as many
# bytes.
part=$store/nodes/a/s-1/1.evr
size=$(stat -c %s "$part")
sleep 0.5 | recorded long.evr
chmod 600 "$part"
head -c "$size" long.evr >"$part"
run eventring metrics --hub "$read" a/
ok "the command reads it again" eval 'exits 0 &&
  out_has "eventring_process_info.*pid=\"$(pid_of long.evr)\""'
read_now() {
  scrape again && [ "$(value again eventring_hub_unread_processes)" = 0 ]
}
ok "the next round reads the new recording" within 60 read_now
ok "and not the recording of the same size" \
  same again one.evr "$(labels_of a "$one" s-1)"
ok "which does not count as old" \
  [ "$(value again eventring_hub_old_processes)" = 0 ]
: >no_bytes
put 200 b 's-8/1?offset=0&last=1' no_bytes
run eventring metrics --hub "$read"
ok "a process that left a tombstone only is no fault" eval \
  'exits 0 && ! [ -s err ]'
printf garbage >garbage
put 200 b 's-9/1?offset=0&last=1' garbage
run eventring metrics --hub "$read"
ok "a recording that cannot be read costs one line" eval \
  'exits 3 && [ "$(grep -c . err)" = 1 ] && err_has "^eventring: b/s-9: "'
ok "the others are there" same out two.evr "$(labels_of b "$two" s-1)"
report 200 a "{\"streams\": [], \"spool\": {\"bytes\": 5, \"waiting\": 4}}"
scrape again
ok "figures of agents are always new" \
  [ "$(value again 'eventring_agent_spool_bytes{node="a"}')" = 5 ]
ok "nothing is left in the folder for temporary files" [ -z "$(ls "$TMPDIR")" ]
end_hub
scrape again
ok "a hub that is away is reported" eval \
  '[ "$(value again eventring_hub_up)" = 0 ] && accepted again'
run eventring metrics --hub "$read"
ok "and ends the command" refused 3 'hub 127.0.0.1:[0-9]*: .*connect'
finish
