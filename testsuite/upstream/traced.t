#!/bin/sh
# A program does something else when it is traced, or leaves a trace that makes
# no sense: a few of upstream's own tests, of compaction and domains, and the compilers
# that they run. make check-traced runs the tests of all folders.
here=$(dirname "$0")
exec python3 "$here/run" --tap --jobs 1 --tree "$EVENTRING_BUILD/ocaml" \
  --traced "$EVENTRING_BIN" --log "$EVENTRING_BUILD/log/upstream-traced.log" \
  compaction lib-domain
