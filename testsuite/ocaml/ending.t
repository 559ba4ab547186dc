#!/bin/sh
# The end of a ring file: it could be readable by others, stay behind, vanish
# though it was to be kept, not tell how its process ended, or be unreadable
# after a kill at the wrong moment.
. "$(dirname "$0")/programs.sh"
build plain
build endless unix
build forever

START=OCAML_EVENTRING_START KEEP=OCAML_EVENTRING_KEEP

ended() {
  fresh
  # The mode of the file never allows others, under any umask.
  run env $START=1 $KEEP=1 sh -c 'umask 0; exec "$0"' "$tmp/plain.$mode"
  ok "$mode: the file is for its user alone" \
    [ "$(stat -c %a "$(ring)")" = 600 ]
  run eventring stat "$(ring)"
  ok "$mode: kept, it says that the program ended" out_has '(ended)'
  fresh; run env $START=1 "$tmp/plain.$mode"
  ok "$mode: removed at the end" eval 'exits 3 && no_ring'
  fresh; run env $START=1 sh -c 'umask 0777; exec "$0"' "$tmp/plain.$mode"
  ok "$mode: an odd umask: no worse than one line" \
    eval 'exits 3 && [ "$(wc -l <"$tmp/err")" -le 1 ] && no_ring'
}
both ended

# endless HOW: ends itself by HOW after it has written events
how() {
  for how in exit2 uncaught _exit abort; do
    fresh; run env $START=1 $KEEP=1 "$tmp/endless.$mode" $how
    traced_status=$status
    ok "$mode: $how: the file is readable" shows '  begin     minor$'
    fresh; run "$tmp/endless.$mode" $how
    ok "$mode: $how: exit code as without tracing" exits "$traced_status"
  done
  fresh; run env $START=1 "$tmp/endless.$mode" uncaught
  ok "$mode: an uncaught exception is a crash: the file stays" \
    shows "  minor\$"
  run eventring stat "$(ring)"
  ok "$mode: an uncaught exception: the program ended, it was not killed" \
    out_has '(ended)'
  fresh; run env $START=1 "$tmp/endless.$mode" domains
  ok "$mode: at_exit with a domain running: the file is removed" \
    eval 'exits 0 && no_ring'
  fresh; run env $START=1 "$tmp/endless.$mode" replace
  ok "$mode: somebody else's file of that name at the end is left alone" \
    [ "$(cat "$(ring)")" = other ]
  fresh; run env $START=1 "$tmp/endless.$mode" remove
  ok "$mode: the file removed under the running program: as usual" \
    eval 'exits 0 && no_line && no_ring'
}
both how

# Where /proc is not mounted, as in many a root that was changed
without_proc() {
  fresh
  run env $START=1 $KEEP=1 unshare -m sh -c \
    'mount -t tmpfs none /proc && exec "$0"' "$tmp/plain.$mode"
  run eventring stat --json "$(ring)"
  ok "$mode: without /proc, the file has the name of the program" jq -e \
    '.process.program != null and .process.argv0 != null' "$tmp/out"
}
if unshare -m sh -c 'mount -t tmpfs none /proc' 2>/dev/null; then
  both without_proc
else
  skip "without /proc" "needs root"
fi

# reached STEP: the program has been started (1), it has its file (2), which is not
# empty (3); then the file can be read, with as many collections as steps after 4
reached() {
  case $1 in
    1) ;;
    2) [ -e $victim.eventring ] ;;
    3) [ -s $victim.eventring ] ;;
    *) eventring events $victim.eventring >seen 2>/dev/null &&
         [ "$(grep -c '  minor$' seen)" -ge $(($1 - 4)) ] ;;
  esac
}

# Killed at twenty moments, from before the file exists to long after
killed() {
  wrong=0
  for step in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    fresh
    env $START=1 OCAMLRUNPARAM=e=10 "$tmp/forever.$mode" &
    victim=$!
    started="$started $victim"
    within 60 reached $step || wrong=$((wrong + 1))
    kill -9 $victim
    wait $victim 2>/dev/null
    [ $step -gt 3 ] || [ -s $victim.eventring ] || continue
    run eventring events $victim.eventring
    exits 0 && { [ $step -le 4 ] || out_has '  minor$'; } && continue
    # Killed before the header was whole: refused in words is right.
    [ $step -le 3 ] && err_has 'not a ring file' && continue
    wrong=$((wrong + 1))
    echo "# step $step: status $status, $(head -n 1 "$tmp/err")"
  done 2>/dev/null
  ok "$mode: killed at any moment: readable" [ $wrong = 0 ]
  run eventring stat $victim.eventring
  ok "$mode: killed: says so" out_has '(killed)'
}
both killed
finish
