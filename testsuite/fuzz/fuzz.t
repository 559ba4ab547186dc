#!/bin/sh
# If this breaks, a file that was made to do harm makes a reader crash, read
# memory that is not its own, or read for ever; or an option does so to the
# command, or a request to the server or to a hub.
# Needs the machine alone: it fuzzes on each processor.
#
# The inputs that did once, the seeds, and new ones, as many targets at once as
# there are processors.  The requests of eventring serve, handler and query, get
# FUZZ_SECONDS, by default a minute; each other target gets a quarter of it.
# make fuzz gives each target the whole time, and keeps the inputs that it finds.
. "$(dirname "$0")/../cli/tap.sh"
: "${EVENTRING_BUILD:=$EVENTRING_TOP/_build}"

targets="handler query ring stock recording plain profile code options hub place"
built=
for target in $targets; do
  [ ! -x "$EVENTRING_BUILD/fuzz/bin/$target" ] || built="$built $target"
done
[ -z "$built" ] || printf '%s\n' $built |
  HERE=$here TMP=$tmp xargs -P "$(nproc)" -I TARGET sh -c '
    seconds=${FUZZ_SECONDS:-60}
    case TARGET in handler | query) ;; *) seconds=$(((seconds + 3) / 4)) ;; esac
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
