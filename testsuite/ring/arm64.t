#!/bin/sh
# The torn-read hammer as a program for arm64, under qemu: HAMMER_SECONDS, by
# default 3.
#
# The test shows that producer and reader compile for arm64 and run there, with
# its atomic instructions, its clock (cntvct_el0) and its pages of 64 KiB.  It
# does not show that the order is right: qemu on x86 has the order of x86, which
# is stronger than arm64's.  The model (../model) shows that.  Here we check
# only that the compiler put the instructions where the source has the atomics.
. "$(dirname "$0")/../cli/tap.sh"
cd "$EVENTRING_TOP" || exit 1
cc=aarch64-linux-gnu-gcc objdump=aarch64-linux-gnu-objdump
ocaml=_build/ocaml/runtime

if ! echo 'int main(void) { return 0; }' |
    $cc -static -x c - -o "$tmp/empty" 2>/dev/null; then
  echo "1..0 # SKIP no $cc that links statically"
  exit
fi

build() {
  out=$1
  shift
  run $cc -std=gnu11 -g -O2 -Wall -Wextra -Iconsumer/reader -Iruntime -I$ocaml \
    -iquote $ocaml/caml "$@" -o "$tmp/$out"
}
build hammer -static testsuite/ring/test_hammer.c @testsuite/ring/producer.files \
  consumer/reader/*.c consumer/runtime_events/runtime_formats.c -lpthread
ok "the producer and the reader of ring files compile" \
  eval 'exits 0 && silent'

if command -v qemu-aarch64 >/dev/null; then
  run qemu-aarch64 "$tmp/hammer" "${HAMMER_SECONDS:-3}"
  while IFS= read -r line; do
    case $line in
      'ok '*) ok "${line#ok * - }" true ;;
      'not ok '*) ok "${line#not ok * - }" false ;;
      '1..'*) ;;
      *) echo "# $line" ;;
    esac
  done <"$tmp/out"
  ok "the hammer came to its end" eval 'exits 0 && grep -q "^1\.\." "$tmp/out"'
else
  skip "the hammer runs" "no qemu-aarch64"
fi

# has_order FUNCTION STEP...: the function's code has the steps, regular
# expressions, in this order; other instructions may be between them.
has_order() {
  $objdump -d --no-show-raw-insn "$tmp/part.o" |
    awk -v name="<$1>:" '$2 == name { on = 1; next } /^$/ { on = 0 } on' |
    tr '\t' ' ' >"$tmp/code"
  shift
  line=0
  for step; do
    next=$(awk -v from="$line" -v step="$step" \
      'NR > from && $0 ~ step { print NR; exit }' "$tmp/code")
    [ -n "$next" ] || { echo "no $step after line $line"; return 1; }
    line=$next
  done
}

if command -v $objdump >/dev/null; then
  build part.o -c runtime/eventring_writer.c
  # stlr: store-release.  dmb: a fence.
  ok "begin_block: reserve with release, a fence, then the block" \
    has_order begin_block ' stlr ' ' dmb ish' ' mrs .*cntvct' ' str '
  for emit in caml_eventring_emit caml_eventring_emit_int \
      caml_eventring_emit_words; do
    ok "$emit: the words, then tail with release" \
      has_order $emit ' str ' ' stlr ' ' ret'
  done
  build part.o -c consumer/reader/eventring_reader.c
  ok "eventring_copy_block: tail, words, a fence, reserve" \
    has_order eventring_copy_block ' ldar ' ' dmb ish' ' ldar '
else
  skip "the instructions that order stores and loads" "no $objdump"
fi
finish
