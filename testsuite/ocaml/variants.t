#!/bin/sh
# The runtime's variants: debug, instrumented, position-independent, shared, and
# bytecode's variants. One of them could lack the recorder, or count wrongly.
. "$(dirname "$0")/programs.sh"
build plain
"$tmp/plain.opt" >expected
lib=$("$ocaml/bin/ocamlopt" -where)

# traces NAME PROGRAM...: it runs as usual and its events are there
traces() {
  name=$1
  shift
  fresh
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 "$@"
  # The debug runtime says more on stderr.
  sed -i '/^###\|^Initial\|^$/d' "$tmp/err"
  ok "$name: as usual" eval 'exits 3 && diff "$tmp/expected" "$tmp/out"'
  ok "$name: its events are there" eval \
    'shows "domain 0 .*  begin     minor\$" && shows "domain 1 .*  minor" &&
     shows "  ring_stop  "'
}

native() {
  if ! [ -e "$lib/libasmrun$1.a" ]; then
    skip "native $1" "this toolchain has no libasmrun$1"
    return
  fi
  ocaml_flags="-runtime-variant $1"
  compile_to "native$1" ocamlopt plain.ml || give_up "native$1"
  ocaml_flags=
  traces "native $1" "$tmp/native$1"
}
native d
native i
native _pic

# The shared runtime is for programs with a main function in C.
cat >"$tmp/main.c" <<END
#define CAML_INTERNALS
#include <caml/callback.h>
int main(int argc, char **argv) { (void) argc; caml_main(argv); return 0; }
END
shared() {
  if ! [ -e "$lib/libasmrun_shared.so" ]; then
    skip "shared library" "this toolchain has no libasmrun_shared.so"
    return
  fi
  ocaml_flags=-output-obj
  compile_to shared.o ocamlopt plain.ml || give_up shared.o
  ocaml_flags=
  cd "$tmp" || exit 1
  ${CC:-cc} -I"$lib" -o shared main.c shared.o -L"$lib" -lasmrun_shared \
    -Wl,-rpath,"$lib" -lm >build.log 2>&1 || give_up shared
  traces "shared library" "$tmp/shared"
}
shared

# -output-complete-exe has its runtime in it, as has -custom.
custom() {
  name=$1
  shift
  ocaml_flags="$*"
  if compile_to "custom$name" ocamlc plain.ml; then
    ocaml_flags=
    LD_LIBRARY_PATH=$lib traces "bytecode $*" "$tmp/custom$name"
  else
    ocaml_flags=
    give_up "bytecode $*"
  fi
}
custom 1 -custom
custom 2 -custom -runtime-variant d
custom 3 -output-complete-exe
custom 4 -output-complete-exe -runtime-variant _pic
for run in ocamlrun ocamlrund ocamlruni; do
  traces "$run" "$ocaml/bin/$run" "$tmp/plain.byte"
done

# Allocation sizes, counted by the instrumented runtime: a count a domain
instrumented() {
  fresh
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    OCAML_EVENTRING_CATEGORIES="$1" "$tmp/sizes"
  eventring events --raw "$(ring)" | grep alloc_sizes >sizes
}
# sum DOMAIN BUCKET: prints the number that the domain has counted there
sum() {
  perl -F'\t' -lane 'BEGIN { ($d, $b) = splice @ARGV, 0, 2 }
    $n += hex((split / /, $F[8])[$b]) if $F[3] == $d; END { print $n + 0 }' \
    "$1" "$2" sizes
}
ocaml_flags='-runtime-variant i'
compile_to sizes ocamlopt sizes.ml || give_up sizes
ocaml_flags=
# Buckets: 0 to 9 words, tens to 99, the rest. 45 words are in 13, 85 in 17.
instrumented all
ok "allocation sizes: twenty counts in an event" \
  awk -F '\t' 'split($9, n, " ") != 20 { exit 1 }' sizes
ok "allocation sizes: domain 0 made 700 of 85 words" [ "$(sum 0 17)" -ge 700 ]
ok "allocation sizes: and nearly nothing of 45" [ "$(sum 0 13)" -lt 50 ]
ok "allocation sizes: domain 1 made 900 of 45 words" [ "$(sum 1 13)" -ge 900 ]
ok "allocation sizes: and nearly nothing of 85" [ "$(sum 1 17)" -lt 50 ]
instrumented gc
ok "allocation sizes: not unless asked for" [ ! -s sizes ]
finish
