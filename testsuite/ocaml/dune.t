#!/bin/sh
# Dune 3 builds a project with unix, threads, C stubs and Runtime_events on the
# toolchain, and on a stock OCaml with library eventring-variant. It could miss a
# library, link stock's runtime, or keep an old one when the variant changes.
# Only in make check-long: it builds dune.
. "$(dirname "$0")/programs.sh"
: "${EVENTRING_STOCK:=$EVENTRING_TOP/_build/stock/install}"
: "${EVENTRING_VARIANT:=$EVENTRING_TOP/_build/test/variant}"
if [ -z "$EVENTRING_TEST_SOURCES" ]; then
  echo "1..0 # SKIP no EVENTRING_TEST_SOURCES"
  exit
fi
dune3 || give_up dune

cd "$tmp" || exit 1
mkdir project
echo '(lang dune 3.0)' >project/dune-project
cp "$here/drop_in.ml" project
cat >project/main.ml <<'END'
external answer : unit -> int = "stub_answer"
let () = assert (answer () = 42)
module _ = Drop_in
END
cat >project/stub.c <<'END'
#include <caml/mlvalues.h>
value stub_answer(value unit) { (void) unit; return Val_int(42); }
END

# project LIBRARY...: its dune file
project() {
  cat >project/dune <<END
(executable (name main) (modes exe byte_complete)
 (libraries $* unix threads.posix runtime_events)
 (foreign_stubs (language c) (names stub)))
END
}
builds() {
  (cd project && PATH=$ocaml/bin:$PATH OCAMLPATH=$tmp/variant \
     "$dune" build --root . --display quiet ./main.exe ./main.bc.exe) \
    >"$tmp/build.log" 2>&1 || { cat "$tmp/build.log"; return 1; }
}
traced() {
  for program in main.exe main.bc.exe; do
    fresh
    run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
      "$tmp/project/_build/default/$program"
    ok "$1: $program runs as usual" eval 'exits 0 && no_line && out_has works'
    ok "$1: $program: its trace and its forked child's are sound" \
      eval '[ "$(ls | wc -l)" = 2 ] && eventring check *.eventring'
    for file in *.eventring; do eventring events "$file"; done >events
    ok "$1: $program: events of the collector and of the program" \
      eval 'has "  minor\$" && has "  counter   answer  42\$"'
    cd "$tmp" || exit 1
  done
}

project
ok "toolchain: the project builds" builds
traced toolchain

rm -r project/_build
if ! [ -e "$EVENTRING_VARIANT/META" ]; then
  skip "variant" "no variant runtime (make variant-for-tests)"
  finish
fi
ocaml=$EVENTRING_STOCK
mkdir variant
cp -P "$EVENTRING_VARIANT"/* variant 2>/dev/null
project eventring-variant
ok "variant: the project builds" builds
traced variant

# A symbol shows which library a program was linked with.
program=project/_build/default/main.exe
before=$(stat -c %y "$program")
ok "variant: builds again" builds
ok "variant: the same library does not link the program again" \
  eval '[ "$(stat -c %y "$program")" = "$before" ]'
echo 'int another_library = 1;' | ${CC:-cc} -c -x c -o another.o - &&
  ar q variant/libasmrun_eventring.a another.o || give_up another.o
ok "variant: builds with another library" builds
ok "variant: another library links the program again" \
  eval 'nm "$program" | grep -q another_library'
finish
