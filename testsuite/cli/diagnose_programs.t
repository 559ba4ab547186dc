#!/bin/sh
# eventring diagnose: each rule has a program that provokes it, and one that
# comes close and must not.
# Only in make check-long: it measures; diagnose.t has events for each rule.
# Needs the machine alone: it diagnoses domains that wait for a processor.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile diagnose threads.cmxa

# record_mode MODE [VARIABLE=VALUE...]: runs that program, and leaves its ring
# in MODE.eventring.  It goes before all other programs, where that is allowed: a
# program that has to wait for a processor has late domains.
before_others=
chrt --rr 1 true 2>/dev/null && before_others="chrt --rr 1"
record_mode() {
  mode=$1
  shift
  rm -f rings/*
  case $mode in
    *more_domains_than_processors) by= ;;
    *) by=$before_others ;;
  esac
  env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    OCAML_EVENTRING_PREFIX="$tmp/rings" "$@" $by ./diagnose "$mode" &&
    mv rings/*.eventring "$mode.eventring"
}
# found RULE: ./out, of --json, has a finding of it
found() {
  jq -e --arg rule "$1" '.findings[] | select(.rule == $rule)' out
}
finds_none() { exits 0 && ! found "$1" && ! unjudged "$1"; }
unjudged() {
  jq -e --arg rule "$1" '.not_judged[] | select(.rule == $rule)' out
}
# fact RULE NAME: the value of that evidence
fact() {
  jq -r --arg rule "$1" --arg name "$2" '.findings[] |
    select(.rule == $rule) | .evidence[] | select(.name == $name) |
    .value | if type == "number" then . + 0 else . end' out
}
# sooner CONDITION RULE MODE...: one of twelve runs decides, since other programs
# may keep the processors, and a domain that does not run is late or slow
sooner() {
  condition=$1 of=$2
  shift 2
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
    record_mode "$@"
    run eventring diagnose --json "$1.eventring"
    "$condition" "$of" && return
  done
  return 1
}
# judge RULE [VARIABLE=VALUE...]
judge() {
  rule=$1
  shift
  ok "$rule: found in the program that has it" sooner found "$rule" "$rule" "$@"
  ok "$rule: not found in the program that comes close" \
    sooner finds_none "$rule" "near_$rule" "$@"
}
judge minor_heap_small OCAML_EVENTRING_CATEGORIES=all
ok "minor_heap_small: not found when all values stay" \
  sooner finds_none minor_heap_small all_values_stay \
  OCAML_EVENTRING_CATEGORIES=all
ok "remembered_set: nor is that" \
  sooner finds_none remembered_set all_values_stay \
  OCAML_EVENTRING_CATEGORIES=all
ok "promoted_by_old: nor is that" \
  sooner finds_none promoted_by_old all_values_stay \
  OCAML_EVENTRING_CATEGORIES=all
for rule in collector_time long_stop domain_late idle_domains explicit_collections \
  compaction custom_memory mutex_contention domain_lock_contention \
  more_domains_than_processors finalisers memory_growth fragmentation; do
  judge $rule
done
judge remembered_set OCAML_EVENTRING_CATEGORIES=all
judge promoted_by_old OCAML_EVENTRING_CATEGORIES=all
run eventring diagnose --json promoted_by_old.eventring
ok "promoted_by_old: remembered_set says nothing of it" eval \
  'exits 0 && ! found remembered_set'
judge hot_function OCAML_EVENTRING_PROFILE=1000

# The evidence
run eventring diagnose --json domain_late.eventring
ok "the domain that comes late is named" \
  [ "$(fact domain_late 'the worst, by its id')" = 0 ]
ok "so is its span" \
  [ "$(fact domain_late 'span of the program in it, mostly')" = marshal ]
run eventring diagnose --json hot_function.eventring
ok "the hot function is named" eval \
  'fact hot_function function | grep -q "Diagnose.hot"'

# A recording, and a process that runs
start diagnose more_domains_than_processors
eventring record -o live.evr "$pid" 2>err || exit 1
run eventring diagnose --json live.evr
ok "a recording: the processors are those of the machine" \
  [ "$(fact more_domains_than_processors processors)" = \
    "$(getconf _NPROCESSORS_ONLN)" ]
start diagnose forever
# The rules need half a second of its work.
for _ in $(seq 40); do
  sleep 0.3
  run eventring diagnose "$pid"
  ! out_has "(explicit_collections; certain)" || break
done
ok "a process that runs" eval 'exits 0 && out_has "(running):" &&
  out_has "(explicit_collections; certain)"'
# record FILE: by a recorder that loses nothing, in one of four runs
record() {
  for _ in 1 2 3 4; do
    eventring record --force --for=0.1 -o "$1" "$pid" 2>err || return 1
    run eventring diagnose --json "$1"
    finds_none events_lost && return
  done
  return 1
}
start diagnose many_events
ok "events_lost: not found in a recording" record 1.evr
sleep 0.6
ok "events_lost: not found in a later recording" record 2.evr
eventring cat -o both.evr 1.evr 2.evr || exit 1
run eventring diagnose --json both.evr
ok "events_lost: found in both together" found events_lost
finish
