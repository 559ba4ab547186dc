#!/bin/sh
# If this breaks, the page shows something else than the processes: an old state,
# numbers that `eventring stat` does not have, a change that did not happen; or a
# process that ends at the wrong moment stops the server.
# Waits most of the time: for processes and numbers that come each second.
. "$(dirname "$0")/tap.sh"
here=$EVENTRING_TOP/testsuite/recording
compile numbers
here=$EVENTRING_TOP/testsuite/cli
compile idle threads.cmxa
here=$EVENTRING_TOP/testsuite/serve
mkdir -p "$tmp/rings"
cd "$tmp" || exit 1

serve "$tmp/rings"
start idle sleep 600
busy=$pid
ok "a process that starts appears" find_process "$busy"
busy_id=$id
ok "its events are read" within 60 read_all "$busy"
running() { [ "$(process "$busy" .utilisation_share)" != null ]; }
ok "its numbers come" within 60 running

# Streams
events_of() { grep -c "^event: $1\$" "$tmp/stream"; }
has_events() { # TICKS SECONDS
  [ "$(events_of tick)" -ge "$1" ] && [ "$(events_of processes)" -ge "$2" ] &&
    [ "$(events_of detail)" -ge "$2" ]
}
# stream SECONDS TICKS NUMBER: listens until there are so many ticks, lists of
# processes and details, for SECONDS at most
stream() {
  command curl -s -N -H "Authorization: Bearer $token" \
    "$base/api/stream?process=$busy_id" >"$tmp/stream" &
  streamer=$!
  started="$started $streamer"
  within "$1" has_events "$2" "$3"
  streamed=$?
  kill "$streamer"
  return $streamed
}
began=$(date +%s)
ok "a stream has ticks, lists of processes and details" stream 60 40 3
took=$(($(date +%s) - began))
for event in processes detail; do
  ok "not more than one of $event each second (got $(events_of $event) in $took s)" \
    [ "$(events_of $event)" -le $((took + 2)) ]
done
ticks() { sed -n '/^event: tick/{n;s/^data: //p}' "$tmp/stream" | sed '$d'; }
ok "ticks follow each other without a gap" eval \
  "ticks | jq -se '[.[].t] | [range(1; length) as \$i | .[\$i] - .[\$i - 1]] | all(. == 100000000)'"
# Shares of the time change when a wait ends.
ok "they are rows of the history" eval '
  row=$(ticks | head -n 1 | jq -c "[.t, .events, .lost, .alloc_bytes_per_s]")
  get "/api/processes/$busy_id/history?tier=100ms" | jq -c "range(.t | length) as \$i |
    [.t[\$i], .events[\$i], .lost[\$i], .alloc_bytes_per_s[\$i]]" |
    grep -qxF "$row"'

# Control
post "/api/processes/$busy_id/control" \
  '{"action":"categories","categories":["domain","wait"]}' >"$tmp/out"
categories() { eventring ps --json --no-rate -d "$tmp/rings" | jq -cr \
  ".processes[] | select(.pid == $busy) | .categories"; }
ok "categories are those that were asked for" \
  [ "$(categories)" = '["domain","wait"]' ]
# Prints the time since the start of process PID in ns.
age() {
  perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e \
    'printf "%d\n", 1e9 * clock_gettime(CLOCK_MONOTONIC) - $ARGV[0]' \
    "$(process "$1" .started_ns)"
}
now=$(age "$busy")
follow() {
  [ "$(field "/api/processes/$busy_id/events?from=$now" ".events | length")" -gt 5 ]
}
ok "events of these categories follow" within 60 follow
# A span of gc that began before may end.
ok "no event of another category does" field_is \
  "/api/processes/$busy_id/events?from=$now&filter=categories=gc+form=begin" \
  '.events | length' 0
post "/api/processes/$busy_id/control" '{"action":"pause"}' >/dev/null
ok "the process is paused" eval '[ "$(eventring ps --json --no-rate -d "$tmp/rings" |
  jq ".processes[] | select(.pid == $busy) | .paused")" = true ]'
ok "and shown so" within 60 process_is "$busy" .paused true
ok "its numbers are not known now" \
  within 60 process_is "$busy" .utilisation_share null
ok "the history of the pause has no numbers, not zeros" within 60 field_is \
  "/api/processes/$busy_id/history?tier=100ms" \
  '[.running[-5:][], .alloc_bytes_per_s[-5:][], .events[-5:][]] | unique' '[
  null
]'
post "/api/processes/$busy_id/control" '{"action":"resume"}' >/dev/null
post "/api/processes/$busy_id/control" \
  '{"action":"categories","categories":["all"]}' >/dev/null
