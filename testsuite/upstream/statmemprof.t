#!/bin/sh
# A program whose Gc.Memprof sees something else when allocation is sampled:
# upstream's own tests of it, in native code, since bytecode is not sampled.
# Only in make check-long: it runs upstream's tests of Gc.Memprof.
. "$(dirname "$0")/../cli/tap.sh"
sources=$EVENTRING_BUILD/ocaml/testsuite/tests/statmemprof
ocamlopt=$EVENTRING_STAGE/bin/ocamlopt
cd "$tmp" || exit 1
if [ ! -x "$ocamlopt" ] || [ ! -d "$sources" ]; then
  echo "1..0 # SKIP no native compiler, or no tests of Gc.Memprof"
  exit
fi

# same RATE PROGRAM: it prints and returns with samples what it does without
same() {
  OCAML_EVENTRING_START=1 OCAML_EVENTRING_PROFILE_ALLOC=$1 OCAML_EVENTRING_KEEP=1 \
    timeout 120 "./$2" >"$2.sampled" 2>&1
  echo "exit code $?" >>"$2.sampled"
  diff "$2.without" "$2.sampled" && eventring check ./*.eventring
}
tried=0
for source in "$sources"/*.ml; do
  program=$(basename "$source" .ml)
  cp "$source" . && set -- "$program.ml"
  [ ! -f "$sources/${program}_stub.c" ] ||
    { cp "$sources/${program}_stub.c" . && set -- "${program}_stub.c" "$@"; }
  "$ocamlopt" -g -I +unix -I +threads unix.cmxa threads.cmxa "$@" -o "$program" \
    >build.log 2>&1 || { ok "$program is compiled" cat build.log; continue; }
  timeout 120 "./$program" >"$program.without" 2>&1
  echo "exit code $?" >>"$program.without"
  rm -f ./*.eventring
  ok "$program: the same with samples" same "${EVENTRING_RATE:-1e-1}" "$program"
  tried=$((tried + 1))
done
ok "all tests of Gc.Memprof were tried" [ $tried -ge 15 ]
finish
