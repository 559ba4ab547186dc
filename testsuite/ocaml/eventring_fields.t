#!/bin/sh
# The fields of the runtime's events, through Eventring.Cursor: a number that is
# not Gc's, a field under another's name, a wrong cause, a wait that is not seen
# or is seen twice.
. "$(dirname "$0")/programs.sh"
build eventring_fields unix check.ml

run_checks() {
  fresh
  checks env OCAMLRUNPARAM=e=18 "$tmp/eventring_fields.$mode"
  ok "$mode: nothing on standard error" no_line
}
both run_checks
finish
