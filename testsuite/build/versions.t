#!/bin/sh
# Each OCaml in EVENTRING_TEST_SOURCES/ocaml: the graft, the runtime without a
# warning, and a traced program with two domains, all of whose stops and
# collections have a cause.
# Only in make check-long: it builds other releases of OCaml.
. "$(dirname "$0")/lib.sh"
cd "$top" || exit 1

sources=${EVENTRING_TEST_SOURCES:-}/ocaml
if [ ! -d "$sources" ]; then
  echo "1..0 # SKIP no EVENTRING_TEST_SOURCES"
  exit
fi
run build-aux/check-versions --short "$EVENTRING_BUILD" "$sources"
check "every version is grafted, built and traced" succeeds
check "several were tried" sh -c \
  "[ \"\$(sed -n 's/ versions, .*//p' '$work/out')\" -ge 2 ]"

# It can fail: a tree that is none, and one that does not fit.
mkdir -p "$work/sources/none"
run build-aux/check-versions --short "$EVENTRING_BUILD" "$work/sources"
check "a folder without OCaml's sources is refused" stops_with "$work/sources"
mkdir -p "$work/sources/old/runtime"
echo 5.0.0 >"$work/sources/old/VERSION"
run build-aux/check-versions --short "$work/build" "$work/sources"
check "a tree that does not fit fails" eval \
  '[ "$rc" -ne 0 ] && says "1 steps failed" graft'

plan
