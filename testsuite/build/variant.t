#!/bin/sh
# build-aux/variant: a runtime that lacks an option of its compiler, or has
# another version, would crash the programs that are linked with it.
# Needs no OCaml.
. "$(dirname "$0")/lib.sh"

mkdir -p "$work/tree" "$work/prefix/bin"
echo 5.3.0+eventring >"$work/tree/VERSION"
# It ends here: nothing is built.
printf '#!/bin/sh\necho "options: $*"\nexit 1\n' >"$work/tree/configure"
chmod +x "$work/tree/configure"
# compiler VERSION FRAME_POINTERS FLAT_FLOAT_ARRAY TSAN
compiler() {
  cat >"$work/prefix/bin/ocamlopt" <<END
#!/bin/sh
case \$* in
  -version) echo $1 ;;
  -where) echo /usr/lib/ocaml ;;
  *with_frame_pointers) echo $2 ;;
  *flat_float_array) echo $3 ;;
  *tsan) echo $4 ;;
esac
END
  chmod +x "$work/prefix/bin/ocamlopt"
  run "$top/build-aux/variant" "$work/tree" "$work/to" "$work/prefix" false
}
without() { ! grep -qF -e "$1" "$work/out"; }

compiler 5.3.0 false true false
check "it is configured for the folders of its compiler" \
  says '--prefix=/usr --libdir=/usr/lib/ocaml '
for option in --enable-frame-pointers --disable-flat-float-array --enable-tsan
do
  check "without $option, if the compiler is" without "$option"
done
compiler 5.3.0 true false true
for option in --enable-frame-pointers --disable-flat-float-array --enable-tsan
do
  check "with $option, if the compiler is" says "$option"
done
compiler 5.3.1 false true false
check "another version stops with one line" \
  stops_with 'OCaml 5.3.1' 'OCaml 5.3.0' VARIANT_PREFIX
rm "$work/prefix/bin/ocamlopt"
run "$top/build-aux/variant" "$work/tree" "$work/to" "$work/prefix" false
check "no compiler stops with one line" \
  stops_with "$work/prefix/bin/ocamlopt" VARIANT_PREFIX
check "neither writes anything" test ! -e "$work/to"
plan
