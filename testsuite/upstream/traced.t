#!/bin/sh
# A program does something else when it is traced, or leaves a trace that makes
# no sense: upstream's own tests of callbacks, also in fibers, and the compilers
# that they run. make check-traced runs the tests of all folders.
# Needs the machine alone: upstream's tests run on each processor.
here=$(dirname "$0")
exec python3 "$here/run" --tap --tree "$EVENTRING_BUILD/ocaml" \
  --traced "$EVENTRING_BIN" --log "$EVENTRING_BUILD/log/upstream-traced.log" \
  callback
