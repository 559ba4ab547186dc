#!/bin/sh
# The kind of a function: OCaml's runtime, its collector, or other C, by the names of
# the sources, or of the functions where there are no lines.  Needs no OCaml.
. "$(dirname "$0")/lib.sh"
mkdir -p src/runtime src/myruntime src/runtime/deep
define() { echo "__attribute__((noinline)) int $1(int n) { return n + $2; }"; }
define caml_mark_all 1 >src/runtime/major_gc.c
define pool_sweep_all 2 >src/runtime/shared_heap.c
define caml_input_all 3 >src/runtime/intern.c
define user_work 4 >src/runtime/deep/major_gc.c
define caml_stub 5 >src/stubs.c
define other_runtime 6 >src/myruntime/major_gc.c
mkdir src/runtime/caml
cat >src/runtime/caml/values.h <<'END'
static inline __attribute__((always_inline)) int Hd_value(int n) { return n * 5 + 2; }
END
cat >src/runtime/minor_gc.c <<'END'
#include "caml/values.h"
__attribute__((noinline)) int caml_header_all(int n) { return Hd_value(n); }
static inline __attribute__((always_inline)) int oldify__one(int n)
{ return n * 3 + 1; }
__attribute__((noinline)) int caml_minor_all(int n) { return oldify__one(n); }
END
define caml_no_lines 7 >src/a.c
define no_lines 8 >src/b.c
echo 'int main(void) { return 0; }' >src/main.c
(
  cd src || exit 1
  for file in runtime/*.c runtime/deep/*.c myruntime/*.c stubs.c main.c; do
    compile_c -c -o "$(echo "$file" | tr / _).o" "$file" || exit 1
  done
  for file in a b; do
    ${CC:-cc} -O1 -fPIE -c -o $file.o $file.c || exit 1
  done
  compile_c -o ../program ./*.o
) || exit 1
functions='caml_minor_all caml_header_all caml_mark_all pool_sweep_all caml_input_all user_work caml_stub other_runtime
  caml_no_lines no_lines'
{
  mapping program
  echo "at 1 100 0"
  for function in $functions; do echo "sample 1000 0 0 $(at "$function")"; done
  echo "sample 1000 0 0 1234"
} | ./make_profile samples.eventring || exit 1
eventring profile --json samples.eventring >out 2>err
kind_is() {
  [ "$(jq -r --arg f "$1" '.functions[] | select(.function == $f).kind' out)" = "$2" ]
}
ok "what marks is the collector" kind_is caml_mark_all collector
ok "what sweeps is the collector, without the prefix too" \
  kind_is pool_sweep_all collector
ok "another file of the runtime is the runtime" kind_is caml_input_all runtime
ok "a file of this name below another folder is C" kind_is user_work c
ok "a folder whose name ends in runtime is another" kind_is other_runtime c
ok "a stub with the prefix and another file is C" kind_is caml_stub c
ok "without lines the prefix tells the runtime" kind_is caml_no_lines runtime
ok "without lines and prefix it is C" kind_is no_lines c
ok "an inlined function of C has its name and kind" kind_is oldify__one collector
ok "an inlined function of a header of the runtime is the runtime" \
  kind_is Hd_value runtime
ok "code of no file has no kind" kind_is '[unknown]' null
ok "frames of stacks have the kind" eval 'jq -e "[.stacks[].frames[].kind] |
  group_by(.) | map([.[0], length]) ==
  [[null, 1], [\"c\", 4], [\"collector\", 5], [\"runtime\", 3]]" out >/dev/null'
finish
