#!/bin/sh
# eventring diagnose: each rule has a program that provokes it, and one that
# comes close and must not.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile diagnose threads.cmxa

# traced MODE [VARIABLE=VALUE...]: runs that program, and leaves its ring in
# MODE.eventring
traced() {
  mode=$1
  shift
  rm -f rings/*
  env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    OCAML_EVENTRING_PREFIX="$tmp/rings" "$@" ./diagnose "$mode" &&
    mv rings/*.eventring "$mode.eventring"
}
# found RULE: ./out, of --json, has a finding of it
found() {
  jq -e --arg rule "$1" '.findings[] | select(.rule == $rule)' out
}
finds_none() { exits 0 && ! found "$1" && ! unjudged "$1"; }
unjudged() { jq -e --arg rule "$1" '.not_judged[] | select(.rule == $rule)' out; }
# fact RULE NAME: the value of that evidence
fact() {
  jq -r --arg rule "$1" --arg name "$2" '.findings[] |
    select(.rule == $rule) | .evidence[] | select(.name == $name) | .value' out
}
# sooner CONDITION RULE MODE...: other programs may keep the processors, which is
# late or slow for a rule, so one of four runs decides
sooner() {
  condition=$1 of=$2
  shift 2
  for _ in 1 2 3 4; do
    traced "$@"
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
for rule in domain_late idle_domains explicit_collections \
  compaction custom_memory mutex_contention domain_lock_contention \
  more_domains_than_processors finalisers memory_growth fragmentation; do
  judge $rule
done
judge remembered_set OCAML_EVENTRING_CATEGORIES=all
judge hot_function OCAML_EVENTRING_PROFILE=1000
finish
