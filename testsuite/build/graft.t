#!/bin/sh
# upstream/graft: everything must fit exactly, or the build stops with the
# file and the anchor named, before anything is written.
. "$(dirname "$0")/lib.sh"

# reset: a small upstream tree, and the files to lay over it
reset() {
  rm -rf "$work/up" "$work/top" "$work/tree" "$work/stamp"
  mkdir -p "$work/up/runtime" "$work/top/upstream" "$work/top/ours"
  cp "$top"/upstream/package*.json "$work/top/upstream"
  echo 5.3.0 >"$work/up/VERSION"
  printf 'SOURCES = \\\n  gc \\\n  main\n' >"$work/up/Makefile"
  echo 'stock' >"$work/up/runtime/events.c"
  echo 'stock' >"$work/up/runtime/gc.c"
  echo 'ours' >"$work/top/ours/events.c"
  echo 'ours' >"$work/top/ours/ring.c"
  cat >"$work/top/upstream/overlay" <<'END'
replace ours/events.c runtime/
add ours/ring.c runtime/
END
  cat >"$work/top/upstream/edits" <<'END'
file Makefile
  find   gc \
  put    gc \
      |  ring \
END
}
graft() {
  run "$top/upstream/graft" --top "$work/top" --pristine "$work/up" \
    --out "$work/tree" --stamp "$work/stamp"
}
holds() { [ "$(cat "$work/tree/$1")" = "$2" ] || { cat "$work/tree/$1"; return 1; }; }
older() { touch -d '2001-01-01' "$@"; }
untouched() { [ ! "$1" -nt "$work/then" ]; }

reset
graft
check "a tree that fits is grafted" succeeds
check "a file is replaced" holds runtime/events.c ours
check "a file is added" holds runtime/ring.c ours
check "a list is edited" holds Makefile "$(printf 'SOURCES = \\\n  gc \\\n  ring \\\n  main')"
check "the rest is as it was" holds runtime/gc.c stock
check "upstream's tree is not touched" grep -q stock "$work/up/runtime/events.c"

rm -rf "$work/tree"
run "$top/upstream/graft" --top "$work/top" --pristine "$work/up" --diff
check "--diff prints what is edited, replaced and added" \
  says '+  ring' '-stock' '+ours' '+++ eventring/runtime/ring.c'
check "--diff leaves out what is as upstream has it" \
  sh -c "! grep -q gc.c '$work/out'"
check "--diff writes no tree" test ! -e "$work/tree"
graft

# Incremental: only changed files are written.
touch -d '2001-01-02' "$work/then"
find "$work/tree" "$work/stamp" -type f -exec touch -d '2001-01-01' {} +
touch "$work/tree/runtime/gc.o"
graft
check "a second graft writes no file" untouched "$work/tree/runtime/events.c"
check "and leaves the stamp alone" untouched "$work/stamp"
echo 'ours, better' >"$work/top/ours/ring.c"
graft
check "a changed file is written" holds runtime/ring.c 'ours, better'
check "its neighbour is not" untouched "$work/tree/runtime/events.c"
check "the stamp is touched" test "$work/stamp" -nt "$work/then"
check "a product of the build stays" test -e "$work/tree/runtime/gc.o"
sed -i '/ring/d' "$work/top/upstream/overlay"
graft
check "a file that is no longer laid goes away" \
  test ! -e "$work/tree/runtime/ring.c"

# Anchors
reset
sed -i 's/gc/garbage/' "$work/up/Makefile"
graft
check "a renamed anchor stops, naming file and anchor" \
  stops_with Makefile 'gc' '0 times' upstream/edits:2
check "and nothing was written" test ! -e "$work/tree"
reset
cat "$work/up/Makefile" >>"$work/up/Makefile.twice"
cat "$work/up/Makefile.twice" >>"$work/up/Makefile"
graft
check "an ambiguous anchor stops" stops_with Makefile 'gc' '2 times'
reset
sed -i 's/file Makefile/file GNUmakefile/' "$work/top/upstream/edits"
graft
check "an edit to a file that is gone stops" stops_with GNUmakefile 'renamed'
reset
sed -i '/put/d' "$work/top/upstream/edits"
graft
check "an edit without its text stops" stops_with 'no put'
reset
sed -i 's/find/seek/' "$work/top/upstream/edits"
graft
check "an unknown word in the edits stops" stops_with upstream/edits:2

