#!/bin/sh
# upstream/fetch: the origin of the sources, and one clear line when they cannot
# be had. npm is a stub here: nothing of this test uses the network.
. "$(dirname "$0")/lib.sh"

version=5.3.0
export EVENTRING_CACHE="$tmp/cache"
offline='echo "npm error code ENOTFOUND" >&2
echo "npm error request failed, reason: no such host" >&2
exit 1'

# A small package of our own, and a copy of upstream/ that pins it.
mkdir -p "$tmp/package/runtime" "$tmp/top/upstream"
printf '%s\n\nmore\n' $version >"$tmp/package/VERSION"
echo 'int x;' >"$tmp/package/runtime/x.c"
tar -C "$tmp" -czf "$tmp/small.tgz" package
cp "$top"/upstream/package*.json "$tmp/top/upstream"
hash=$(python3 -c 'import base64, hashlib, sys
print("sha512-" + base64.b64encode(
    hashlib.sha512(open(sys.argv[1], "rb").read()).digest()).decode())' \
  "$tmp/small.tgz")
sed -i "s,\"integrity\": .*,\"integrity\": \"$hash\"," \
  "$tmp/top/upstream/package-lock.json"
brings() {
  stub npm "while [ \$# -gt 0 ]; do
  [ \"\$1\" = --pack-destination ] && cp '$1' \"\$2/ocaml-$version.tgz\"
  shift
done"
}
fetch() {
  rm -rf "$tmp/tree"
  run "$top/upstream/fetch" --top "$tmp/top" --out "$tmp/tree" "$@"
}
tree_is_there() { [ "$(cat "$tmp/tree/runtime/x.c")" = 'int x;' ]; }
no_tree() { [ ! -e "$tmp/tree" ]; }

stub npm "$offline"
fetch
ok "no network: one line that names package, reason and way out" \
  stops_with ocaml@$version 'no such host' --with-ocaml-source
ok "no network: nothing is left behind" no_tree

stub npm 'exit 127'
mkdir "$tmp/empty-path"
for program in python3 env; do
  ln -s "$(command -v $program)" "$tmp/empty-path/$program"
done
rm -rf "$tmp/tree"
run env PATH="$tmp/empty-path" "$(python3 -c 'import sys; print(sys.executable)')" \
  "$top/upstream/fetch" --top "$tmp/top" --out "$tmp/tree"
ok "no npm: says which Debian package" \
  stops_with 'npm is not installed' 'Debian package npm'

echo damaged >"$tmp/bad.tgz"
brings "$tmp/bad.tgz"
fetch
ok "a wrong hash stops, naming both hashes' place" \
  stops_with ocaml@$version 'hash' package-lock.json
ok "a wrong hash does not get into the cache" \
  test ! -e "$tmp/cache/ocaml-$version.tgz"

brings "$tmp/small.tgz"
fetch
ok "the right package is fetched" succeeds
ok "and unpacked" tree_is_there

stub npm "$offline"
fetch
ok "the second time nothing is downloaded" succeeds
ok "and the tree is the same" tree_is_there

printf x >>"$tmp/cache/ocaml-$version.tgz"
fetch
ok "a damaged cache is not used" says 'cached file is damaged'
ok "and without network that stops" test "$status" -ne 0
brings "$tmp/small.tgz"
fetch
ok "with network it is fetched again" tree_is_there

# Sources given by hand: no network, no npm.
stub npm 'echo "npm was called" >&2; exit 1'
export EVENTRING_CACHE="$tmp/no-cache"
fetch --source "$tmp/package"
ok "from a folder" tree_is_there
fetch --source "$tmp/small.tgz"
ok "from a tarball" tree_is_there
ok "neither touches the cache" test ! -e "$tmp/no-cache"

echo 4.14.1 >"$tmp/package/VERSION"
fetch --source "$tmp/package"
ok "a folder of OCaml 4 stops" \
  stops_with "$tmp/package" 'OCaml 4.14.1' 'OCaml 5'
tar -C "$tmp" -czf "$tmp/other.tgz" package
fetch --source "$tmp/other.tgz"
ok "a tarball of OCaml 4 stops" \
  stops_with "$tmp/other.tgz" 'OCaml 4.14.1' 'OCaml 5'
printf '5.' >"$tmp/package/VERSION"
fetch --source "$tmp/package"
ok "a version that was cut off stops" stops_with "$tmp/package/VERSION" "'5.'"
echo 5.9.1 >"$tmp/package/VERSION"
fetch --source "$tmp/package"
ok "any version of OCaml 5 is taken from a folder" tree_is_there

echo $version >"$tmp/package/VERSION"
touch "$tmp/package/Makefile.config"
fetch --source "$tmp/package"
ok "a folder that was built in stops" \
  stops_with "$tmp/package" 'pristine'
fetch --source "$tmp/nowhere"
ok "a path that does not exist stops" \
  stops_with "$tmp/nowhere" 'does not exist'
fetch --source "$tmp/bad.tgz"
ok "a file that is no tarball stops" stops_with "$tmp/bad.tgz"
fetch --source "$tmp/bin"
ok "a folder that is not OCaml stops" \
  stops_with "$tmp/bin" 'not an OCaml source tree'

finish
