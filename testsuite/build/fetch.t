#!/bin/sh
# upstream/fetch: the origin of the sources, and one clear line when they cannot
# be had. npm is a stub here: nothing of this test uses the network.
. "$(dirname "$0")/lib.sh"

version=5.3.0
export EVENTRING_CACHE="$work/cache"
offline='echo "npm error code ENOTFOUND" >&2
echo "npm error request failed, reason: no such host" >&2
exit 1'

# A small package of our own, and a copy of upstream/ that pins it.
mkdir -p "$work/package/runtime" "$work/top/upstream"
printf '%s\n\nmore\n' $version >"$work/package/VERSION"
echo 'int x;' >"$work/package/runtime/x.c"
tar -C "$work" -czf "$work/small.tgz" package
cp "$top"/upstream/package*.json "$work/top/upstream"
hash=$(python3 -c 'import base64, hashlib, sys
print("sha512-" + base64.b64encode(
    hashlib.sha512(open(sys.argv[1], "rb").read()).digest()).decode())' \
  "$work/small.tgz")
sed -i "s,\"integrity\": .*,\"integrity\": \"$hash\"," \
  "$work/top/upstream/package-lock.json"
brings() {
  stub npm "while [ \$# -gt 0 ]; do
  [ \"\$1\" = --pack-destination ] && cp '$1' \"\$2/ocaml-$version.tgz\"
  shift
done"
}
fetch() {
  rm -rf "$work/tree"
  run "$top/upstream/fetch" --top "$work/top" --out "$work/tree" "$@"
}
tree_is_there() { [ "$(cat "$work/tree/runtime/x.c")" = 'int x;' ]; }
no_tree() { [ ! -e "$work/tree" ]; }

stub npm "$offline"
fetch
check "no network: one line that names package, reason and way out" \
  stops_with ocaml@$version 'no such host' --with-ocaml-source
check "no network: nothing is left behind" no_tree

stub npm 'exit 127'
mkdir "$work/empty-path"
for program in python3 env; do
  ln -s "$(command -v $program)" "$work/empty-path/$program"
done
rm -rf "$work/tree"
run env PATH="$work/empty-path" "$(python3 -c 'import sys; print(sys.executable)')" \
  "$top/upstream/fetch" --top "$work/top" --out "$work/tree"
check "no npm: says which Debian package" \
  stops_with 'npm is not installed' 'Debian package npm'

echo damaged >"$work/bad.tgz"
brings "$work/bad.tgz"
fetch
check "a wrong hash stops, naming both hashes' place" \
  stops_with ocaml@$version 'hash' package-lock.json
check "a wrong hash does not get into the cache" \
  test ! -e "$work/cache/ocaml-$version.tgz"

brings "$work/small.tgz"
fetch
check "the right package is fetched" succeeds
check "and unpacked" tree_is_there

stub npm "$offline"
fetch
check "the second time nothing is downloaded" succeeds
check "and the tree is the same" tree_is_there

printf x >>"$work/cache/ocaml-$version.tgz"
fetch
check "a damaged cache is not used" says 'cached file is damaged'
check "and without network that stops" test "$rc" -ne 0
brings "$work/small.tgz"
fetch
check "with network it is fetched again" tree_is_there

# Sources given by hand: no network, no npm.
stub npm 'echo "npm was called" >&2; exit 1'
export EVENTRING_CACHE="$work/no-cache"
fetch --source "$work/package"
check "from a folder" tree_is_there
fetch --source "$work/small.tgz"
check "from a tarball" tree_is_there
check "neither touches the cache" test ! -e "$work/no-cache"

echo 4.14.1 >"$work/package/VERSION"
fetch --source "$work/package"
check "a folder of OCaml 4 stops" \
  stops_with "$work/package" 'OCaml 4.14.1' 'OCaml 5'
tar -C "$work" -czf "$work/other.tgz" package
fetch --source "$work/other.tgz"
check "a tarball of OCaml 4 stops" \
  stops_with "$work/other.tgz" 'OCaml 4.14.1' 'OCaml 5'
echo 5.9.1 >"$work/package/VERSION"
fetch --source "$work/package"
check "any version of OCaml 5 is taken from a folder" tree_is_there

echo $version >"$work/package/VERSION"
touch "$work/package/Makefile.config"
fetch --source "$work/package"
check "a folder that was built in stops" \
  stops_with "$work/package" 'pristine'
fetch --source "$work/nowhere"
check "a path that does not exist stops" \
  stops_with "$work/nowhere" 'does not exist'
fetch --source "$work/bad.tgz"
check "a file that is no tarball stops" stops_with "$work/bad.tgz"
fetch --source "$work/bin"
check "a folder that is not OCaml stops" \
  stops_with "$work/bin" 'not an OCaml source tree'

plan
