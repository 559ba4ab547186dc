#!/bin/sh
# Events of the program through Eventring: a value cut short, one name for two
# things, an event of nobody's in a ring, an allocation where there should be
# none, an event lost for being written where programs rarely do.
. "$(dirname "$0")/programs.sh"
build eventring_events unix threads runtime_events check.ml recorded.ml

run_checks() {
  program=$tmp/eventring_events.$mode
  fresh
  checks env OCAMLRUNPARAM=e=20 "$program"
  ok "$mode: nothing on standard error" no_line
  fresh
  checks env OCAMLRUNPARAM=e=20 "$program" names
  ok "$mode: nothing on standard error about names" no_line
  fresh
  checks "$program" forks
  fresh
  run env OCAML_EVENTRING_KEEP=1 "$program" exits
  ok "$mode: in at_exit: it ends in order" eval 'exits 0 && no_line'
  ok "$mode: in at_exit: an event" shows '  late$'
  ok "$mode: in at_exit: a span" shows '  end       span$'
  ok "$mode: in at_exit: an event registered there" shows '  registered late$'
}
both run_checks
finish
