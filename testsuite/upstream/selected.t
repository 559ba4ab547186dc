#!/bin/sh
# Upstream's own tests of the folders in `selected`, run in the fork's tree.
# Only in make check-long: traced.t has some of them.
# Needs the machine alone: upstream's tests run on each processor.
here=$(dirname "$0")
exec python3 "$here/run" --tap --tree "$EVENTRING_BUILD/ocaml" \
  --log "$EVENTRING_BUILD/log/upstream-selected.log" \
  $(grep -v '^#' "$here/selected")
