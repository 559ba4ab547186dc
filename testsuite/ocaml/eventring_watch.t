#!/bin/sh
# Eventring.on_slow: a slow span that is not noticed, noticed twice, or taken
# for another.
. "$(dirname "$0")/programs.sh"
build eventring_watch unix check.ml recorded.ml

run_checks() {
  fresh; checks "$tmp/eventring_watch.$mode"
  fresh; checks "$tmp/eventring_watch.$mode" fork
}
both run_checks
finish
