#!/bin/sh
# Each OCaml in EVENTRING_TEST_SOURCES/ocaml: the graft, the runtime without a
# warning, and a traced program with two domains, all of whose stops and
# collections have a cause.
. "$(dirname "$0")/lib.sh"
cd "$top" || exit 1

sources=${EVENTRING_TEST_SOURCES:-}/ocaml
if [ ! -d "$sources" ]; then
  echo "1..0 # SKIP no EVENTRING_TEST_SOURCES"
  exit
fi
run build-aux/check-versions --short "$EVENTRING_BUILD" "$sources"
ok "every version is grafted, built and traced" succeeds
ok "several were tried" sh -c \
  "[ \"\$(sed -n 's/ versions, .*//p' '$tmp/out')\" -ge 2 ]"

# It can fail: a tree that is none, and one that does not fit.
mkdir -p "$tmp/sources/none"
run build-aux/check-versions --short "$EVENTRING_BUILD" "$tmp/sources"
ok "a folder without OCaml's sources is refused" stops_with "$tmp/sources"
mkdir -p "$tmp/sources/old/runtime"
echo 5.0.0 >"$tmp/sources/old/VERSION"
run build-aux/check-versions --short "$tmp/build" "$tmp/sources"
ok "a tree that does not fit fails" eval \
  '[ "$status" -ne 0 ] && says "1 steps failed" graft'

finish
