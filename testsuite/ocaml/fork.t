#!/bin/sh
# fork: a child could write into its parent's rings, remove its parent's file,
# have none of its own, or not be known as its parent's child.
. "$(dirname "$0")/programs.sh"
build fork raw_fork.c unix runtime_events
build orphan outlive.c unix
build plain

# traced_fork HOW...: leaves the ids that it prints in $tmp/out
traced_fork() {
  fresh
  run env OCAML_EVENTRING_START=${start:-1} OCAML_EVENTRING_KEEP=1 \
    "$tmp/fork.$mode" "$@"
}
ids() { tail -n 1 "$tmp/out"; }
parent() { ids | cut -d ' ' -f 1; }
child() { ids | cut -d ' ' -f 2; }
files() { ls | wc -l; }
has() { eventring events "$1.eventring" | grep -q -e "$2"; }
hasnt() { ! has "$@"; }
# Every event "whose" of a file carries the id of the file's process.
only_its_own() {
  eventring events "$1.eventring" | awk -v pid="$1" '
    $7 == "whose" { n++; if ($8 != pid) bad = 1 }
    END { exit bad || n == 0 }'
}

goes_on() {
  traced_fork child
  ok "$mode: parent and child end well" eval 'exits 0 && no_line'
  ok "$mode: a file each" [ "$(files)" = 2 ]
  ok "$mode: the parent's file has only its events" only_its_own "$(parent)"
  ok "$mode: the child's file has only its events" only_its_own "$(child)"
  ok "$mode: the parent's names its child" \
    has "$(parent)" "  fork_parent  $(child)\$"
  ok "$mode: the child's names its parent" \
    has "$(child)" "  fork_child  $(parent)\$"
  ok "$mode: the parent is no child" hasnt "$(parent)" '  fork_child'
  ok "$mode: both ended in order" eval \
    "has $(parent) '  ring_stop  ' && has $(child) '  ring_stop  '"
  ok "$mode: the child's second domain is there" \
    has "$(child)" 'domain [1-9].*  whose'
  ok "$mode: what the parent registered has its name in the child" \
    has "$(child)" '  counter   whose'

  traced_fork exit
  ok "$mode: a child that ends at once: the parent's file stays" \
    has "$(parent)" '  ring_stop  '
  ok "$mode: and tells of it" has "$(parent)" "  fork_parent  $(child)\$"
  fresh; run env OCAML_EVENTRING_START=1 "$tmp/fork.$mode" child
  ok "$mode: both remove their files" eval 'exits 0 && no_ring'

  traced_fork grandchild
  ok "$mode: a child of a child: three files" [ "$(files)" = 3 ]
  ok "$mode: the middle one tells of both" eval \
    "has $(child) '  fork_child  $(parent)\$' &&
     has $(child) '  fork_parent  '"
  for file in *.eventring; do
    ok "$mode: only its own events in each" only_its_own "${file%.eventring}"
  done

  traced_fork storm 30
  ok "$mode: thirty children: as usual" eval 'exits 0 && no_line'
  ok "$mode: thirty children: each its file" [ "$(files)" = 31 ]
  bad=0
  for file in *.eventring; do
    only_its_own "${file%.eventring}" || bad=$((bad + 1))
  done
  ok "$mode: thirty children: only its own events in each" [ $bad = 0 ]
  ok "$mode: thirty children: all in the parent's" [ "$(
    eventring events "$(parent).eventring" | grep -c '  fork_parent  ')" = 30 ]
}
both goes_on

paused() {
  start=paused; traced_fork child; start=
  ok "$mode: paused: the child has a file as well" [ "$(files)" = 2 ]
  ok "$mode: paused: nothing in either" eval \
    "hasnt $(parent) . && hasnt $(child) ."
  run eventring stat "$(ls | head -n 1)"
  ok "$mode: paused: and it is readable" exits 0
  fresh
  run env OCAML_EVENTRING_START=0 "$tmp/fork.$mode" child
  ok "$mode: not traced: neither is the child" eval 'exits 0 && no_ring'
}
both paused

replaced() {
  traced_fork exec "$tmp/plain.$mode"
  ok "$mode: exec in the child: as usual" eval 'exits 0 && no_line'
  ok "$mode: exec in the child: two files" [ "$(files)" = 2 ]
  ok "$mode: the child's is that of the program that took its place" eval \
    'hasnt "$(child)" "  whose" && has "$(child)" "domain 1 .*  minor\$" &&
     has "$(child)" "  ring_stop  "'
  fresh
  run env OCAML_EVENTRING_START=1 "$tmp/fork.$mode" exec /bin/sh -c 'exit 3'
  ok "$mode: exec of a program that is not OCaml: as usual" \
    eval 'exits 0 && no_line'
}
both replaced

leaves() {
  fresh
  run env OCAML_EVENTRING_START=1 "$tmp/fork.$mode" leaves exec
  ok "$mode: children that end by _exit or exec leave no file, nor does exec" \
    eval 'exits 0 && no_line && no_ring && out_has "^executed\$"'
  traced_fork leaves
  ok "$mode: after an exec that fails, tracing goes on" \
    eval 'exits 0 && no_line && only_its_own "$(parent)" &&
      has "$(parent)" "  ring_stop  "'
}
both leaves

no_ocaml() {
  traced_fork system
  ok "$mode: a shell command has no ring" [ "$(files)" = 1 ]
  ok "$mode: and does no harm to that of its parent" \
    has "$(parent)" '  ring_stop  '
  traced_fork raw
  ok "$mode: a child of C alone: as usual" eval 'exits 0 && no_line'
  ok "$mode: a child of C alone has no ring" [ "$(files)" = 1 ]
  ok "$mode: and does no harm to its parent's" eval \
    'only_its_own "$(parent)" && has "$(parent)" "  ring_stop  "'
}
both no_ocaml

# The parent ends, and its file with it, before the child runs.
orphan() {
  fresh
  run env OCAML_EVENTRING_KEEP=1 "$tmp/orphan.$mode"
  ok "$mode: an orphan says who it is" within 60 [ -s "$tmp/out" ]
  ok "$mode: an orphan has a file with its events" \
    within 60 has "$(cat "$tmp/out")" '  orphaned'
}
both orphan

# The child's directory is gone or closed: it goes on without tracing.
homeless() {
  fresh; mkdir there
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=there sh -c '
    ulimit -n 40; exec "$0" child' "$tmp/fork.$mode"
  ok "$mode: few descriptors: as usual" eval 'exits 0 && no_line'
}
both homeless
finish
