#!/bin/sh
# Counters of Runtime_events that the rings have as fields of other events: one
# that no longer comes, in another order or unit, twice, or not after a poll
# that an exception ended.
. "$(dirname "$0")/programs.sh"
since 5.3 ||
  { echo "1..0 # SKIP Runtime_events of this OCaml has no pacing counters"; exit; }
build runtime_counters runtime_events check.ml

run_checks() {
  fresh
  checks env OCAMLRUNPARAM=e=18 "$tmp/runtime_counters.$mode"
  ok "$mode: nothing on standard error" no_line
}
both run_checks
finish