# The overlay
reset
rm "$work/up/runtime/events.c"
graft
check "replacing what upstream no longer has stops" \
  stops_with runtime/events.c 'no runtime/events.c'
reset
touch "$work/up/runtime/ring.c"
graft
check "adding what upstream now has stops" stops_with runtime/ring.c 'of its own'
reset
rm "$work/top/ours/ring.c"
graft
check "a source that is missing stops" stops_with ours/ring.c 'does not exist'
reset
echo 'copy ours/ring.c x' >>"$work/top/upstream/overlay"
graft
check "an unknown word in the overlay stops" stops_with upstream/overlay:3

# Constructors of an OCaml module, in its order, joined to our table by name
events() {
  reset
  cat >"$work/top/ours/events.tbl" <<'END'
PHASE(EV_FIRST, 1, GC, "first", "x")
PHASE(EV_SECOND, 2, GC, "second", "x")
COUNTER(EV_C_FIRST, 256, GC, "", "c_first", "x")
GROUPED(EV_C_SECOND, 257, PHASE, EV_FIRST, 0, 1, "", "c_second", "x")
LIFECYCLE(EV_START, 512, GC, "start", "x")
END
  cat >"$work/up/runtime/events.ml" <<'END'
type runtime_phase =
| EV_SECOND (* comes first in this release *)
| EV_FIRST

type runtime_counter =
| EV_C_SECOND
| EV_C_FIRST
type lifecycle =
  EV_START

let phases = [EV_FIRST; EV_SECOND]
END
  echo 'constructors ours/events.tbl runtime/events.ml runtime/made.tbl' \
    >>"$work/top/upstream/overlay"
}
events
graft
check "a table of constructors is made" succeeds
check "with the constructors in their own order" eval \
  '[ "$(grep "^RUNTIME" "$work/tree/runtime/made.tbl" | tr "\n" " ")" = \
    "RUNTIME_PHASE(EV_SECOND) RUNTIME_PHASE(EV_FIRST) RUNTIME_COUNTER(EV_C_SECOND) RUNTIME_COUNTER(EV_C_FIRST) RUNTIME_LIFECYCLE(EV_START) " ]'
touch -d '2001-01-02' "$work/then"
find "$work/tree" -type f -exec touch -d '2001-01-01' {} +
graft
check "a second graft does not write it" untouched "$work/tree/runtime/made.tbl"
events
sed -i 's/^| EV_FIRST/| EV_FIRST\n| EV_THIRD/' "$work/up/runtime/events.ml"
graft
check "a constructor that our table lacks stops" \
  stops_with runtime/events.ml events.tbl EV_THIRD 'runtime_phase'
events
sed -i 's/type lifecycle/type life/' "$work/up/runtime/events.ml"
graft
check "a type that is gone stops" stops_with runtime/events.ml 'type lifecycle'
events
rm "$work/up/runtime/events.ml"
graft
check "a module that is gone stops" stops_with runtime/events.ml renamed

# Semantic patches
semantic() {
  reset
  printf '%s\n' '#include "gc.h"' 'int collect(int n)' '{' '  stop_all(n);' \
    '  return n;' '}' >"$work/up/runtime/gc.c"
  echo 'int first(void) { return begin(); }' >"$work/up/runtime/first.c"
  cat >"$work/top/upstream/gc.cocci" <<'END'
// Who stops.
// file runtime/gc.c

// adds note_stop
@stops@
expression n;
@@
+ note_stop();
  stop_all(n);
END
  # This edit is applied before it, and fits.
  cat >"$work/top/upstream/first.cocci" <<'END'
// file runtime/first.c

// adds note_begin
@begins@
@@
- begin()
+ note_begin()
END
}
semantic
graft
check "a semantic patch that fits is grafted" succeeds
check "and applied" grep -q note_stop "$work/tree/runtime/gc.c"
check "upstream's file is not touched" \
  eval '! grep -q note_stop "$work/up/runtime/gc.c"'