ok "it goes on" within 60 running
ok "the timeline has the pause as a gap" field_is \
  "/api/processes/$busy_id/timeline" '[.gaps[] | select(.[2] == "paused")] | length' 1
post "/api/processes/$busy_id/control" \
  '{"action":"threshold","threshold_ns":5000}' >/dev/null
ok "the threshold is set" within 60 process_is "$busy" .threshold_ns 5000
post "/api/processes/$busy_id/control" \
  '{"action":"profile_rate","rate_hz":200}' >/dev/null
ok "the rate of samples is set" within 60 process_is "$busy" .profile_rate_hz 200
post "/api/processes/$busy_id/control" \
  '{"action":"alloc_rate","words":5000}' >/dev/null
ok "the distance of samples of allocation is set" within 60 process_is "$busy" \
  .alloc_period_words 5000
post "/api/processes/$busy_id/control" \
  '{"action":"categories","categories":["nonsense"]}' >"$tmp/out"
ok "an unknown category is refused" out_has 'no category'
ok "all actions are listed, the last first" field_is /api/actions \
  '[.actions[].action] | join("; ")' \
  'categories nonsense; alloc_rate 1 in 5000 words; profile_rate 200 a second; threshold 5000 ns; categories all; resume; pause; categories domain wait'
ok "with their results" field_is /api/actions \
  '[.actions[].result == "ok"] | tostring' '[false,true,true,true,true,true,true,true]'
ok "and their origin" field_is /api/actions '.actions[0].origin' 127.0.0.1

# Categories for some time
post "/api/processes/$busy_id/control" \
  '{"action":"categories","categories":["domain","wait"]}' >/dev/null
post "/api/processes/$busy_id/control" \
  '{"action":"add","categories":["sync","wait"],"seconds":1}' >"$tmp/out"
ok "a category is added for a second" \
  [ "$(jq -c .categories "$tmp/out")" = '["domain","sync","wait"]' ]
# Added again for longer: that counts.
post "/api/processes/$busy_id/control" \
  '{"action":"add","categories":["thread"],"seconds":1}' >/dev/null
post "/api/processes/$busy_id/control" \
  '{"action":"add","categories":["thread"],"seconds":3600}' >/dev/null
has_thread() { [ "$(categories)" = '["domain","wait","thread"]' ]; }
ok "when it is over, another one goes on that was prolonged" within 60 has_thread
post "/api/processes/$busy_id/control" \
  '{"action":"categories","categories":["domain","wait"]}' >/dev/null
is_over() { [ "$(categories)" = '["domain","wait"]' ]; }
ok "and ends when others are chosen" is_over
post "/api/processes/$busy_id/control" \
  '{"action":"categories","categories":["all"]}' >/dev/null

# Saving
post "/api/processes/$busy_id/save" '{"seconds":2}' >"$tmp/out"
saved=$(jq -r .file "$tmp/out")
ok "the last seconds are saved into the store" [ -f "$saved" ]
ok "for this user only" [ "$(stat -c '%a' "$saved" "$tmp/store" | tr '\n' ' ')" = '600 700 ' ]
run eventring check "$saved"
ok "eventring check accepts the recording" exits 0
span() { eventring stat --json "$saved" | jq '(.last_ns - .first_ns) / 1e9 | . > 0.5 and . < 6'; }
ok "it has these seconds" [ "$(span)" = true ]
ok "the list has the number of its events, and of those that it lost" field_is \
  /api/saved '.saved[0] | [.events, .lost_events] | @tsv' \
  "$(eventring stat --json "$saved" | jq -r '[.total.events, .lost_events] | @tsv')"
post "/api/processes/$busy_id/save" '{"seconds":2}' >"$tmp/out"
ok "the next one gets another name" eval \
  '[ "$(jq -r .file "$tmp/out")" != "$saved" ] && [ -f "$(jq -r .file "$tmp/out")" ]'
ok "the store lists both" field_is /api/saved '.saved | length' 2
ok "it has no other file" [ "$(ls -A "$tmp/store" | wc -l)" = 2 ]
if can_be_nobody; then skip "a store that is read-only" "root may write anywhere"
else
  chmod 500 "$tmp/store"
  post "/api/processes/$busy_id/save" '{"seconds":2}' >"$tmp/out"
  ok "a store that is read-only is an error in words" out_has 'ermission denied'
  chmod 700 "$tmp/store"
fi

