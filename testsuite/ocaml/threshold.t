#!/bin/sh
# The shortest wait that is recorded can be changed at run time: a change that
# does not hold, a wait that is recorded and should not be, or a number in the
# file that does more than that.
. "$(dirname "$0")/programs.sh"
build threshold unix check.ml

run_checks() {
  fresh
  checks "$tmp/threshold.$mode"
  fresh
  checks env OCAML_EVENTRING_CLOCK=monotonic "$tmp/threshold.$mode"
}
both run_checks
finish
