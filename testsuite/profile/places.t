#!/bin/sh
# The functions of code that is no longer at its path, or never was there for us:
# an executable that was replaced, another mount namespace, another folder.
# Needs no OCaml.
. "$(dirname "$0")/lib.sh"
cp "$here/program.c" .
cat >waits.c <<'END'
#include <unistd.h>
int main(void) { char c; write(1, "ready", 5); return (int) read(0, &c, 1); }
END
# svc FILE [FLAG...]: a program with the functions of program.c that waits for the
# end of its input
svc() {
  to=$1
  shift
  compile_c "$@" -o "$to" waits.c program.o || exit 1
}
compile_c -Dmain=not_main -c program.c || exit 1
# starts COMMAND...: in the background, until leave
starts() {
  mkfifo go
  "$@" <go >ready &
  pid=$!
  started="$started $pid"
  exec 9>go
  rm go
  within 60 grep -q ready ready
}
leave() {
  exec 9>&-
  wait "$pid"
}
boot=$(cat /proc/sys/kernel/random/boot_id)
# ring PATH FILE [PID]: a ring of the process, with a sample in leaf of FILE, which
# the process has from PATH
ring() {
  {
    mapping "$2" | sed "s|[^ ]*\$|$1|"
    [ $# -lt 3 ] || echo "alive $3 $boot"
    echo "sample 1000 0 0 $(at leaf "$2")"
  } | ./make_profile ring.eventring || exit 1
  run eventring profile ring.eventring
}
found() { exits 0 && out_has ' leaf  program.c$' && [ ! -s err ]; }
unknown() { ! out_has ' leaf ' && err_has "$1"; }

svc svc
cp svc old
starts ./svc
ring "$tmp/svc" old "$pid"
ok "at its path" found
svc new -DNEW -Wl,--build-id=0x12345678
mv new svc
ring "$tmp/svc" old "$pid"
ok "replaced while it runs" found
rm svc
ring "$tmp/svc" old "$pid"
ok "removed while it runs" found
ring "$tmp/svc (deleted)" old "$pid"
ok "replaced before its code was noted" found
svc svc -Wl,--build-id=0x12345678
ring "$tmp/other" svc "$pid"
ok "the executable is not taken for another file" unknown 'cannot read'
leave
ring "$tmp/svc" old
ok "replaced, and the process has ended: says so" \
  unknown 'svc is not the file that the process ran'

mkdir -p "symbols/$tmp" flat
mv old "symbols/$tmp/svc"
again() { run eventring profile "$@" ring.eventring; }
again --symbols=symbols
ok "--symbols: by the same path below the folder" found
mv "symbols/$tmp/svc" flat/svc
again --symbols=flat
ok "--symbols: by its name in the folder" found
again --all --symbols=flat
ok "--symbols: of merged profiles" found
again --symbols=symbols
ok "--symbols: not there" unknown 'svc is not the file that the process ran'

mkdir there
if unshare -m mount -t tmpfs eventring-test there 2>/dev/null; then
  starts unshare -m sh -c 'mount -t tmpfs eventring-test there && cp flat/svc there/lib &&
    cp svc there/svc && exec there/svc'
  ring "$tmp/there/lib" flat/svc "$pid"
  ok "a file of another mount namespace" found
  ring "$tmp/there/svc" svc "$pid"
  ok "the executable of another mount namespace" found
  leave
else
  skip "another mount namespace" "cannot mount a file system"
fi
finish
