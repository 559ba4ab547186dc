#!/bin/sh
# Readers made for stock OCaml look for PID.events: they could find no file of a
# program that was started in the way of stock OCaml, or find and refuse it.
# With EVENTRING_TEST_SOURCES, a folder with clients/dune.tar.xz and
# clients/olly.tar.xz, the real program olly is among them.
. "$(dirname "$0")/programs.sh"
build stock_calls unix runtime_events
build fork raw_fork.c unix runtime_events
build switch unix runtime_events check.ml
build plain
OLD=OCAML_RUNTIME_EVENTS

# waiting: $pid is a traced process in this folder, until [over]
waiting() {
  fresh
  mkfifo to from
  env ${OLD}_START=1 "$tmp/switch.$mode" wait <to >from &
  started="$started $!"
  exec 9>to 8<from
  read -r pid <&8
  echo >&9
  read -r _ <&8
}
# Waits too: a zombie counts as alive.
over() { exec 9>&- 8<&-; wait "$pid"; }
is_ours() { [ "$(head -c 16 "$1")" = 'OCaml Eventring' ]; }

same_calls() {
  fresh
  run "$tmp/stock_calls.$mode" launch "$PWD" "$tmp/plain.$mode"
  ok "$mode: launched with the variables of stock OCaml: read" \
    eval 'exits 0 && no_line && out_has "^read\$"'
  ok "$mode: launched: there was no other file" no_ring
  run "$tmp/stock_calls.$mode" start
  ok "$mode: Runtime_events.start: the name of stock OCaml" \
    eval 'exits 0 && no_line && out_has "^named\$"'
  ok "$mode: Runtime_events.start: the file is removed at the end" no_ring
  waiting
  ok "$mode: the file has our magic" is_ours "$pid.events"
  run "$tmp/stock_calls.$mode" attach "$PWD" "$pid"
  ok "$mode: attached: read" eval 'exits 0 && no_line && out_has "^read\$"'
  run eventring events "$pid.events"
  ok "$mode: the command reads the file" \
    eval 'exits 0 && out_has "  counter  *number  1\$"'
  over
  fresh
  run env ${OLD}_START=1 ${OLD}_PRESERVE=1 "$tmp/fork.$mode" child
  ok "$mode: a forked child has the same kind of name" \
    eval 'exits 0 && [ "$(ls | sed "s/[0-9]*//" | uniq -c)" = "      2 .events" ]'
  fresh
  run env ${OLD}_START=1 OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    "$tmp/plain.$mode"
  ok "$mode: our variable wins, and gives our name" \
    eval '[ "$(ls | sed "s/[0-9]*//")" = .eventring ]'
}
both same_calls

olly() {
  mkdir "$tmp/clients" && cd "$tmp/clients" || return 1
  tar xf "$EVENTRING_TEST_SOURCES/clients/olly.tar.xz" && dune3 || return 1
  PATH=$EVENTRING_STAGE/bin:$PATH
  (cd olly && "$dune" build --root . --profile release ./ret/bin/olly_bare.exe)
}
if [ -n "$EVENTRING_TEST_SOURCES" ]; then
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
else
  skip "olly" "no EVENTRING_TEST_SOURCES"
fi
finish
