#!/bin/sh
# build-aux/variant: a runtime that lacks an option of its compiler, or has
# another version, would crash the programs that are linked with it.
# Needs no OCaml.
. "$(dirname "$0")/lib.sh"

mkdir -p "$tmp/tree" "$tmp/prefix/bin"
echo 5.3.0+eventring >"$tmp/tree/VERSION"
# It ends here: nothing is built.
printf '#!/bin/sh\necho "options: $*"\nexit 1\n' >"$tmp/tree/configure"
chmod +x "$tmp/tree/configure"
# compiler VERSION FRAME_POINTERS FLAT_FLOAT_ARRAY TSAN
compiler() {
  cat >"$tmp/prefix/bin/ocamlopt" <<END
#!/bin/sh
case \$* in
  -version) echo $1 ;;
  -where) echo /usr/lib/ocaml ;;
  *with_frame_pointers) echo $2 ;;
  *flat_float_array) echo $3 ;;
  *tsan) echo $4 ;;
esac
END
  chmod +x "$tmp/prefix/bin/ocamlopt"
  run "$top/build-aux/variant" "$tmp/tree" "$tmp/to" "$tmp/prefix" false
}
without() { ! grep -qF -e "$1" "$tmp/out"; }

compiler 5.3.0 false true false
ok "it is configured for the folders of its compiler" \
  says '--prefix=/usr --libdir=/usr/lib/ocaml '
for option in --enable-frame-pointers --disable-flat-float-array --enable-tsan
do
  ok "without $option, if the compiler is" without "$option"
done
compiler 5.3.0 true false true
for option in --enable-frame-pointers --disable-flat-float-array --enable-tsan
do
  ok "with $option, if the compiler is" says "$option"
done
compiler 5.3.1 false true false
ok "another version stops with one line" \
  stops_with 'OCaml 5.3.1' 'OCaml 5.3.0' VARIANT_PREFIX
rm "$tmp/prefix/bin/ocamlopt"
run "$top/build-aux/variant" "$tmp/tree" "$tmp/to" "$tmp/prefix" false
ok "no compiler stops with one line" \
  stops_with "$tmp/prefix/bin/ocamlopt" VARIANT_PREFIX
ok "neither writes anything" test ! -e "$tmp/to"
finish
