#!/bin/sh
# A program that runs with more rights than its caller has: the caller's
# environment could make it write files with these rights.
. "$(dirname "$0")/programs.sh"
build plain
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
  skip "secure mode" "cannot make a setuid program and become another user"
  finish
fi
# The temporary folder may lie on a file system that ignores setuid.
cp /bin/sleep other; chown 65534 other; chmod 4755 other
setpriv --reuid 65533 --clear-groups ./other 5 &
pid=$!
started="$started $pid"
takes_effect() {
  [ "$(awk '/^Uid:/ { print $3 }' /proc/$pid/status)" = 65534 ]
}
if ! within 2 takes_effect; then
  skip "secure mode" "setuid has no effect in $tmp"
  finish
fi

# as_other VARIABLE=VALUE...: runs plain as a user other than its owner
as_other() {
  fresh; chmod 777 .
  run env "$@" setpriv --reuid 65533 --clear-groups "$tmp/plain"
}
cd "$tmp"; cp plain.opt plain; chown 65533 plain; chmod 755 plain
as_other OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1
ok "without setuid it is traced" eval 'exits 3 && shows "  ring_stop  "'

cd "$tmp"; chown 65534 plain; chmod 4755 plain
for start in OCAML_EVENTRING_START=1 OCAML_EVENTRING_START=paused \
             OCAML_RUNTIME_EVENTS_START=1 OCAML_EVENTRING_START=nonsense; do
  as_other $start OCAML_EVENTRING_KEEP=1
  ok "setuid: $start is ignored" eval 'exits 3 && no_line && no_ring'
done

cd "$tmp"; chown 0:65534 plain; chmod 2755 plain
as_other OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1
ok "setgid: the same" eval 'exits 3 && no_line && no_ring'
finish
