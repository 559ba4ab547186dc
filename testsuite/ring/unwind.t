#!/bin/sh
# The sampler's unwinder in programs of C, compared with noted return addresses
# and the compiler's own unwinder: on this machine, and for arm64 in qemu, also with
# return addresses that carry an authentication code.  Stops a program:
# UNWIND_STOPS, by default 500.
#
# OCaml code for arm64 needs a compiler for it: ../soak/arm64.
. "$(dirname "$0")/../cli/tap.sh"
cd "$EVENTRING_TOP" || exit 1
ocaml=_build/ocaml/runtime

# build NAME COMPILER FLAG...: without the functions of the unwinder that need
# OCaml's runtime
build() {
  out=$1
  shift
  run "$@" -std=gnu11 -g -O2 -Wall -Wextra -DNATIVE_CODE -DMODEL_default \
    -DSYS_linux -Iconsumer/reader -Iruntime -I$ocaml -iquote $ocaml/caml \
    testsuite/ring/unwind.c runtime/eventring_unwind.c -o "$tmp/$out" -lm \
    -ffunction-sections -Wl,--gc-sections
}

# finds NAME WHERE COMMAND...: the tests of the program, NAME, that COMMAND runs
finds() {
  ok "the unwinder compiles $2" eval 'exits 0 && silent'
  name=$1 where=$2
  shift 2
  run "$@" "$tmp/$name" "${UNWIND_STOPS:-500}"
  while IFS= read -r line; do
    case $line in
      'ok '*) ok "${line#ok * - }, $where" true ;;
      'not ok '*) ok "${line#not ok * - }, $where" false ;;
      '1..'*) ;;
      *) echo "$line" ;;
    esac
  done <"$tmp/out"
  ok "the program comes to its end, $where" \
    eval 'exits 0 && grep -q "^1\.\." "$tmp/out"'
}

if [ "$(uname -m)" = x86_64 ]; then
  build here gcc -DTARGET_amd64
  finds here "on this machine" env
else
  skip "the unwinder on this machine" "it is no x86-64"
fi

# The C library's own tables are wrong while a function is linked at its first
# call, and the compiler's unwinder may crash there.
arm="aarch64-linux-gnu-gcc -DTARGET_arm64 -Wl,-z,now"
libraries=/usr/aarch64-linux-gnu
if ! command -v qemu-aarch64 >/dev/null ||
    ! echo 'int main(void) { return 0; }' |
      $arm -x c - -o "$tmp/empty" 2>/dev/null ||
    ! qemu-aarch64 -L $libraries "$tmp/empty"; then
  skip "the unwinder on arm64" "no aarch64-linux-gnu-gcc or no qemu-aarch64"
  finish
  exit
fi
build arm $arm
finds arm "on arm64" qemu-aarch64 -L $libraries
build signed $arm -mbranch-protection=standard
finds signed "on arm64 with signed return addresses" \
  qemu-aarch64 -cpu max -L $libraries
finish
