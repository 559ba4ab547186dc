#!/bin/sh
# C stubs with caml/eventring.h: they could no longer compile without flags,
# or write events that OCaml code does not recognise.
. "$(dirname "$0")/programs.sh"
build eventring_stubs check.ml recorded.ml stubs.c

run_checks() {
  fresh
  checks env OCAML_EVENTRING_KEEP=1 "$tmp/eventring_stubs.$mode"
  ok "$mode: nothing on standard error" no_line
  ok "$mode: all 64 bits are in the file" eval \
    'shows "  size  9223372036854775807 bytes$" &&
     shows "  size  -9223372036854775808 bytes$"'
}
both run_checks

# With no flag at all, and as C++
cd "$tmp" || exit 1
run "$ocaml/bin/ocamlopt" stubs.c check.ml recorded.ml eventring_stubs.ml
ok "ocamlopt stubs.c prog.ml" eval 'exits 0 && [ -x a.out ]'
rm -f a.out
run "$ocaml/bin/ocamlc" -custom stubs.c check.ml recorded.ml eventring_stubs.ml
ok "ocamlc -custom stubs.c prog.ml" eval 'exits 0 && [ -x a.out ]'
for language in c c++; do
  printf '%s\n' '#include <caml/eventring.h>' \
    'int use(void) { return caml_eventring_register_span("x"); }' >header.c
  run ${CC:-cc} -x "$language" -Wall -Wextra -Werror -c -o header.o \
    -I "$("$ocaml/bin/ocamlc" -where)" header.c
  ok "the header by itself, as $language" eval 'exits 0 && silent'
done
finish
