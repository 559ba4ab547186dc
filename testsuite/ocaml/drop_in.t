#!/bin/sh
# Our runtime under programs of a stock OCaml: a symbol that its
# libraries refer to could be missing, a user event come without its name, a
# stock reader take our file for one of its own.
# Only in make check-long: a runtime is configured and built for it.
. "$(dirname "$0")/programs.sh"
: "${EVENTRING_STOCK:=$EVENTRING_TOP/_build/stock/install}"
: "${EVENTRING_VARIANT:=$EVENTRING_TOP/_build/test/variant}"
if ! [ -x "$EVENTRING_STOCK/bin/ocamlopt" ]; then
  echo "1..0 # SKIP no stock OCaml (make stock)"
  exit
fi
if ! [ -e "$EVENTRING_VARIANT/libasmrun_eventring.a" ]; then
  echo "1..0 # SKIP no variant runtime (make variant-for-tests)"
  exit
fi

ocaml=$EVENTRING_STOCK
ocaml_flags="-I $EVENTRING_VARIANT -runtime-variant _eventring"
libraries='unix threads runtime_events'
# shellcheck disable=SC2086
compile_to drop_in.opt ocamlopt $libraries drop_in.ml || give_up drop_in.opt
ocaml_flags="$ocaml_flags -custom"
# shellcheck disable=SC2086
compile_to drop_in.byte ocamlc $libraries drop_in.ml || give_up drop_in.byte
ocaml_flags=
# shellcheck disable=SC2086
compile_to stock ocamlc $libraries drop_in.ml || give_up stock

traced() {
  fresh
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 "$@"
  ok "$mode: runs as usual" eval 'exits 0 && no_line'
  ok "$mode: Unix, threads and domains work" out_has '^works$'
  ok "$mode: a stock cursor refuses our file" out_has '^refused$'
  set -- *.eventring
  ok "$mode: a file each for the program and its forked child" [ $# = 2 ]
  cat -- *.eventring >/dev/null
  for file; do eventring events "$file"; done >events 2>lost
  has() { grep -q -e "$1" events; }
  ok "$mode: minor collections of two domains" eval \
    "has 'domain 0 .*  minor\$' && has 'domain 1 .*  minor\$'"
  ok "$mode: a user event with its name" has '  counter   answer  42$'
  ok "$mode: a custom one" has '  greeting  "hello"$'
  ok "$mode: a span" eval "has '  begin     span\$' && has '  end       span\$'"
  ok "$mode: the fork, on both sides" eval \
    "has '  fork_parent  ' && has '  fork_child  '"
}
for mode in opt byte; do traced "$tmp/drop_in.$mode"; done
if [ -x "$EVENTRING_VARIANT/ocamlrun_eventring" ]; then
  mode=ocamlrun_eventring
  traced "$EVENTRING_VARIANT/ocamlrun_eventring" "$tmp/stock"
else
  skip "ocamlrun_eventring" "it is not in $EVENTRING_VARIANT"
fi

# Shared objects with our runtime in them, loaded by a C program
cp "$here/../storms/embedded.c" "$here/../storms/embedded.ml" "$tmp"
(cd "$tmp" && ${CC:-cc} -o load embedded.c -ldl) || give_up load
for compiler in ocamlopt ocamlc; do
  (cd "$tmp" && "$ocaml/bin/$compiler" -output-complete-obj -o $compiler.so \
    -I "$EVENTRING_VARIANT" -runtime-variant _eventring_pic embedded.ml) \
    >"$tmp/build.log" 2>&1
  ok "$compiler: a shared object can be linked" [ -e "$tmp/$compiler.so" ]
  fresh
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    "$tmp/load" "$tmp/$compiler.so"
  ok "$compiler: a shared object is traced" \
    eval 'exits 3 && no_line && shows "  ring_stop  "'
done

# A stock program, with stock's own runtime, looks at a file of ours under the
# name that it expects.
fresh
OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 "$tmp/drop_in.opt" >/dev/null
for file in *.eventring; do cp "$file" 77.events; done
run "$ocaml/bin/ocamlrun" "$tmp/stock" read 77
ok "a whole stock program refuses our file under its own name" \
  eval 'exits 0 && out_has "^refused$"'
finish
