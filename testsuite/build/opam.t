#!/bin/sh
# make opam-repository: a description could break opam's rules, a hash could be
# wrong, or a package need another that neither of the repositories has.
# testsuite/build/opam-switch builds the packages.
. "$(dirname "$0")/lib.sh"
if ! command -v opam >/dev/null || ! command -v rsync >/dev/null; then
  echo "1..0 # SKIP no opam, or no rsync, with which it reads local folders"
  exit
fi
export OPAMROOT="$tmp/root" OPAMROOTISOK=1 OPAMYES=1 OPAMCOLOR=never
cd "$top" || exit 1
to=$EVENTRING_BUILD/opam

run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make opam-repository
ok "make opam-repository" succeeds
find "$to" -name opam -type f >"$tmp/descriptions"

# No address is known for the fields homepage, bug-reports and dev-repo (35 to
# 37). Upstream's description has something for Windows (41), and only compilers
# and the package ocaml should set the environment (56).
# shellcheck disable=SC2046
run opam lint --warnings=-35-36-37-41-56 $(cat "$tmp/descriptions")
ok "opam finds nothing wrong in the descriptions" eval \
  'succeeds && [ "$(grep -c ": Passed\.$" "$tmp/out")" -eq \
    "$(wc -l <"$tmp/descriptions")" ]'
sources() {
  grep -rh -A1 '^  src: "file:/' "$to/eventring/packages" |
    sed -n 's,^  src: "file://\(.*\)"$,\1,p; s/^  checksum: "sha256=\(.*\)"$/\1/p' |
    paste - - | awk '{ print $2 "  " $1 }' >"$tmp/sources"
  [ "$(wc -l <"$tmp/sources")" -eq 3 ] && sha256sum --check "$tmp/sources"
}
ok "three packages have sources, with the right hashes" sources
version=$(head -n 1 "$EVENTRING_BUILD/upstream/VERSION")
compiler=ocaml-variants.$version+eventring
ok "the compiler's description does not call it an official release" eval \
  '! grep -i "official" "$to/eventring/packages/ocaml-variants/$compiler/opam" &&
   grep -qx "version: \"$version+eventring\"" \
     "$to/eventring/packages/ocaml-variants/$compiler/opam"'
ok "each library that configure looks for is a package of the system" eval \
  'for package in $(awk "/ pc:/ && \$2 == \"build\" { print \$1 }" \
     debian-packages.txt); do
     grep -q "\"$package\"" "$to"/eventring/packages/eventring-tools/*/opam ||
       exit 1
   done'

opam init --bare --no-setup --bypass-checks --disable-sandboxing \
  offline "file://$to/offline" >"$tmp/init" 2>&1 &&
  opam repository add --all-switches --set-default eventring \
    "file://$to/eventring" >>"$tmp/init" 2>&1
ok "opam takes both repositories" eval 'cat "$tmp/init"; opam repository \
  list --all --short | sort | diff - - <<END
eventring
offline
END'
opam switch create plan --empty >"$tmp/init" 2>&1
for packages in "$compiler eventring-tools" \
    "$compiler ocaml-option-flambda ocaml-option-fp"; do
  # shellcheck disable=SC2086
  run opam install --show-actions --no-depexts $packages
  ok "can be installed together: $packages" eval \
    'succeeds && says "ocaml-variants" "ocaml   " &&
     for p in $packages; do says "${p%%.*}"; done'
done

echo no tarball >"$tmp/bad.tar.gz"
run build-aux/opam-repository "$tmp/none" "$tmp/bad.tar.gz"
ok "a file that is no tarball stops with one line" \
  stops_with "$tmp/bad.tar.gz" 'make dist'
tar -C "$top" -czf "$tmp/other.tar.gz" opam
run build-aux/opam-repository "$tmp/none" "$tmp/other.tar.gz"
ok "another tarball stops with one line" \
  stops_with "$tmp/other.tar.gz" 'make dist'
mkdir "$tmp/mine"
echo mine >"$tmp/mine/file"
run build-aux/opam-repository "$tmp/mine" "$tmp/other.tar.gz"
ok "a folder of something else is not replaced" eval \
  'stops_with "$tmp/mine" "not empty" && [ "$(cat "$tmp/mine/file")" = mine ]'
finish
