#!/bin/sh
# make dist leaves out files that a user needs, or make install-tools does not
# install the command and libeventring from it, or more than these.
# Only in make check-long: it compiles the command once more.
. "$(dirname "$0")/lib.sh"
cd "$top" || exit 1
fresh() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make "$@"; }

run fresh dist DIST_TO="$tmp/dist"
ok "make dist" succeeds
tarball=$(tail -n 1 "$tmp/out")
cd "$tmp" && tar xzf "$tarball" && cd ocaml-*/eventring ||
  exit 1
# Programs that graft, fetch and bundle are not needed any more.
mkdir "$tmp/programs" && ln -s /usr/bin/* "$tmp/programs" &&
  rm -f "$tmp/programs"/spatch "$tmp/programs"/npm "$tmp/programs"/perl \
    "$tmp/programs"/python3*
run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL PATH="$tmp/programs" \
  make -j2 install-tools PREFIX="$tmp/to" CFLAGS="-O0 -g0"
ok "make install-tools, of what make dist packed" succeeds
ok "installs these files and no others" eval \
  '(cd "$tmp/to" && find . ! -type d | sort) | diff - - <<END
./bin/eventring
./include/eventring_reader.h
./lib/libeventring.a
./lib/libeventring.so
./lib/libeventring.so.1
./lib/pkgconfig/eventring.pc
./share/bash-completion/completions/eventring
./share/man/man1/eventring.1
./share/zsh/site-functions/_eventring
END'
run "$tmp/to/bin/eventring" --version
ok "the command runs" says eventring
cat >"$tmp/reader.c" <<'END'
#include <eventring_reader.h>
#include <stdio.h>
int main(void) { return puts(eventring_reader_version()) < 0; }
END
export PKG_CONFIG_PATH="$tmp/to/lib/pkgconfig"
run ${CC:-cc} -o "$tmp/reader" "$tmp/reader.c" \
  $(pkg-config --cflags --libs eventring) -Wl,-rpath,"$tmp/to/lib"
ok "a program is compiled with libeventring" succeeds
run "$tmp/reader"
ok "and runs" succeeds
finish