semantic
sed -i 's/stop_all/stop_everyone/' "$work/up/runtime/gc.c"
graft
check "a renamed anchor stops, naming file, anchor and rule" stops_with \
  runtime/gc.c 'stop_all(n)' '0 times' 'rule stops' upstream/gc.cocci
check "and nothing was written, of the patch that fits neither" \
  test ! -e "$work/tree"
semantic
graft
sed -i 's/stop_all/stop_everyone/' "$work/up/runtime/gc.c"
echo 'changed' >"$work/up/runtime/events.h"
graft
check "so it does when an earlier graft is there" stops_with runtime/gc.c
check "which stays as it is" eval '[ ! -e "$work/tree/runtime/events.h" ] &&
  grep -q "note_stop" "$work/tree/runtime/gc.c"'
semantic
sed -i 's/^  stop_all.*/&\n  stop_all(n + 1);/' "$work/up/runtime/gc.c"
graft
check "an anchor that is there twice stops" stops_with runtime/gc.c \
  'stop_all(n)' '2 times'
semantic
rm "$work/up/runtime/gc.c"
graft
check "a file that is gone stops" stops_with runtime/gc.c 'renamed'
semantic
sed -i '/adds/d' "$work/top/upstream/gc.cocci"
graft
check "a rule that says not what it adds stops" stops_with gc.cocci stops
semantic
echo '@@ this is no patch' >>"$work/top/upstream/gc.cocci"
graft
check "a patch that spatch cannot read stops" \
  eval '[ "$rc" != 0 ] && says gc.cocci && [ ! -e "$work/tree" ]'

# Versions
reset
echo 5.4.0 >"$work/up/VERSION"
graft
check "another version stops" stops_with 5.4.0 5.3.0
reset
rm "$work/up/VERSION"
graft
check "what is not an OCaml tree stops" stops_with 'not an OCaml source tree'

# The real edits fit the real tree.
rm -rf "$work/tree"
run "$top/upstream/graft" --pristine "$EVENTRING_BUILD/upstream" \
  --out "$work/tree"
check "the project's own overlay and edits fit OCaml's tree" succeeds
run "$top/upstream/graft" --pristine "$EVENTRING_BUILD/upstream" \
  --out "$work/tree"
check "and are stable" says ' 0 of '
check "the tree is the one that was built" cmp "$work/tree/Makefile" \
  "$EVENTRING_BUILD/ocaml/Makefile"

# And could fail to: in OCaml's own tree, one anchor of each kind is renamed.
renamed() {
  rm -rf "$work/renamed" "$work/tree"
  cp -rs "$EVENTRING_BUILD/upstream" "$work/renamed"
  rm "$work/renamed/$1"
  sed "s/\\<$2\\>/renamed_in_this_release/g" "$EVENTRING_BUILD/upstream/$1" \
    >"$work/renamed/$1"
  mkdir "$work/tree"
  # The other files need not be computed again.
  cp -r "$EVENTRING_BUILD/ocaml/.patched" "$work/tree/"
  run "$top/upstream/graft" --pristine "$work/renamed" --out "$work/tree"
  check "$1: without $2 the graft stops, and says so" \
    stops_with "$1" "anchor '" "$2" '0 times' "rule $3"
  check "$1: and nothing was written" [ "$(ls -A "$work/tree")" = .patched ]
}
renamed runtime/domain.c decrement_stw_domains_still_processing stop_over
renamed runtime/domain.c requested_minor_gc minor_heap_full
renamed runtime/major_gc.c stw_try_complete_gc_phase phase
renamed runtime/signals.c caml_leave_blocking_section leave
renamed runtime/sync.c caml_ml_condition_wait condition
renamed otherlibs/systhreads/st_stubs.c caml_threadstatus_wait join

plan
