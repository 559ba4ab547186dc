#!/bin/sh
# Killed at any moment, a program could leave a file that is not readable, or
# that lacks events from before.
. "$(dirname "$0")/../ocaml/programs.sh"
here=$EVENTRING_TOP/testsuite/fault
build crash unix crash_stubs.c

crashes() {
  fresh
  OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 OCAMLRUNPARAM=e=17 \
    perl "$here/crash.pl" "$tmp/crash.$mode" "$EVENTRING_BIN" 20 0 "$1" \
    >"$tmp/said" 2>&1
  status=$?
  cat "$tmp/said"
  ok "$mode: killed at any moment: all events are there, up to the last" \
    exits 0
}
mode=opt crashes 1
mode=byte crashes 2
finish
