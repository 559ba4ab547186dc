#!/bin/sh
# User events through Runtime_events: values cut short, names lost, a cursor
# left unusable by an exception, one event's decoder given another's bytes.
. "$(dirname "$0")/programs.sh"
build user_events unix runtime_events check.ml

run_checks() {
  fresh
  checks env OCAML_EVENTRING_KEEP=1 OCAMLRUNPARAM=e=20 "$tmp/user_events.$mode"
  ok "$mode: their names are in the file" shows '  counter   number  '
  ok "$mode: all 63 bits are in the file" \
    shows '  number  -4611686018427387904$'
  ok "$mode: texts are in the file" shows '  inner  "inside"$'
}
both run_checks
finish
