#!/bin/sh
# Standard error that the program closed, or made another file: the runtime's
# messages could go to a file of the program's.
. "$(dirname "$0")/../ocaml/programs.sh"
here=$EVENTRING_TOP/testsuite/fault
build stderr unix
START=OCAML_EVENTRING_START

messages() {
  fresh
  run env $START=1 "$tmp/stderr.$mode" stay ../data
  ok "$mode: standard error as it was: it gets the message" eval \
    'exits 0 && one_line "was cut short" && [ "$(cat ../data)" = data ]'
  fresh
  run env $START=1 "$tmp/stderr.$mode" dup ../data
  ok "$mode: descriptor 2 is another file now: that has only the data" \
    eval 'exits 0 && no_line && [ "$(cat ../data)" = data ]'
  fresh
  run sh -c 'exec env '$START'=1 "$@" 2>&-' - "$tmp/stderr.$mode" open ../data
  ok "$mode: closed at the start, and its number used again: likewise" \
    eval 'exits 0 && [ "$(cat ../data)" = data ]'
  fresh
  run sh -c 'exec env '$START'=1 OCAML_EVENTRING_PREFIX=/nowhere "$@" 2>&-' \
    - "$tmp/stderr.$mode" stay ../data
  ok "$mode: closed at the start, and no trace: the program runs as ever" \
    eval '[ "$(tail -n 1 ../data)" = data ]'
}
both messages
finish
