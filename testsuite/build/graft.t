#!/bin/sh
# upstream/graft: everything must fit exactly, or the build stops with the
# file and the anchor named, before anything is written.
. "$(dirname "$0")/lib.sh"

# reset: a small upstream tree, and the files to lay over it
reset() {
  rm -rf "$tmp/up" "$tmp/top" "$tmp/tree" "$tmp/stamp"
  mkdir -p "$tmp/up/runtime" "$tmp/top/upstream" "$tmp/top/ours"
  echo 5.3.0 >"$tmp/top/upstream/versions"
  echo 5.3.0 >"$tmp/up/VERSION"
  printf 'SOURCES = \\\n  gc \\\n  main\n' >"$tmp/up/Makefile"
  echo 'stock' >"$tmp/up/runtime/events.c"
  echo 'stock' >"$tmp/up/runtime/gc.c"
  echo 'ours' >"$tmp/top/ours/events.c"
  echo 'ours' >"$tmp/top/ours/ring.c"
  cat >"$tmp/top/upstream/overlay" <<'END'
replace ours/events.c runtime/
add ours/ring.c runtime/
END
  cat >"$tmp/top/upstream/edits" <<'END'
file Makefile
  find   gc \
  put    gc \
      |  ring \
END
}
graft() {
  run "$top/upstream/graft" --top "$tmp/top" --pristine "$tmp/up" \
    --out "$tmp/tree" --stamp "$tmp/stamp"
}
holds() { [ "$(cat "$tmp/tree/$1")" = "$2" ] || { cat "$tmp/tree/$1"; return 1; }; }
older() { touch -d '2001-01-01' "$@"; }
untouched() { [ ! "$1" -nt "$tmp/then" ]; }

reset
graft
ok "a tree that fits is grafted" succeeds
ok "a file is replaced" holds runtime/events.c ours
ok "a file is added" holds runtime/ring.c ours
ok "a list is edited" holds Makefile "$(printf 'SOURCES = \\\n  gc \\\n  ring \\\n  main')"
ok "the rest is as it was" holds runtime/gc.c stock
ok "upstream's tree is not touched" grep -q stock "$tmp/up/runtime/events.c"

rm -rf "$tmp/tree"
run "$top/upstream/graft" --top "$tmp/top" --pristine "$tmp/up" --diff
ok "--diff prints what is edited, replaced and added" \
  says '+  ring' '-stock' '+ours' '+++ eventring/runtime/ring.c'
ok "--diff leaves out what is as upstream has it" \
  sh -c "! grep -q gc.c '$tmp/out'"
ok "--diff writes no tree" test ! -e "$tmp/tree"
graft

# Incremental: only changed files are written.
touch -d '2001-01-02' "$tmp/then"
find "$tmp/tree" "$tmp/stamp" -type f -exec touch -d '2001-01-01' {} +
touch "$tmp/tree/runtime/gc.o"
graft
ok "a second graft writes no file" untouched "$tmp/tree/runtime/events.c"
ok "and leaves the stamp alone" untouched "$tmp/stamp"
echo 'ours, better' >"$tmp/top/ours/ring.c"
graft
ok "a changed file is written" holds runtime/ring.c 'ours, better'
ok "its neighbour is not" untouched "$tmp/tree/runtime/events.c"
ok "the stamp is touched" test "$tmp/stamp" -nt "$tmp/then"
ok "a product of the build stays" test -e "$tmp/tree/runtime/gc.o"
sed -i '/ring/d' "$tmp/top/upstream/overlay"
graft
ok "a file that is no longer laid goes away" \
  test ! -e "$tmp/tree/runtime/ring.c"

# Anchors
reset
sed -i 's/gc/garbage/' "$tmp/up/Makefile"
graft
ok "a renamed anchor stops, naming file and anchor" \
  stops_with Makefile 'gc' '0 times' upstream/edits:2
