#!/bin/sh
# upstream/graft: everything must fit exactly, or the build stops with the
# file and the anchor named, before anything is written.
. "$(dirname "$0")/lib.sh"

# reset: a small upstream tree, and the files to lay over it
reset() {
  rm -rf "$work/up" "$work/top" "$work/tree" "$work/stamp"
  mkdir -p "$work/up/runtime" "$work/top/upstream" "$work/top/ours"
  echo 5.3.0 >"$work/top/upstream/versions"
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

# What rules leave
semantic
cat >>"$work/top/upstream/gc.cocci" <<'END'
// leaves \bstop_\w+ ?\(n\) 1
END
graft
check "as many places as a patch leaves are right" succeeds
semantic
cat >>"$work/top/upstream/gc.cocci" <<'END'
// leaves (?<!note_stop\(\); )stop_all\( 0 in runtime/*.c
END
graft
check "no place is left without its call" succeeds
echo 'void more(void) { /* stop_all(0) */  stop_all( 2 ); }' \
  >"$work/up/runtime/more.c"
graft
check "a new place stops, naming file, place and line of the patch" \
  stops_with 'runtime/*.c' 'runtime/more.c' 'stop_all( 2 )' gc.cocci:10

# Nearest candidates, and all misfits at once
semantic
sed -i 's/stop_all/stop_them_all/' "$work/up/runtime/gc.c"
sed -i 's/begin/start/' "$work/up/runtime/first.c"
sed -i 's/gc/garbage/' "$work/up/Makefile"
graft
check "the nearest line is named" stops_with 'nearest: line 2: garbage'
run "$top/upstream/graft" --top "$work/top" --pristine "$work/up" \
  --out "$work/tree" --all
check "--all names each misfit, in a line" eval '[ "$rc" -ne 0 ] &&
  [ "$(grep -c ": anchor" "$work/out")" -eq 3 ] &&
  says Makefile "rule stops" "rule begins"'
check "with the nearest name" says 'nearest: stop_them_all for stop_all'
check "and nothing is written" test ! -e "$work/tree"
semantic
cp "$work/up/runtime/gc.c" "$work/up/runtime/collector.c"
sed -i 's/stop_all/pause/' "$work/up/runtime/gc.c"
graft
check "a name that moved is found in another file" \
  stops_with 'nearest: stop_all is in runtime/collector.c'
semantic
cp "$work/up/runtime/gc.c" "$work/up/runtime/collector.c"
sed -i 's/stop_all/stop_them_all/' "$work/up/runtime/gc.c"
graft
check "a near name does not hide that the name moved" stops_with \
  'nearest: stop_them_all for stop_all, which is in runtime/collector.c'
reset
printf '%s\n' 'define(VERSION_EXTRA, [dev-0123456789])' \
  'define(VERSION_EXTRA_PREFIX, [])' >"$work/up/Makefile"
printf 'file Makefile\n  find define(VERSION_EXTRA, [])\n  put  x\n' \
  >"$work/top/upstream/edits"
graft
check "a line with all names of the anchor is nearer than a similar line" \
  stops_with 'nearest: line 1: define(VERSION_EXTRA, '
reset
mv "$work/up/runtime/events.c" "$work/up/runtime/event.c"
graft
check "a file that was renamed is found" stops_with 'nearest: runtime/event.c'

# Versions: guards, variables and regular expressions
guarded() {
  reset
  echo "$1" >"$work/up/VERSION"
  echo "$1" >"$work/top/upstream/versions"
  echo 'add ours/events.c runtime/new.c if >= 5.4' \
    >>"$work/top/upstream/overlay"
  cat >>"$work/top/upstream/edits" <<'END'
file VERSION
  find ${version}
  put  ${version} and ${extra}
file Makefile
  if < 5.4
  find   main
  put    main old
  if >= 5.4
  like ^  ma(..)$
  put    new\1
END
}
guarded 5.3.1
graft
check "a guard takes the edit for the older version" \
  holds Makefile "$(printf 'SOURCES = \\\n  gc \\\n  ring \\\n  main old')"
check "and leaves out the file for the newer" test ! -e "$work/tree/runtime/new.c"
check "the version is a variable" holds VERSION '5.3.1 and eventring'
guarded 5.4.0+dev0
graft
check "a development version counts as the version to come" \
  holds Makefile "$(printf 'SOURCES = \\\n  gc \\\n  ring \\\n  newin')"
check "with the file that is for it" holds runtime/new.c ours
check "and keeps its own suffix" holds VERSION '5.4.0+dev0 and dev0+eventring'
guarded 5.3.0
sed -i 's/if < 5.4/if = 5.4/' "$work/top/upstream/edits"
graft
check "an unknown guard stops" stops_with "'if = 5.4'"
guarded_rule() {
  semantic
  echo "$1" >"$work/up/VERSION"
  echo "$1" >"$work/top/upstream/versions"
  sed -i -e 's,^// adds.*,// if < 5.4\n&,' "$work/top/upstream/gc.cocci"
  cat >>"$work/top/upstream/gc.cocci" <<'END'

// adds note_return if < 5.4
// adds note_return 1 if >= 5.4
@returns@
expression n;
@@
+ note_return();
  return n;
END
}
guarded_rule 5.3.0
graft
check "a rule whose guard is true is applied" eval \
  'succeeds && grep -q note_stop "$work/tree/runtime/gc.c"'
guarded_rule 5.4.0
graft
check "a rule whose guard is false is not" eval \
  'succeeds && ! grep -q note_stop "$work/tree/runtime/gc.c"'
check "the rule after it is" grep -q note_return "$work/tree/runtime/gc.c"
reset
echo 5.9.0 >"$work/up/VERSION"
graft
check "an unknown version is tried, with a warning" eval \
  'succeeds && says "warning: OCaml 5.9.0" 5.3.0'
reset
rm "$work/up/VERSION"
graft
check "what is not an OCaml tree stops" stops_with 'not an OCaml source tree'

# The real edits fit the real trees: the one that is built, and those of
# EVENTRING_TEST_SOURCES.
real() { # TREE NAME
  rm -rf "$work/tree"
  run "$top/upstream/graft" --pristine "$1" --out "$work/tree"
  check "$2: the project's own overlay and edits fit OCaml's tree" eval \
    'succeeds && ! says warning'
  run "$top/upstream/graft" --pristine "$1" --out "$work/tree"
  check "$2: and are stable" says ' 0 of '
  rm -rf "$work/patched"
  mv "$work/tree/.patched" "$work/patched"
}

# And could fail to: in OCaml's own tree, functions that rules need are renamed.
renamed() { # NAME, with lines "FILE FUNCTION RULE" on standard input
  rm -rf "$work/renamed" "$work/tree"
  cp -rs "$tree" "$work/renamed"
  cat >"$work/renames"
  while read -r file function rule; do
    sed "s/\\<$function\\>/${function}_x/g" "$work/renamed/$file" >"$work/new"
    rm "$work/renamed/$file"
    mv "$work/new" "$work/renamed/$file"
  done <"$work/renames"
  mkdir "$work/tree"
  # The other files need not be computed again.
  mv "$work/patched" "$work/tree/.patched"
  run "$top/upstream/graft" --pristine "$work/renamed" --out "$work/tree" --all
  check "$1: with functions renamed the graft stops" test "$rc" -ne 0
  while read -r file function rule; do
    check "$1: without $function: file, rule $rule and the new name are named" \
      grep -q \
      "$file: anchor.*0 times.*(rule $rule of .*near.*${function}_x for $function" \
      "$work/out"
  done <"$work/renames"
  check "$1: and nothing is written" [ "$(ls -A "$work/tree")" = .patched ]
}
all_renamed() { # NAME
  renamed "$1" <<'END'
runtime/domain.c decrement_stw_domains_still_processing stop_over
runtime/domain.c requested_minor_gc minor_heap_full
runtime/major_gc.c stw_try_complete_gc_phase phase
runtime/signals.c caml_leave_blocking_section leave
runtime/sync.c caml_ml_condition_wait condition
otherlibs/systhreads/st_stubs.c caml_threadstatus_wait join
END
}

tree=$EVENTRING_BUILD/upstream
name="OCaml $(head -n1 "$tree/VERSION")"
real "$tree" "$name"
check "the tree is the one that was built" cmp "$work/tree/Makefile" \
  "$EVENTRING_BUILD/ocaml/Makefile"
all_renamed "$name"

for sources in "${EVENTRING_TEST_SOURCES:-/nonexistent}"/ocaml/*.tar.xz; do
  if [ ! -e "$sources" ]; then
    count=$((count + 1))
    echo "ok $count - other versions # SKIP no EVENTRING_TEST_SOURCES"
    continue
  fi
  tree=$work/$(basename "$sources" .tar.xz)
  mkdir "$tree"
  tar -xf "$sources" -C "$tree" --strip-components=1
  real "$tree" "$(basename "$tree")"
  all_renamed "$(basename "$tree")"
done

plan
