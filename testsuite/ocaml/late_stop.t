#!/bin/sh
# If this breaks, a stop of more domains than one event has lacks the domain for which
# all others waited, and begins before that domain has stopped.
. "$(dirname "$0")/programs.sh"
build late_stop late_stop_stubs.c unix

late() {
  with="OCAML_EVENTRING_CATEGORIES=sync,user OCAMLRUNPARAM=d=160,s=4k,e=14"
  record late_stop 150
  last=$(cat "$tmp/out")
  eventring events --json "$(ring)" >all.json
  # The first stop that ended after the mark of the late domain
  jq -c -n 'first(inputs | select(.name == "late")).ns as $mark
    | first(inputs | select(.name == "stop_the_world" and .ns > $mark))
    | . + { $mark }' all.json >stop.json
  ok "$mode: the program has ended" exits 0
  ok "$mode: the stop has as many arrivals as an event can have" \
    jq -e '.fields.rounds | length == 120' stop.json
  ok "$mode: it has the domain that arrived last" \
    jq -e --argjson last "$last" 'any(.fields.rounds[]; .domain == $last)' stop.json
  ok "$mode: it begins when that domain has stopped" \
    jq -e '.ns - .duration_ns >= .mark' stop.json
}
both late
finish
