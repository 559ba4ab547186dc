#!/bin/sh
# If this breaks, a step of the system's clock stops the stream or the rules,
# mixes up the times of events, or has a limit remove what was saved last.
# Waits most of the time: for clocks and rules, which are looked at each second.
. "$(dirname "$0")/tap.sh"
. "$here/slow.sh"
cd "$tmp" || exit 1
mkdir rings
${CC:-cc} -O2 -fPIC -shared -Wall -Wextra -o clock.so "$here/clock.c" -ldl \
  >build.log 2>&1 || { echo "Bail out! $(cat build.log)"; exit 1; }

# step WHOSE SECONDS: the clock of the server or of the program is now ahead by
# SECONDS
step() { printf '%15d\n' "$2" 1<>"$tmp/$1.offset"; }
step program 0
step server 0
real=$EVENTRING_BIN
cat >stepped <<E
#!/bin/sh
LD_PRELOAD=$tmp/clock.so CLOCK_OFFSET=$tmp/server.offset exec "$real" "\$@"
E
chmod +x stepped

export LD_PRELOAD=$tmp/clock.so CLOCK_OFFSET=$tmp/program.offset
begin
unset LD_PRELOAD CLOCK_OFFSET
EVENTRING_BIN=$tmp/stepped
ok "the server starts" serve "$tmp/rings"
EVENTRING_BIN=$real
ok "the program is shown" find_process "$pid"
started_at=$(process "$pid" .started_unix_ns)

command curl -s -N -m 900 -H "Authorization: Bearer $token" \
  "$base/api/stream?process=$id" >stream &
streamer=$!
started="$started $streamer"
ticks() { sed -n '/^event: tick/{n;s/^data: //p}' stream | sed '$d'; }
number_of_ticks() { grep -c '^event: tick$' stream; }
more_ticks() { [ "$(number_of_ticks)" -gt "$1" ]; }
goes_on() { within 60 more_ticks $(($(number_of_ticks) + 10)); }
ok "a client gets ticks" goes_on

post /api/rules '{"when":"job","after_s":0.1,"distance_s":1,"max_files":2,
  "max_age_s":7200}' >body
rule_is() { field_is /api/rules ".rules[0] | $1" "$2"; }
watches() { field_is /api/rules .watched 1; }
within 60 watches
now() { date +%s; }
saves=0
# fire: has the rule fire; leaves the recording in $file
fire() {
  saves=$((saves + 1))
  sleep 1.1         # the distance of the rule
  tell request 1
  within 60 rule_is .saved $saves || return 1
  file=$(field /api/rules '.rules[0].last_result')
}
# dated FROM TO: the name of $file and its manifest have a time between FROM and
# TO, in seconds since 1970
dated() {
  name=$(basename "$file")
  stamp=$(echo "$name" | sed 's/.*-\(....\)\(..\)\(..\)T\(..\)\(..\)\(..\)Z.*/\1-\2-\3 \4:\5:\6Z/')
  stamp=$(date -d "$stamp" +%s)
  at=$(saved "select(.path == \"$file\") | .saved_unix_ns / 1e9 | floor")
  echo "$name: $stamp and $at, between $1 and $2"
  [ "$stamp" -ge "$1" ] && [ "$stamp" -le "$2" ] && [ "$at" -ge "$1" ] &&
    [ "$at" -le "$2" ]
}
# at OFFSET NAME: the server goes on when its clock is ahead by OFFSET
at() {
  step server "$1"
  from=$(($(now) + $1))
  ok "$2: ticks go on" goes_on
  ok "$2: the rule fires" fire
  ok "$2: the recording is sound" eventring check "$file"
  ok "$2: it has the date of the clock" dated "$from" $(($(now) + $1))
}
kept() {
  [ "$(ls "$EVENTRING_STORE" | grep '\.evr$' | sort)" = "$(basename -a "$@" | sort)" ]
}
at 0 "as it was"
first=$file
at 3600 "an hour forward"
second=$file
ok "no recording is older than the limit" kept "$first" "$second"
at -3600 "two hours back"
third=$file
ok "a recording of the future is not older than the limit" \
  kept "$second" "$third"
ok "the rule fires again" fire
ok "the limit of files keeps the last ones" kept "$third" "$file"
at 10800 "four hours forward"
ok "older recordings go, by the clock" kept "$file"

# The clock of the program
known=$(process "$pid" .now_ns)
for offset in 3600 -3600; do
  before=$(answers)
  echo "span 300" >&9
  step program $offset
  within 60 answered
done
duration() {
  eventring events --json --name=step "$ring" |
    jq -se 'map(.duration_ns // empty) | length == 2 and all(. >= 3e8 and . < 6e10)'
}
ok "spans in which the clock of the program is set have their durations" duration
ok "events are in order" eval 'eventring events --json --domain=0 "$ring" |
  jq -se "[.[].ns] | . == sort"'
ok "ticks go on" goes_on
ok "and the rule fires" fire
ok "the time since the start is not the clock's" eval \
  'within 60 process_is $pid ".now_ns - $known | . > 6e8 and . < 6e11" true'
ok "the process started when it did" process_is "$pid" .started_unix_ns "$started_at"
ok "ticks are in order, each once" eval \
  'ticks | jq -se "[.[].t] | length > 50 and . == unique"'
ok "so are the rows of the history" eval 'get "/api/processes/$id/history?tier=1s" |
  jq -e ".t | length > 5 and . == unique"'
kill "$streamer"
leave
end_server
ok "the server ends in order" exits 0
ok "it had no complaint" [ ! -s serve.err ]
finish
