#!/bin/sh
# Eventring.flush: a recorder could keep its events to the end of its flush
# interval all the same, or write each of them without being asked.
. "$(dirname "$0")/programs.sh"
build flush flush_stubs.c

size() { stat -c %s "$1"; }
grows() { [ "$(size "$1")" -gt "$before" ]; }
marks() { eventring events "$1" 2>/dev/null | grep -c '  line$'; }
has_marks() { [ "$(marks "$1")" = "$2" ]; }

flushes() {
  fresh
  mkfifo lines
  # User events only: no other reason to write.
  OCAML_EVENTRING_START=1 OCAML_EVENTRING_CATEGORIES=user \
    "$tmp/flush.$mode" <lines 2>errors &
  pid=$!
  started="$started $pid"
  exec 9>lines
  within 60 [ -s "$pid.eventring" ]
  "$EVENTRING_BIN" record "$pid" --flush-interval 1h -o - >stream 2>/dev/null \
    9>&- &
  stream=$!
  "$EVENTRING_BIN" record "$pid" --flush-interval 1h -o file.evr 2>/dev/null \
    9>&- &
  file=$!
  started="$started $stream $file"
  within 60 eval '[ -s stream ] && [ -s file.evr ]'
  sleep 0.5
  before=$(size stream)
  echo one >&9
  sleep 1
  ok "$mode: without a flush nothing is written" [ "$(size stream)" = "$before" ]
  echo flush >&9
  ok "$mode: flush: standard output gets the events" within 60 grows stream
  ok "$mode: flush: both events are there" within 60 has_marks stream 2
  ok "$mode: flush: the file has them too" within 60 has_marks file.evr 2
  echo c_flush >&9
  ok "$mode: a flush by C code: the next event is there" \
    within 60 has_marks stream 3
  before=$(size stream)
  echo four >&9
  sleep 1
  ok "$mode: the event after the flush waits" [ "$(size stream)" = "$before" ]
  exec 9>&-
  wait "$pid"
  ok "$mode: the program ends in order" [ $? = 0 ]
  wait "$stream" "$file"
  ok "$mode: the end of the program: all events are there" eval \
    'has_marks stream 4 && has_marks file.evr 4'
  run env OCAML_EVENTRING_START=0 "$tmp/flush.$mode" <errors
  ok "$mode: a flush of a program that is not traced does nothing" \
    eval 'exits 0 && silent'
}
both flushes
finish
