#!/bin/sh
# make dist leaves out files that a user needs, or make install-tools does not
# install the command and libeventring from it, or more than these.
# Needs the machine alone: make dist and build/opam.t write to one folder.
. "$(dirname "$0")/lib.sh"
cd "$top" || exit 1
fresh() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make "$@"; }

run fresh dist
check "make dist" succeeds
tarball=$(tail -n 1 "$work/out")
cd "$work" && tar xzf "$top/$tarball" && cd ocaml-*/eventring ||
  exit 1
# Programs that graft, fetch and bundle are not needed any more.
mkdir "$work/programs" && ln -s /usr/bin/* "$work/programs" &&
  rm -f "$work/programs"/spatch "$work/programs"/npm "$work/programs"/perl \
    "$work/programs"/python3*
run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL PATH="$work/programs" \
  make -j2 install-tools PREFIX="$work/to"
check "make install-tools, of what make dist packed" succeeds
check "installs these files and no others" eval \
  '(cd "$work/to" && find . ! -type d | sort) | diff - - <<END
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
run "$work/to/bin/eventring" --version
check "the command runs" says eventring
cat >"$work/reader.c" <<'END'
#include <eventring_reader.h>
#include <stdio.h>
int main(void) { return puts(eventring_reader_version()) < 0; }
END
export PKG_CONFIG_PATH="$work/to/lib/pkgconfig"
run ${CC:-cc} -o "$work/reader" "$work/reader.c" \
  $(pkg-config --cflags --libs eventring) -Wl,-rpath,"$work/to/lib"
check "a program is compiled with libeventring" succeeds
run "$work/reader"
check "and runs" succeeds
plan
