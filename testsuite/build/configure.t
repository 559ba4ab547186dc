#!/bin/sh
# configure: names each missing program or library in a line with its package,
# and writes nothing outside the folder it runs in.
# Needs no OCaml.
. "$(dirname "$0")/lib.sh"

# A PATH with the programs that configure itself uses, and none that it looks
# for.
mkdir "$tmp/tools" "$tmp/build"
for tool in sh sed grep egrep expr cat rm mkdir rmdir ls cp mv ln test tr \
    sort uname awk gawk mawk chmod dirname basename env head hostname sleep \
    touch printf true false diff wc cut od; do
  path=$(command -v "$tool") || continue
  case $path in /*) ln -sf "$path" "$tmp/tools/$tool" ;; esac
done
link() { for tool; do ln -sf "$(command -v "$tool")" "$tmp/tools/$tool"; done; }
configure() {
  rm -rf "$tmp/build" && mkdir "$tmp/build"
  cd "$tmp/build" || exit
  run env PATH="$tmp/tools" CONFIG_SHELL=/bin/sh /bin/sh "$top/configure" "$@"
  cd "$top" || exit
}
no_mk() { [ ! -e "$tmp/build/config.mk" ]; }

configure
ok "with nothing there it fails" test "$status" -ne 0
for line in 'missing: python3 (Debian package python3)' \
    'missing: npm (Debian package npm)' \
    'missing: pkg-config (Debian package pkg-config)' \
    'missing: spatch (Debian package coccinelle)' \
    'missing: a C compiler (Debian package gcc)'; do
  ok "says: $line" says "configure: $line"
done
ok "says what installs them" says 'make deps'
ok "writes no config.mk" no_mk

link make python3 perl spatch tar ar objdump gcc as ld
pkg_config=$(command -v pkg-config)
stub pkg-config 'exit 1'
link pkg-config
configure --with-ocaml-source="$top"
ok "a library that is missing is named with its package" \
  says 'missing: libzstd (Debian package libzstd-dev)'
ok "npm is needed for the page, with sources by hand too" \
  says 'missing: npm (Debian package npm)'

# Only the tests need it.
stub pkg-config "[ \"\$2\" != cmocka ] && exec $pkg_config \"\$@\""
stub npm 'exit 0'
link pkg-config npm
configure --prefix="$tmp/prefix"
ok "with all there it succeeds" succeeds
ok "without cmocka, the summary says who installs what the tests need" \
  says 'make check installs what the tests need'
ok "the summary names the prefix" says "install into      $tmp/prefix"
ok "config.mk has the prefix" \
  grep -qx "prefix = $tmp/prefix" "$tmp/build/config.mk"

configure --with-ocaml-source="$tmp/nowhere"
ok "sources that do not exist are an error at once" \
  says "$tmp/nowhere does not exist"
ok "and stop" test "$status" -ne 0

configure CFLAGS='-O1 -g'
ok "CFLAGS reach OCaml's configure" \
  grep -q "CFLAGS='-O1 -g'" "$tmp/build/config.mk"

# make deps, where it may not install
stub id 'echo 1000'
printf 'no-such-package build cmd:no-such-program\nmake build cmd:make\n' >"$tmp/list"
run "$top/build-aux/deps" "$tmp/list"
ok "deps without root prints the command" \
  says 'apt-get install --no-install-recommends no-such-package'
ok "and fails" test "$status" -ne 0
run "$top/build-aux/deps" "$tmp/list" check
ok "packages of another use are not asked for" succeeds
echo 'make build cmd:make' >"$tmp/list"
run "$top/build-aux/deps" "$tmp/list"
ok "deps with all installed does nothing" says 'everything is installed'

finish