ok "and nothing was written" test ! -e "$tmp/tree"
reset
cat "$tmp/up/Makefile" >>"$tmp/up/Makefile.twice"
cat "$tmp/up/Makefile.twice" >>"$tmp/up/Makefile"
graft
ok "an ambiguous anchor stops" stops_with Makefile 'gc' '2 times'
reset
sed -i 's/file Makefile/file GNUmakefile/' "$tmp/top/upstream/edits"
graft
ok "an edit to a file that is gone stops" stops_with GNUmakefile 'renamed'
reset
sed -i '/put/d' "$tmp/top/upstream/edits"
graft
ok "an edit without its text stops" stops_with 'no put'
reset
sed -i 's/find/seek/' "$tmp/top/upstream/edits"
graft
ok "an unknown word in the edits stops" stops_with upstream/edits:2

# The overlay
reset
rm "$tmp/up/runtime/events.c"
graft
ok "replacing what upstream no longer has stops" \
  stops_with runtime/events.c 'no runtime/events.c'
reset
touch "$tmp/up/runtime/ring.c"
graft
ok "adding what upstream now has stops" stops_with runtime/ring.c 'of its own'
reset
rm "$tmp/top/ours/ring.c"
graft
ok "a source that is missing stops" stops_with ours/ring.c 'does not exist'
reset
echo 'copy ours/ring.c x' >>"$tmp/top/upstream/overlay"
graft
ok "an unknown word in the overlay stops" stops_with upstream/overlay:3

# Constructors of an OCaml module, in its order, joined to our table by name
events() {
  reset
  cat >"$tmp/top/ours/events.tbl" <<'END'
PHASE(EV_FIRST, 1, GC, "first", "x")
PHASE(EV_SECOND, 2, GC, "second", "x")
COUNTER(EV_C_FIRST, 256, GC, "", "c_first", "x")
GROUPED(EV_C_SECOND, 257, PHASE, EV_FIRST, 0, 1, "", "c_second", "x")
LIFECYCLE(EV_START, 512, GC, "start", "x")
END
  cat >"$tmp/up/runtime/events.ml" <<'END'
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
    >>"$tmp/top/upstream/overlay"
}
events
graft
ok "a table of constructors is made" succeeds
ok "with the constructors in their own order" eval \
  '[ "$(grep "^RUNTIME" "$tmp/tree/runtime/made.tbl" | tr "\n" " ")" = \
    "RUNTIME_PHASE(EV_SECOND) RUNTIME_PHASE(EV_FIRST) RUNTIME_COUNTER(EV_C_SECOND) RUNTIME_COUNTER(EV_C_FIRST) RUNTIME_LIFECYCLE(EV_START) " ]'
touch -d '2001-01-02' "$tmp/then"
find "$tmp/tree" -type f -exec touch -d '2001-01-01' {} +
graft
ok "a second graft does not write it" untouched "$tmp/tree/runtime/made.tbl"
events
sed -i 's/^| EV_FIRST/| EV_FIRST\n| EV_THIRD/' "$tmp/up/runtime/events.ml"
graft
ok "a constructor that our table lacks stops" \
  stops_with runtime/events.ml events.tbl EV_THIRD 'runtime_phase'
events
sed -i 's/type lifecycle/type life/' "$tmp/up/runtime/events.ml"
graft
ok "a type that is gone stops" stops_with runtime/events.ml 'type lifecycle'
events
rm "$tmp/up/runtime/events.ml"
graft
ok "a module that is gone stops" stops_with runtime/events.ml renamed

