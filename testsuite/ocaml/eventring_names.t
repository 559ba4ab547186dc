#!/bin/sh
# Names of domains and threads: a name that is lost because it came before the
# start, one that another domain or thread gets, an event of the wrong thread, a
# program that ends for want of room.
. "$(dirname "$0")/programs.sh"
build eventring_names unix threads check.ml

run_checks() {
  program=$tmp/eventring_names.$mode
  fresh
  checks env OCAMLRUNPARAM=e=18 "$program"
  ok "$mode: nothing on standard error" no_line
  fresh
  checks "$program" forks
  fresh
  checks "$program" room
  ok "$mode: nothing on standard error about room" no_line
}
both run_checks
finish