# Truth
end_server
begin 18
find_it() { serve "$pid" && find_process "$pid" && within 60 read_all "$pid"; }
ok "a process that the command line names" find_it
tell count 3000
sleep 0.3
from=$(age "$pid")
tell count 5000
tell slow
sleep 0.3
to=$(age "$pid")
sleep 0.3
tell count 1000
eventring dump "$pid" -o whole.evr 2>/dev/null
eventring cut --from="${from}ns" --to="${to}ns" whole.evr -o part.evr 2>/dev/null
eventring stat --json part.evr >stat.json
get "/api/processes/$id/stat?from=$from&to=$to" >served.json
same() { [ "$(jq -S "$1" stat.json)" = "$(jq -S "$1" served.json)" ]; }
ok "the window has events" eval '[ "$(jq .total.events stat.json)" -gt 10000 ]'
# The recording has another measure of the clock's rate: a difference of
# nanoseconds.
for what in .total.events .counts .total.minor_collections .total.allocated_words \
    .total.promoted_words '[.spans[] | [.name, .count]]' \
    '[.waits[] | [.name, .count]]' '.total.pauses | map_values(.count)' .causes \
    '[.domains[] | [.id, .events, .pauses.any.count]]' .requests; do
  ok "$what of a window: as in stat of a recording" same "$what"
done
close() {
  jq -n --argjson a "$(jq "$1" stat.json)" --argjson b "$(jq "$1" served.json)" -e \
    '$a > 0 and ($a - $b | fabs) <= 0.01 * $a'
}
for what in '.spans[] | select(.name == "job") | .p99_ns' .total.pauses.any.total_ns \
    .total.pauses.any.p99_ns .total.gc_ns; do
  ok "$what: within 1 %" close "$what"
done
eventring stat --json "$pid" >stat.json
get "/api/processes/$id/stat" >served.json
ok "all of a process: as in stat" same .counts
number() { jq '[.events[] | select(.name == "number")] | length' "$1"; }
get "/api/processes/$id/events?from=$from&to=$to&limit=10000&filter=name=number%20domain=0" \
  >served.json
ok "the events of the window, by a filter" [ "$(number served.json)" = 5000 ]
eventring events --json --name=number --domain=0 part.evr | jq -c '[.form, .value]' >a
jq -c '.events[] | [.form, .value]' served.json >b
ok "they are those of eventring events" cmp a b
ok "the names of events, events of the program first" field_is \
  "/api/processes/$id/names" \
  '(.names | index("number") < index("minor")) and (.names | length == (unique | length))' \
  true
get "/api/processes/$id/between?from=$from&to=$to&first=number+domain=0&then=number+domain=0" \
  >served.json
eventring latency --json --between='number domain=0' --and='number domain=0' \
  part.evr >a
pairs() { jq -c "$1 | [.first_events, .then_events, .replaced, .cut, .open]" "$2"; }
ok "the pairs of events of the window: as in latency of a recording" \
  [ "$(pairs .between a)" = "$(pairs . served.json)" ]
ok "each event but the last begins a pair" \
  [ "$(jq -c '[.count, .open, (.series.count | add)]' served.json)" = '[4999,1,4999]' ]
ok "the longest pair is in the histogram" eval '[ "$(jq "
  .max_ns == .longest[0].duration_ns and .max_ns < .buckets[-1].to_ns
  and .buckets[-1].from_ns <= .max_ns" served.json)" = true ]'
get "/api/processes/$id/events?limit=10" >served.json
ok "more events than the limit: it says so" eval \
  '[ "$(jq -c "[.more, (.events | length)]" served.json)" = "[true,10]" ]'
get "/api/processes/$id/timeline?from=$from&to=$to&width=500" >served.json
ok "the span of 30 ms is in the timeline" eval '[ "$(jq "
  .names as \$n | [.lanes[].spans[] | select(.[2] != null and \$n[.[2]] == \"job\" and .[4] == 1)
  | .[1] - .[0] | select(. > 29e6 and . < 6e9)] | length" served.json)" = 1 ]'
ok "no lane has more than 4 spans a pixel and 64" eval \
  '[ "$(jq "[.lanes[].spans | length] | max" served.json)" -le 2064 ]'
ok "diagnose: the object of the command" eval \
  '[ "$(field "/api/processes/$id/diagnosis" ".not_judged | length")" -gt 0 ]'
ok "the counter of the program is in the history" eval \
  'within 60 field_is "/api/processes/$id/history?tier=1s" ".counters.number[-1]" 1000'