# Semantic patches
semantic() {
  reset
  printf '%s\n' '#include "gc.h"' 'int collect(int n)' '{' '  stop_all(n);' \
    '  return n;' '}' >"$tmp/up/runtime/gc.c"
  echo 'int first(void) { return begin(); }' >"$tmp/up/runtime/first.c"
  cat >"$tmp/top/upstream/gc.cocci" <<'END'
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
  cat >"$tmp/top/upstream/first.cocci" <<'END'
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
ok "a semantic patch that fits is grafted" succeeds
ok "and applied" grep -q note_stop "$tmp/tree/runtime/gc.c"
ok "upstream's file is not touched" \
  eval '! grep -q note_stop "$tmp/up/runtime/gc.c"'
semantic
sed -i 's/stop_all/stop_everyone/' "$tmp/up/runtime/gc.c"
graft
ok "a renamed anchor stops, naming file, anchor and rule" stops_with \
  runtime/gc.c 'stop_all(n)' '0 times' 'rule stops' upstream/gc.cocci
ok "and nothing was written, of the patch that fits neither" \
  test ! -e "$tmp/tree"
semantic
graft
sed -i 's/stop_all/stop_everyone/' "$tmp/up/runtime/gc.c"
echo 'changed' >"$tmp/up/runtime/events.h"
graft
ok "so it does when an earlier graft is there" stops_with runtime/gc.c
ok "which stays as it is" eval '[ ! -e "$tmp/tree/runtime/events.h" ] &&
  grep -q "note_stop" "$tmp/tree/runtime/gc.c"'
semantic
sed -i 's/^  stop_all.*/&\n  stop_all(n + 1);/' "$tmp/up/runtime/gc.c"
graft
ok "an anchor that is there twice stops" stops_with runtime/gc.c \
  'stop_all(n)' '2 times'
semantic
rm "$tmp/up/runtime/gc.c"
graft
ok "a file that is gone stops" stops_with runtime/gc.c 'renamed'
semantic
sed -i '/adds/d' "$tmp/top/upstream/gc.cocci"
graft
ok "a rule that says not what it adds stops" stops_with gc.cocci stops
semantic
echo '@@ this is no patch' >>"$tmp/top/upstream/gc.cocci"
graft
ok "a patch that spatch cannot read stops" \
  eval '[ "$status" != 0 ] && says gc.cocci && [ ! -e "$tmp/tree" ]'

# What rules leave
semantic
cat >>"$tmp/top/upstream/gc.cocci" <<'END'
// leaves \bstop_\w+ ?\(n\) 1
END
graft
ok "as many places as a patch leaves are right" succeeds
semantic
cat >>"$tmp/top/upstream/gc.cocci" <<'END'
// leaves (?<!note_stop\(\); )stop_all\( 0 in runtime/*.c
END
graft
ok "no place is left without its call" succeeds
echo 'void more(void) { /* stop_all(0) */  stop_all( 2 ); }' \
  >"$tmp/up/runtime/more.c"
graft
ok "a new place stops, naming file, place and line of the patch" \
  stops_with 'runtime/*.c' 'runtime/more.c' 'stop_all( 2 )' gc.cocci:10

# Nearest candidates, and all misfits at once
semantic
sed -i 's/stop_all/stop_them_all/' "$tmp/up/runtime/gc.c"
sed -i 's/begin/start/' "$tmp/up/runtime/first.c"
sed -i 's/gc/garbage/' "$tmp/up/Makefile"
graft
ok "the nearest line is named" stops_with 'nearest: line 2: garbage'
run "$top/upstream/graft" --top "$tmp/top" --pristine "$tmp/up" \
  --out "$tmp/tree" --all
ok "--all names each misfit, in a line" eval '[ "$status" -ne 0 ] &&
  [ "$(grep -c ": anchor" "$tmp/out")" -eq 3 ] &&
  says Makefile "rule stops" "rule begins"'
ok "with the nearest name" says 'nearest: stop_them_all for stop_all'
ok "and nothing is written" test ! -e "$tmp/tree"
semantic
cp "$tmp/up/runtime/gc.c" "$tmp/up/runtime/collector.c"
sed -i 's/stop_all/pause/' "$tmp/up/runtime/gc.c"
graft
ok "a name that moved is found in another file" \
  stops_with 'nearest: stop_all is in runtime/collector.c'
semantic
cp "$tmp/up/runtime/gc.c" "$tmp/up/runtime/collector.c"
sed -i 's/stop_all/stop_them_all/' "$tmp/up/runtime/gc.c"
graft
ok "a near name does not hide that the name moved" stops_with \
  'nearest: stop_them_all for stop_all, which is in runtime/collector.c'
reset
printf '%s\n' 'define(VERSION_EXTRA, [dev-0123456789])' \
  'define(VERSION_EXTRA_PREFIX, [])' >"$tmp/up/Makefile"
printf 'file Makefile\n  find define(VERSION_EXTRA, [])\n  put  x\n' \
  >"$tmp/top/upstream/edits"
graft
ok "a line with all names of the anchor is nearer than a similar line" \
  stops_with 'nearest: line 1: define(VERSION_EXTRA, '
reset
mv "$tmp/up/runtime/events.c" "$tmp/up/runtime/event.c"
graft
ok "a file that was renamed is found" stops_with 'nearest: runtime/event.c'

# Versions: guards, variables and regular expressions
guarded() {
  reset
  echo "$1" >"$tmp/up/VERSION"
  echo "$1" >"$tmp/top/upstream/versions"
  echo 'add ours/events.c runtime/new.c if >= 5.4' \
    >>"$tmp/top/upstream/overlay"
  cat >>"$tmp/top/upstream/edits" <<'END'
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
ok "a guard takes the edit for the older version" \
  holds Makefile "$(printf 'SOURCES = \\\n  gc \\\n  ring \\\n  main old')"
ok "and leaves out the file for the newer" test ! -e "$tmp/tree/runtime/new.c"
ok "the version is a variable" holds VERSION '5.3.1 and eventring'
guarded 5.4.0+dev0
graft
ok "a development version counts as the version to come" \
  holds Makefile "$(printf 'SOURCES = \\\n  gc \\\n  ring \\\n  newin')"
ok "with the file that is for it" holds runtime/new.c ours
ok "and keeps its own suffix" holds VERSION '5.4.0+dev0 and dev0+eventring'
guarded 5.3.0
sed -i 's/if < 5.4/if = 5.4/' "$tmp/top/upstream/edits"
graft
ok "an unknown guard stops" stops_with "'if = 5.4'"
guarded_rule() {
  semantic
  echo "$1" >"$tmp/up/VERSION"
  echo "$1" >"$tmp/top/upstream/versions"
  sed -i -e 's,^// adds.*,// if < 5.4\n&,' "$tmp/top/upstream/gc.cocci"
  cat >>"$tmp/top/upstream/gc.cocci" <<'END'

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
ok "a rule whose guard is true is applied" eval \
  'succeeds && grep -q note_stop "$tmp/tree/runtime/gc.c"'
guarded_rule 5.4.0
graft
ok "a rule whose guard is false is not" eval \
  'succeeds && ! grep -q note_stop "$tmp/tree/runtime/gc.c"'
ok "the rule after it is" grep -q note_return "$tmp/tree/runtime/gc.c"
reset
echo 5.9.0 >"$tmp/up/VERSION"
graft
ok "an unknown version is tried, with a warning" eval \
  'succeeds && says "warning: OCaml 5.9.0" 5.3.0'
reset
rm "$tmp/up/VERSION"
graft
ok "what is not an OCaml tree stops" stops_with 'not an OCaml source tree'
for version in 4.14.2 5.3.0garbage; do
  echo $version >"$tmp/up/VERSION"
  graft
  ok "version $version stops" stops_with $version 'sources of'
done
reset
cp -R "$tmp/up" "$tmp/before"
for out in "$tmp/up" "$tmp/up/out"; do
  run "$top/upstream/graft" --top "$tmp/top" --pristine "$tmp/up" --out "$out"
  ok "${out#"$tmp/"}: the pristine tree stays as it is" eval \
    '[ "$status" = 2 ] && says "must not be in" && diff -r "$tmp/before" "$tmp/up"'
done

# The real edits fit the real tree that is built; graft-releases.t has others.
. "$(dirname "$0")/graft.sh"
tree=$EVENTRING_BUILD/upstream
name="OCaml $(head -n1 "$tree/VERSION")"
real "$tree" "$name"
ok "the tree is the one that was built" cmp "$tmp/tree/Makefile" \
  "$EVENTRING_BUILD/ocaml/Makefile"
all_renamed "$name"

finish
