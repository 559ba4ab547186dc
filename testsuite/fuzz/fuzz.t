#!/bin/sh
# If this breaks, a file that was made to do harm makes a reader crash, read
# memory that is not its own, or read for ever; or an option does so to the
# command, or a request to the server.
#
# The inputs that did once, the seeds, and FUZZ_SECONDS of new ones for each
# target, as many targets at once as there are processors.  Two small targets
# get half of the time; handler parses the addresses of query too.  make fuzz
# keeps the new inputs that it finds.
. "$(dirname "$0")/../cli/tap.sh"
: "${EVENTRING_BUILD:=$EVENTRING_TOP/_build}"

targets="ring stock recording plain profile code handler options query"
built=
for target in $targets; do
  [ ! -x "$EVENTRING_BUILD/fuzz/bin/$target" ] || built="$built $target"
done
[ -z "$built" ] || printf '%s\n' $built |
  HERE=$here TMP=$tmp xargs -P "$(nproc)" -I TARGET sh -c '
    seconds=${FUZZ_SECONDS:-60}
    case TARGET in options | query) seconds=$(((seconds + 1) / 2)) ;; esac
    FUZZ_DIR=$TMP/TARGET "$HERE/run" "$seconds" TARGET \
      >"$TMP/TARGET.out" 2>"$TMP/TARGET.err"
    echo $? >"$TMP/TARGET.status"'
for target in $targets; do
  if [ -x "$EVENTRING_BUILD/fuzz/bin/$target" ]; then
    mv "$tmp/$target.out" "$tmp/out"; mv "$tmp/$target.err" "$tmp/err"
    read -r status <"$tmp/$target.status"
    echo "# $(cat "$tmp/out")"
    ok "$target: nothing is found" exits 0
  else
    skip "$target: nothing is found" "no clang with libFuzzer"
  fi
done
finish
