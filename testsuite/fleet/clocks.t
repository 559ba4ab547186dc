#!/bin/sh
# Clocks that are hours apart, in time namespaces: of a program, of an agent, of a
# hub.
# Only in make check-long: it waits for clocks.
. "$(dirname "$0")/agent.sh"
uptime_is_shifted() {
  [ "$(unshare --time --boottime 90000000 cut -d . -f 1 /proc/uptime)" \
    -ge 90000000 ]
} 2>/dev/null
uptime_is_shifted || { echo "1..0 # SKIP no time namespaces"; exit 0; }
compile counted

# A program with clocks that are 5 and 7 hours ahead
cat >ahead <<'END'
#!/bin/sh
exec unshare --time --monotonic 18000 --boottime 25200 "$PROGRAM" "$@"
END
chmod +x ahead
mv counted counted.program
PROGRAM=$tmp/counted.program
export PROGRAM
ahead() { cp ahead counted; }
here_and_now() { cp counted.program counted; }

start_hub || exit 1
start_agent --node n1 "$join"
within 60 [ -s "$state/hub" ]
ahead
count 2 20 0.005
other=$ring
categories=all
count 1 20 0.005
categories=
another=$pid
"$EVENTRING_BIN" record "$another" --dir rings -o local.evr 2>local.err &
local=$!
started="$started $local"
here_and_now
count 1 20 0.005
runs() {
  eventring ps --hub "$read" --json >ps.json &&
    [ "$(jq '[.processes[] | select(.state == "running" and .events > 100)] |
      length' ps.json)" = 3 ]
}
ok "programs of two time namespaces run" within 60 runs
rate_of() {
  eventring ps --dir rings --json >rates &&
    jq -e ".processes[] | select(.pid == $1) | .events_per_second > 100" rates
}
ok "ps has the rate of a program of another time namespace" rate_of "$another"
eventring ps --hub "$read" >ps.out
ok "the last data of all is seconds old" \
  [ "$(grep -c '  [0-9.]*m*s  *[0-9a-f-]*$' ps.out)" = 3 ]
sleep 1
crash "$agent"
start_agent
sleep 0.5
stop_counting
wait "$local"
rm -f "rings/$another.out"
mv "rings/$another.eventring" "$tmp/all.eventring"
ok "each event of them is at the hub, or counts as lost" eval \
  'within 60 arrived && within 60 conserved'
in_ticks() { sed 's/^[^\t]*\t//; /\tcomplete\t/s/\t[^\t]*$//'; }
eventring events --raw local.evr | in_ticks >local.raw
eventring events --raw --hub "$read" "n1/$another" | in_ticks >hub.raw
ok "the events are the events of a local recording" eval \
  'grep -q ", 0 lost" local.err && [ -s local.raw ] && cmp local.raw hub.raw'
# near FILE TARGET...: the duration of the events, within a millisecond
span_of() { eventring get "$@" first_ns last_ns |
  awk '{ v[NR] = $2 } END { printf "%.0f\n", (v[2] - v[1]) / 1e6 }'; }
ok "their times span the time that they took" \
  [ "$(span_of local.evr)" -ge 1400 -a "$(span_of local.evr)" -le 60000 ]
a=$(span_of local.evr) b=$(span_of --hub "$read" "n1/$another")
ok "and the hub's as long" [ $((a - b)) -ge -1 -a $((a - b)) -le 1 ]
ok "its start is a time of today" eval \
  't=$(eventring get --hub "$read" "n1/$another" process.started_unix_ns)
   now=$(date +%s) && t=$((t / 1000000000)) &&
   [ $((now - t)) -ge 1 -a $((now - t)) -le 120 ]'
rm rings/*

# A program that ends while no agent runs
end_agent
ahead
count 1 20 0.005
sleep 0.3
stop_counting
start_agent
ok "a program that has ended before the agent came is not forgotten" eval \
  'within 60 arrived && within 60 conserved'
rm rings/*
here_and_now
end_agent
crash "$hub"

# An agent, and a hub
#
# offset: the clock of the hub minus the clock of the agent, by the report; and
# its bound
offset_is() {
  got 200 nodes && has ".nodes[0].clock |
    (.offset_ns - $1000000000 | fabs) <= .bound_ns and .bound_ns < 5000000000"
}
command_of() {
  cat >"$1" <<END
#!/bin/sh
exec unshare --time --monotonic $2 --boottime $3 "$EVENTRING_BIN" "\$@"
END
  chmod +x "$1"
}
command_of agent_ahead 36000 36100
command_of hub_ahead 7200 7300
plain=$EVENTRING_BIN
round() {
  count 2 20 0.005
  first=$pid
  sleep 0.5
  crash "$agent"
  EVENTRING_BIN=$1
  start_agent
  EVENTRING_BIN=$plain
  sleep 0.5
  stop_counting
}
restart_hub
EVENTRING_BIN=$tmp/agent_ahead
start_agent
EVENTRING_BIN=$plain
ok "the offset of an agent 10 hours ahead is within its bound" \
  within 60 offset_is -36000
round "$tmp/agent_ahead"
ok "and nothing is unaccounted" eval 'within 60 arrived && within 60 conserved'
rm rings/*
round "$plain"
ok "nor when another agent goes on with another clock" eval \
  'within 60 arrived && within 60 conserved'
ok "the offset of its clock is within the bound" within 60 offset_is 0
rm rings/*
crash "$hub"
EVENTRING_BIN=$tmp/hub_ahead
restart_hub
EVENTRING_BIN=$plain
ok "the offset to a hub 2 hours ahead is within its bound" \
  within 60 offset_is 7200
round "$tmp/agent_ahead"
ok "nothing is unaccounted with three clocks" eval \
  'within 60 arrived && within 60 conserved'
ok "and the offset of both is within its bound" within 60 offset_is -28800
ok "nothing of that is worth a line" eval \
  '! grep -v "^eventring: agent: [0-9]* sessions\|cannot be used\|answers again" \
     agent.err'
finish