# Adds up a column of the history of 1 s, as numbers for each second.
sum() { field "/api/processes/$id/history?tier=1s" "[$1 | .[] // 0] | add"; }
sum_is() { jq -n -e "($(sum "$1") - $2 | fabs) <= 0.001 * $2" >"$tmp/out"; }
ok "the spans of the program are in the history" within 60 sum_is .spans.job.per_s 11
ok "with their durations" sum_is '[.spans.job | [.per_s, .mean_ns] | transpose[] |
  (.[0] // 0) * (.[1] // 0)]' "$(jq '.spans[] | select(.name == "job") | .total_ns' stat.json)"
ok "and the time of its waits" sum_is '[.waits.blocking_section[] | (. // 0) * 1e9]' \
  "$(jq '.waits[] | select(.name == "blocking_section") | .total_ns' stat.json)"

# /metrics
get /metrics >metrics
if command -v promtool >/dev/null; then
  ok "promtool accepts the metrics" promtool check metrics <metrics
else skip "promtool accepts the metrics" "no promtool"; fi
ok "each series names its process" eval \
  '! grep -v "^#\|^$" metrics | grep -v "^eventring_processes " | grep -v "process=\"$pid\""'
ok "a wrong token is refused" code_is 401 -H 'Authorization: Bearer x' "$base/metrics"

# Lives of processes
state_is() { process_is "$1" .state "$2"; }
tell stop
tell start
sessions() { [ "$(process "$pid" .id | wc -l)" = 2 ]; }
ok "the next session of a process is another entry" within 60 sessions
eventring resize --quiet --wait 30s "$pid" 128K &
resizing=$!
sleep 0.3
# Reading the command is a safe point.
tell count 10
wait "$resizing"
larger() { [ "$(process "$pid" .id | wc -l)" = 3 ]; }
ok "a session with rings of another size is one, too" within 60 larger
echo exec >&9
ok "a process that executed another program is replaced" eval \
  'within 60 eval "process $pid .state | grep -q replaced"'
end_server
serve "$tmp/rings"
start idle threads 600
find_process "$pid"
ok "its threads are listed, with what each does" within 60 field_is \
  "/api/processes/$id/detail" \
  '.threads | map([.domain, .thread_id, .backup, .ended, .wait, .wait_share > 0.5]) | tostring' \
  '[[0,0,false,false,"blocking_section",true],[0,1,false,false,"blocking_section",true]]'
kill -9 "$pid"
wait "$pid" 2>/dev/null
dead=$(date +%s%N)
ok "a process that was killed is shown as killed" within 60 state_is "$pid" killed
began=$(process "$pid" .started_unix_ns)
ok "and has no numbers of the time after that" [ \
  "$(field "/api/processes/$id/history?tier=100ms" ".t[-1] + $began < $dead")" = true ]
ok "its numbers stay" eval '[ "$(field "/api/processes/$id/stat" .total.events)" -gt 0 ]'
start idle nothing 1
find_process "$pid"
ok "a process that ended is shown as ended" within 60 state_is "$pid" ended
start idle sleep 600
find_process "$pid"
within 60 read_all "$pid"
cp "$ring" "$tmp/rings/copy.eventring.keep"
truncate -s 8192 "$ring"
cut_short() { process "$pid" .error | grep -q 'cut shorter\|truncated'; }
ok "a file that is cut is an error in words" within 60 cut_short
ok "the others are shown as before" process_is "$busy" .state running
ok "answers about it are errors" eval \
  'with_token "$base/api/processes/$id/stat" | grep -q "^[45]"'
end_server
ok "the server ends in order" exits 0
ok "it had no complaint" [ ! -s serve.err ]

make_ring hostile
serve hostile.eventring
find_process 4242424
within 60 read_all 4242424
get /api/processes >a
get "/api/processes/$id/detail" >>a
get "/api/processes/$id/events" >>a
get "/api/processes/$id/timeline" >>a
ok "names with control characters and bytes that are not UTF-8 are JSON" jq -es . a
ok "in ASCII without control characters" sh -c "! LC_ALL=C grep -q '[^ -~]' a"
get /metrics >metrics
ok "and metrics" eval '! LC_ALL=C grep -q "[^ -~]" metrics'
if can_be_nobody; then
  chmod 600 hostile.eventring
  end_server
  as_nobody serve "$tmp/rings" --listen "unix:/dev/null/x" >/dev/null 2>&1
  chmod 755 "$tmp/rings"
  : >serve.out
  setpriv --reuid 65534 --regid 65534 --clear-groups "$tmp/eventring" serve \
    --token-file=/nonexistent "$tmp/rings" >/dev/null 2>&1
  setpriv --reuid 65534 --regid 65534 --clear-groups "$tmp/eventring" serve \
    "$tmp/rings" >serve.out 2>serve.err &
  server=$!
  started="$started $server"
  within 60 test -s serve.out
  url=$(head -n 1 serve.out) base=${url%/#*} token=${url#*token=}
  denied() { process "$busy" .error | grep -q 'ermission denied'; }
  ok "a process that the user may not read is shown as such" within 60 denied
fi
end_server
finish
