#!/bin/sh
# The ways in which a process begins and ends: it could do something else than
# it does untraced, leave a file that nobody ends, or write to another one's.
# Only in make check-long: it is a load.
# Needs the machine alone: it loads the machine.
. "$(dirname "$0")/storms.sh"
build_storm

# Files that ended in order, and files that did not
whole() {
  n=0
  for file in *.eventring; do
    eventring events "$file" | grep -q '  ring_stop  ' && n=$((n + 1))
  done
  [ "$n" = "$1" ] && [ "$(ls -- *.eventring | wc -l)" = "$2" ] ||
    { echo "$n whole files"; ls; return 1; }
}

# ways HOW FILES WHOLE: as untraced, and so many files, of which so many whole
ways() {
  fresh
  timeout 60 "$tmp/storm.$mode" fork "$1" >"$tmp/expected"
  expected=$?
  run env $START=1 $KEEP=1 timeout 60 "$tmp/storm.$mode" fork "$1"
  ok "$mode: $1: as untraced" \
    eval 'exits "$expected" && diff "$tmp/expected" "$tmp/out" && no_line'
  ok "$mode: $1: $2 files, $3 of them whole" whole "$3" "$2"
  fresh
  run env $START=1 timeout 60 "$tmp/storm.$mode" fork "$1"
  ok "$mode: $1: what is not kept is removed" \
    eval '[ "$(ls | wc -l)" -le '$(($2 - $3))' ]'
}

processes() {
  ways once 2 2
  ways twice 3 3
  ways exec 2 2
  ways domains 2 2
  ways spawn 2 2
  ways process 2 2
  ways daemon 3 3
  ways storm 41 41
  ways exit 1 1
  ways at_exit 1 1
  fresh
  run env $START=1 $KEEP=1 "$tmp/storm.$mode" fork at_exit
  ok "$mode: at_exit: its functions are in the trace, the first one first" \
    eval '[ "$(eventring events "$(ring)" |
      awk "\$(NF - 1) == \"domain\" || / ring_stop / { printf \"%s \", \$NF }"
      )" = "200 100 0 " ]'
}
both processes

# C programs with OCaml in them
here=$EVENTRING_TOP/testsuite/storms
cp "$here/embedded.c" "$here/embedded.ml" "$tmp"
cd "$tmp" || exit 1
"$ocaml/bin/ocamlopt" -output-complete-obj -o embedded.o.o embedded.ml \
  >build.log 2>&1 &&
  ${CC:-cc} -DLINKED -I"$("$ocaml/bin/ocamlopt" -where)" -o embedded \
    embedded.c embedded.o.o -lm -lpthread -lzstd >>build.log 2>&1 ||
  give_up embedded
"$ocaml/bin/ocamlopt" -output-complete-obj -runtime-variant _pic \
  -o embedded.so embedded.ml >build.log 2>&1 || give_up embedded.so
${CC:-cc} -o load embedded.c -ldl || give_up load
mode=opt
for how in twice again; do
  fresh
  "$tmp/embedded" $how >"$tmp/expected" 2>"$tmp/expected.err"
  expected=$?
  run env $START=1 $KEEP=1 "$tmp/embedded" $how
  ok "embedded, $how: as untraced" eval 'exits "$expected" &&
    diff "$tmp/expected" "$tmp/out" && diff "$tmp/expected.err" "$tmp/err"'
  ok "embedded, $how: the trace is whole" whole 1 1
done
fresh
"$tmp/load" "$tmp/embedded.so" >"$tmp/expected"
run env $START=1 $KEEP=1 "$tmp/load" "$tmp/embedded.so"
ok "a library with a runtime, loaded: as untraced" \
  eval 'exits 3 && diff "$tmp/expected" "$tmp/out" && no_line'
ok "a library with a runtime, loaded: the trace is whole" whole 1 1

lib=$("$ocaml/bin/ocamlopt" -where)
cd "$tmp" || exit 1
"$ocaml/bin/ocamlopt" -output-obj -o shared.o embedded.ml >build.log 2>&1 &&
  ${CC:-cc} -DLINKED -I"$lib" -o shared embedded.c shared.o -L"$lib" \
    -lasmrun_shared -Wl,-rpath,"$(cd "$lib" && pwd -P)" -lm >>build.log 2>&1 ||
  give_up shared
fresh
run env $START=1 $KEEP=1 "$tmp/shared" twice
ok "the shared runtime: as untraced" \
  eval 'exits 3 && out_has embedded && no_line'
ok "the shared runtime: the trace is whole" whole 1 1
finish
