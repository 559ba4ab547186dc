#!/bin/sh
# Eventring.on_slow: a slow span that is not noticed, noticed twice, or taken
# for another.
. "$(dirname "$0")/programs.sh"
build eventring_watch unix check.ml recorded.ml
build watch_threads unix threads

run_checks() {
  fresh; checks "$tmp/eventring_watch.$mode"
  fresh; checks "$tmp/eventring_watch.$mode" fork
  fresh; checks "$tmp/watch_threads.$mode"
}
both run_checks
finish
