#!/bin/sh
# If this breaks, a file that was made to do harm makes a reader crash, read
# memory that is not its own, or read for ever; or an option does so to the
# command, or a request to the server or to a hub.
#
# The inputs that did once, and the seeds; make fuzz looks for new ones.
. "$(dirname "$0")/../cli/tap.sh"
: "${EVENTRING_BUILD:=$EVENTRING_TOP/_build}"

export FUZZ_DIR="$tmp/fuzz"
for target in $("$here/run" --targets); do
  if [ -x "$EVENTRING_BUILD/fuzz/bin/$target" ]; then
    run "$here/run" 0 "$target"
    echo "# $(cat "$tmp/out")"
    ok "$target: nothing is found" exits 0
  else
    skip "$target: nothing is found" "no clang with libFuzzer"
  fi
done
finish
