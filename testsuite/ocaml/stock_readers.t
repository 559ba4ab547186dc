#!/bin/sh
# Readers made for stock OCaml look for PID.events: they could find no file of a
# program that was started in the way of stock OCaml, or find and refuse it.
# olly.t tries a real one.
. "$(dirname "$0")/programs.sh"
build stock_calls unix runtime_events
build fork raw_fork.c unix runtime_events
build switch unix runtime_events check.ml
build plain
. "$here/waiting.sh"
is_ours() { [ "$(head -c 16 "$1")" = 'OCaml Eventring' ]; }

same_calls() {
  fresh
  run "$tmp/stock_calls.$mode" launch "$PWD" "$tmp/plain.$mode"
  ok "$mode: launched with the variables of stock OCaml: read" \
    eval 'exits 0 && no_line && out_has "^read\$"'
  ok "$mode: launched: there was no other file" no_ring
  run "$tmp/stock_calls.$mode" start
  ok "$mode: Runtime_events.start: the name of stock OCaml" \
    eval 'exits 0 && no_line && out_has "^named\$"'
  ok "$mode: Runtime_events.start: the file is removed at the end" no_ring
  waiting
  ok "$mode: the file has our magic" is_ours "$pid.events"
  run "$tmp/stock_calls.$mode" attach "$PWD" "$pid"
  ok "$mode: attached: read" eval 'exits 0 && no_line && out_has "^read\$"'
  run eventring events "$pid.events"
  ok "$mode: the command reads the file" \
    eval 'exits 0 && out_has "  counter  *number  1\$"'
  over
  fresh
  run env ${OLD}_START=1 ${OLD}_PRESERVE=1 "$tmp/fork.$mode" child
  ok "$mode: a forked child has the same kind of name" \
    eval 'exits 0 && [ "$(ls | sed "s/[0-9]*//" | uniq -c)" = "      2 .events" ]'
  fresh
  run env ${OLD}_START=1 OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    "$tmp/plain.$mode"
  ok "$mode: our variable wins, and gives our name" \
    eval '[ "$(ls | sed "s/[0-9]*//")" = .eventring ]'
}
both same_calls

finish
