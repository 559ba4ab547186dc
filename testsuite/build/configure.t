#!/bin/sh
# configure: names each missing program or library in a line with its package,
# and writes nothing outside the folder it runs in.
# Needs no OCaml.
. "$(dirname "$0")/lib.sh"

# A PATH with the programs that configure itself uses, and none that it looks
# for.
mkdir "$work/tools" "$work/build"
for tool in sh sed grep egrep expr cat rm mkdir rmdir ls cp mv ln test tr \
    sort uname awk gawk mawk chmod dirname basename env head hostname sleep \
    touch printf true false diff wc cut od; do
  path=$(command -v "$tool") || continue
  case $path in /*) ln -sf "$path" "$work/tools/$tool" ;; esac
done
link() { for tool; do ln -sf "$(command -v "$tool")" "$work/tools/$tool"; done; }
configure() {
  rm -rf "$work/build" && mkdir "$work/build"
  cd "$work/build" || exit
  run env PATH="$work/tools" CONFIG_SHELL=/bin/sh /bin/sh "$top/configure" "$@"
  cd "$top" || exit
}
no_mk() { [ ! -e "$work/build/config.mk" ]; }

configure
check "with nothing there it fails" test "$rc" -ne 0
for line in 'missing: python3 (Debian package python3)' \
    'missing: npm (Debian package npm)' \
    'missing: pkg-config (Debian package pkg-config)' \
    'missing: spatch (Debian package coccinelle)' \
    'missing: a C compiler (Debian package gcc)'; do
  check "says: $line" says "configure: $line"
done
check "says what installs them" says 'make deps'
check "writes no config.mk" no_mk

link make python3 perl spatch tar ar gcc as ld
stub pkg-config 'exit 1'
link pkg-config
configure --with-ocaml-source="$top"
check "a library that is missing is named with its package" \
  says 'missing: libzstd (Debian package libzstd-dev)'
check "npm is needed for the page, with sources by hand too" \
  says 'missing: npm (Debian package npm)'

# Only the tests need it.
stub pkg-config '[ "$2" != cmocka ]'
stub npm 'exit 0'
link pkg-config npm
configure --prefix="$work/prefix"
check "with all there it succeeds" succeeds
check "without cmocka, the summary says who installs what the tests need" \
  says 'make check installs what the tests need'
check "the summary names the prefix" says "install into      $work/prefix"
check "config.mk has the prefix" \
  grep -qx "prefix = $work/prefix" "$work/build/config.mk"

configure --with-ocaml-source="$work/nowhere"
check "sources that do not exist are an error at once" \
  says "$work/nowhere does not exist"
check "and stop" test "$rc" -ne 0

configure CFLAGS='-O1 -g'
check "CFLAGS reach OCaml's configure" \
  grep -q "CFLAGS='-O1 -g'" "$work/build/config.mk"

# make deps, where it may not install
stub id 'echo 1000'
printf 'no-such-package build cmd:no-such-program\nmake build cmd:make\n' >"$work/list"
run "$top/build-aux/deps" "$work/list"
check "deps without root prints the command" \
  says 'apt-get install --no-install-recommends no-such-package'
check "and fails" test "$rc" -ne 0
run "$top/build-aux/deps" "$work/list" check
check "packages of another use are not asked for" succeeds
echo 'make build cmd:make' >"$work/list"
run "$top/build-aux/deps" "$work/list"
check "deps with all installed does nothing" says 'everything is installed'

plan
