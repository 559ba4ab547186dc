#!/bin/sh
# Samples by perf_event_open: they do not come where the system allows them, or
# go on when samples are switched off; a program that must not use the call.  By
# ticks: a signal that the program takes is the last one.  By alarms: they interrupt a
# sleep in a blocking section, or stay away.
. "$(dirname "$0")/programs.sh"
compile_to perf.opt ocamlopt unix threads profile_perf_stubs.c profile_perf.ml ||
  give_up perf.opt

# begin [VARIABLE=VALUE] PROGRAM [ARG]: sampled 1000 times a second; filter is only
# sampled when it forbids the call
begin() {
  fresh
  env OCAML_EVENTRING_START=1 OCAML_EVENTRING_PROFILE=1000 OCAMLRUNPARAM=e=16 \
    "$@" >out 2>errors &
  pid=$!
  started="$started $pid"
  within 60 [ -s "$pid.eventring" ]
}
end() {
  : >stop
  wait "$pid"
  ok "$1: the program ends in order" eval \
    '[ $? = 0 ] && [ "$(cat out)" = end ] && [ ! -s errors ]'
}
# sample NS: the ring has a sample of such a time
sample() {
  eventring events --json "$pid" 2>/dev/null |
    grep -q "\"cpu_sample\".*\"cpu_time\":$1,"
}
samples() { eventring events "$pid" 2>/dev/null | grep -c ' cpu_sample '; }
more_than() { [ "$(samples)" -gt "$1" ]; }
# The pages of events in the program's memory
events() { grep -c 'anon_inode:\[perf_event\]' "/proc/$pid/maps"; }
has_events() { [ "$(events)" = "$1" ]; }
forbids() { grep -q '^Seccomp:.*2$' "/proc/$pid/status"; }
in_profile() { eventring profile "$pid" 2>/dev/null | grep -q "$1"; }
# profile_is FILTER: jq says so of the profile
profile_is() {
  eventring profile --json "$pid" 2>/dev/null | jq -e "$1" >/dev/null
}

if perf_is_allowed; then
  begin "$tmp/perf.opt"
  ok "samples of a period of the event" within 60 sample 961803
  ok "the profile has the time of the process" \
    within 60 profile_is '.process_cpu_ns > 0'
  ok "it has no file open" eval '! ls -l "/proc/$pid/fd" | grep perf_event'
  run eventring enable --rate=500 "$pid" profile
  ok "another rate: another period" within 60 sample 1923606
  ok "one event for one thread" within 60 has_events 1
  run eventring disable "$pid" profile
  ok "samples switched off: no event is left" within 60 has_events 0
  run eventring enable "$pid" profile
  ok "samples switched on: an event" within 60 has_events 1
  run eventring detach "$pid"
  ok "tracing ended: no event is left" within 60 has_events 0
  end "samples"
else
  skip "samples by events" "perf_event_open is not allowed"
fi

for refusal in "OCAML_EVENTRING_PROFILE_PERF=0 $tmp/perf.opt" \
  "OCAML_EVENTRING_PROFILE=0 $tmp/perf.opt filter"; do
  # shellcheck disable=SC2086
  begin $refusal
  case $refusal in *filter)
    within 60 forbids
    run eventring enable --rate=1000 "$pid" profile ;;
  esac
  ok "${refusal##*/}: samples, for several searches for threads" \
    within 60 more_than 50
  ok "${refusal##*/}: no event" has_events 0
  ok "${refusal##*/}: the profile says that samples are taken at ticks" \
    within 60 in_profile ' of processor time by ticks in '
  end "${refusal##*/}"
done

begin env OCAML_EVENTRING_PROFILE_PERF=0 OCAML_EVENTRING_PROFILE_ALARMS=1 \
  "$tmp/perf.opt" naps
ok "alarms: most of the time is not sampled at ticks" within 60 \
  profile_is '(.tick_ns | numbers) < .covered_cpu_ns / 2'
run eventring disable "$pid" profile
run eventring enable "$pid" profile
before=$(samples)
ok "samples switched off and on: they go on" within 60 more_than "$((before + 20))"
end "alarms"

begin env OCAML_EVENTRING_PROFILE_PERF=0 "$tmp/perf.opt" take
ok "a program that takes signals: samples before" within 60 more_than 0
: >take
ok "it has taken three of the sampler's signals" within 60 [ -e taken ]
before=$(samples)
ok "samples go on after that" within 60 more_than "$((before + 20))"
end "signals taken"
finish
