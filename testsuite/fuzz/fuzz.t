#!/bin/sh
# If this breaks, a file that was made to do harm makes a reader crash, read
# what is not its own, or read for ever; or an option does so to the command.
#
# The inputs that did once, the seeds, and some seconds of new ones; make fuzz
# is the longer form.
. "$(dirname "$0")/../cli/tap.sh"
: "${EVENTRING_BUILD:=$EVENTRING_TOP/_build}"

targets="ring stock recording plain options"
for target in $targets; do
  if [ -x "$EVENTRING_BUILD/fuzz/bin/$target" ]; then
    run env FUZZ_DIR="$tmp/fuzz" "$here/run" 3 $target
    ok "$target: nothing is found" exits 0
  else
    skip "$target: nothing is found" "no clang with libFuzzer"
  fi
done
finish
