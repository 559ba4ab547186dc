#!/bin/sh
# olly, a reader that was made for stock OCaml: it finds no file of a program that
# was started in the way of stock OCaml, or refuses it.  EVENTRING_TEST_SOURCES is
# a folder with clients/dune.tar.xz and clients/olly.tar.xz.
# Only in make check-long: it builds olly.
. "$(dirname "$0")/programs.sh"
if [ -z "$EVENTRING_TEST_SOURCES" ]; then
  echo "1..0 # SKIP no EVENTRING_TEST_SOURCES"
  exit
fi
build switch unix runtime_events check.ml
build plain
. "$here/waiting.sh"

olly() {
  mkdir "$tmp/clients" && cd "$tmp/clients" || return 1
  tar xf "$EVENTRING_TEST_SOURCES/clients/olly.tar.xz" && dune3 || return 1
  PATH=$EVENTRING_STAGE/bin:$PATH
  (cd olly && "$dune" build --root . --profile release ./ret/bin/olly_bare.exe)
}
mode=opt
ok "olly can be built" olly
bare=$tmp/clients/olly/_build/default/ret/bin/olly_bare.exe
fresh
run env TMPDIR="$PWD" "$bare" trace "$tmp/out.json" "$tmp/plain.opt"
ok "olly trace: it ends well" eval 'exits 0 && no_line'
ok "olly trace: the collections are there" \
  grep -q minor_local_roots "$tmp/out.json"
ok "olly trace: no file is left" no_ring
waiting
"$bare" trace --attach="$PWD:$pid" "$tmp/out.json" \
  >"$tmp/out" 2>"$tmp/err" 9>&- 8<&- &
olly=$!
started="$started $olly"
within 60 grep -q "/$pid.events\$" "/proc/$olly/maps"
echo >&9; read -r _ <&8
over
wait "$olly"
status=$?
ok "olly trace --attach: it reads until the process ends" \
  eval 'exits 0 && no_line && grep -q minor_local_roots "$tmp/out.json"'
finish
