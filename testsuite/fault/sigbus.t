#!/bin/sh
# The ring file is cut short or its disk fails while the program runs: it could
# die of SIGBUS, in any of its threads; or a SIGBUS that is the program's own
# affair could be swallowed.
. "$(dirname "$0")/../ocaml/programs.sh"
here=$EVENTRING_TOP/testsuite/fault
build sigbus unix sigbus_stubs.c

START=OCAML_EVENTRING_START KEEP=OCAML_EVENTRING_KEEP

# traced ARGUMENT...: runs the program untraced, with its output in
# $tmp/expected and its exit code in $expected, then traced
traced() {
  fresh
  "$tmp/sigbus.$mode" "$@" >"$tmp/expected" 2>/dev/null
  expected=$?
  fresh
  run env $START=1 FIRST=$$ "$tmp/sigbus.$mode" "$@"
}
as_untraced() { exits "$expected" && diff "$tmp/expected" "$tmp/out"; }
lost() { one_line "$tmp/w/" 'cut short' 'tracing is off'; }

cut() {
  # All of it; in the header, the schema, the directory and rings.
  for length in $1; do
    traced cut $length
    ok "$mode: cut to $length bytes: as untraced" as_untraced
    # In the control page, the rest of it is zeros: a pause.
    [ $length = 100 ] ||
      ok "$mode: cut to $length bytes: one line says so" lost
    ok "$mode: cut to $length bytes: its rest is removed at the end" no_ring
  done
  traced last
  ok "$mode: a backup thread finds it: as untraced" as_untraced
  ok "$mode: a backup thread finds it: one line says so" lost
  traced stopped
  fresh; run env $START=1 $KEEP=1 "$tmp/sigbus.$mode" stopped
  ok "$mode: cut when the recorder has been stopped: nobody's business" \
    eval 'as_untraced && no_line'
  traced fiber
  ok "$mode: a fiber finds it: as untraced" eval 'as_untraced && lost'
  traced read
  ok "$mode: a cursor of the program finds it: as untraced" \
    eval 'as_untraced && lost'
  fresh; run env $START=1 "$tmp/sigbus.$mode" cursors 200
  ok "$mode: a file with 200 cursors of the program is cut: the program goes on" \
    eval 'exits 3 && no_line && out_has "^200 cursors\$"'
  traced cut 0
  with=OCAML_EVENTRING_CATEGORIES=all
  for try in 1 2; do
    fresh
    run env $START=1 $with OCAMLRUNPARAM=s=4k "$tmp/sigbus.$mode" cut 0
    ok "$mode: all categories, small minor heaps, $try: as untraced" \
      eval 'as_untraced && lost'
  done
}
mode=opt cut "0 100 4096 5000 5400000 5500000 6100000"
mode=byte cut "0 5500000"

disk=$tmp/disk
clean_up_disk() { umount "$disk" 2>/dev/null; clean_up; }
trap clean_up_disk EXIT
disk_fails() {
  mkdir -p "$disk"
  if ! mount -t tmpfs -o size=64m eventring-test "$disk" 2>/dev/null; then
    skip "$mode: the disk fails" "cannot mount a small disk"
    return
  fi
  traced punch "$disk/filler"
  rm -f "$disk/filler"
  run env $START=1 OCAML_EVENTRING_PREFIX="$disk" \
    "$tmp/sigbus.$mode" punch "$disk/filler"
  ok "$mode: no pages and none to be had: as untraced" as_untraced
  ok "$mode: no pages: one line says so" \
    one_line "$disk/" 'its disk failed' 'tracing is off'
  umount "$disk"
}
both disk_fails

goes_on() {
  fresh
  run env $START=1 $KEEP=1 "$tmp/sigbus.$mode" again
  ok "$mode: tracing can be started anew" eval 'exits 3 && lost &&
    [ "$(grep -c -x -e false -e true "$tmp/out")" = 2 ]'
  ok "$mode: it was off, and is on" \
    [ "$(grep -x -e false -e true "$tmp/out" | tr '\n' ' ')" = 'false true ' ]
  ok "$mode: the second file has what came then" inside again eval \
    'shows "  ring_stop  " && shows "  counter   *work  *300\$"'
  ok "$mode: and nothing is wrong with it" \
    inside again eval 'eventring check "$(ring)"'

  fresh
  run env $START=1 FIRST=$$ "$tmp/sigbus.$mode" fork
  ok "$mode: a fork afterwards: both go on" eval 'exits 3 && lost &&
    out_has "child ended well" && out_has true'
  ok "$mode: a fork afterwards: no files" no_ring

  fresh
  run env $START=1 "$tmp/sigbus.$mode" snapshot
  ok "$mode: snapshot and control afterwards do nothing" eval \
    'exits 3 && lost && out_has "no snapshot" && out_has "^false "'
}
both goes_on

# handler MOMENT HOW WHAT: the program has a handler of its own
handler() {
  fresh
  run timeout 20 "$tmp/sigbus.$mode" "$@"
}
says() { exits 3 && no_line && out_has "handled $1\$"; }
others() {
  for moment in early late; do
    handler $moment mend fault
    ok "$mode: a handler from $moment gets its own faults" says 2
    handler $moment plain fault
    ok "$mode: a handler from $moment, of one argument" says 2
    handler $moment plain send
    ok "$mode: a handler from $moment gets a signal that is sent" says 1
    handler $moment once fault
    ok "$mode: a handler from $moment for one fault: the second kills" \
      exits 135
    handler $moment default fault
    ok "$mode: the default from $moment: the program dies of a fault" \
      exits 135
    handler $moment ignore fault
    ok "$mode: ignored from $moment: it dies of a fault all the same" \
      exits 135
    handler $moment default send
    ok "$mode: the default from $moment: it dies of the signal" exits 135
    handler $moment ignore send
    ok "$mode: ignored from $moment: it does not" says 0
  done
  handler early none fault
  ok "$mode: no handler: the program dies of a fault" exits 135
  handler early quit cut
  ok "$mode: a handler from early does not see our faults" \
    eval 'exits 3 && lost && out_has "handled 0"'
  handler late quit cut
  ok "$mode: a handler from late has the signal" exits 42
  handler late chain cut
  ok "$mode: unless it calls the one before" eval 'exits 3 && lost'
  handler late chain fault
  ok "$mode: which dies of other faults as well" exits 135
}
both others

# The line goes to a pipe that nobody reads: that is a signal as well.
deaf() {
  traced cut 0
  { env $START=1 "$tmp/sigbus.$mode" cut 0 2>&1 >"$tmp/out"
    echo $? >status; } | true
  status=$(cat status)
  ok "$mode: a broken pipe instead of standard error" as_untraced
}
both deaf
finish
