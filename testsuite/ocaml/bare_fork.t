#!/bin/sh
# A child that C makes without fork handlers (_Fork, clone): it could write into
# its parent's rings, end its parent's trace or remove its file.
. "$(dirname "$0")/programs.sh"
build bare_fork bare_fork_stubs.c unix

parent() { cut -d ' ' -f 1 "$tmp/out"; }
child() { cut -d ' ' -f 2 "$tmp/out"; }
only() {
  eventring events "$1.eventring" | awk -v pid="$1" -v n="$2" '
    $(NF - 1) == "whose" { if ($NF == pid) n--; else bad = 1 }
    END { exit bad || n != 0 }'
}

children() {
  for how in _Fork clone; do
    for end in exit _exit kill; do
      fresh
      run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
        "$tmp/bare_fork.$mode" $end $how
      ok "$mode: $how, $end: the parent's file has the parent's events, all" \
        eval 'exits 0 && no_line && only "$(parent)" 200'
      ok "$mode: $how, $end: and no name of the child's" \
        eval '! grep -azqF "of the child" "$(parent).eventring" &&
          ! eventring events "$(parent).eventring" | grep -q \"child\"'
      ok "$mode: $how, $end: its trace ends in order" \
        eval 'eventring events "$(parent).eventring" | tail -n 1 |
          grep -q "  ring_stop  " && eventring check "$(parent).eventring"'
      fresh
      run env OCAML_EVENTRING_START=1 "$tmp/bare_fork.$mode" $end $how
      ok "$mode: $how, $end: nothing is left when files are not kept" \
        eval 'exits 0 && no_line && no_ring'
    done
    fresh
    run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
      "$tmp/bare_fork.$mode" stop $how
    ok "$mode: $how: a child that starts a session has a file of its own" \
      eval 'exits 0 && no_line && only "$(parent)" 200 && only "$(child)" 100'
  done
}
both children
finish
