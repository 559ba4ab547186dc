#!/bin/sh
# The C interface, caml/runtime_events.h and caml/runtime_events_consumer.h:
# stubs written for it could no longer compile, link, or see every event.
. "$(dirname "$0")/programs.sh"
build c_interface c_reader.c runtime_events

run_checks() { fresh; checks "$tmp/c_interface.$mode"; }
both run_checks
finish
