#!/bin/sh
# eventring profile on hostile code and samples: it does not crash, wait or use
# much memory.
# Needs no OCaml.
. "$(dirname "$0")/lib.sh"
cat >code.c <<'CODE'
volatile int sink;
#line LINE SOURCE
__attribute__((noinline)) int leaf(int n) { for (int i = 0; i < n; i++)
  sink += i; return sink; }
int main(int argc, char **argv) { (void) argv; return leaf(argc); }
CODE
compile_c() { ${CC:-cc} -g -O1 -pie -fPIE "$@"; }

# of_line LINE SOURCE: compiles the code as if line LINE of SOURCE had it, and
# makes a sample of it.
of_line() {
  compile_c -o program -DLINE="$1" -DSOURCE="\"$2\"" code.c
  { mapping program; echo "sample 1000 0 0 $(at leaf)"; } |
    ./make_profile lines.eventring || exit 1
}
# annotates ARGUMENT: profile --annotate, with little memory and time
annotates() {
  run sh -c 'ulimit -v 2000000; exec timeout 10 "$@"' - "$EVENTRING_BIN" \
    profile --annotate="$1" lines.eventring
}

for line in 2147483640 1500000000; do
  of_line $line nofile.c
  annotates nofile.c
  ok "annotated: the code says that it is in line $line" eval \
    'exits 0 && out_has " 100.00%  *$line *\$"'
done
# Files that are not regular
mkfifo source.fifo
truncate -s 17M source.large
for source in source.fifo /dev/zero source.large; do
  of_line 5 $source
  annotates $source
  ok "annotated: $source is no source" eval \
    'exits 0 && err_has "cannot find the source $source" &&
     out_has "100.00%  *5 *\$"'
done
# with_link NAME: the program has its debug information in file NAME.
with_link() {
  cp whole program
  : >"$1"
  objcopy --strip-debug --add-gnu-debuglink="$1" program
  rm "$1"
}
of_line 5 source.c
cp program whole
with_link pipe.debug
mkfifo pipe.debug
annotates leaf
ok "a debug file that is a FIFO is not opened" eval \
  '[ "$status" = 1 ] && err_has "program has no debug information"'
rm pipe.debug
# A file that is not the link's: the build id counts.
objcopy --only-keep-debug whole pipe.debug
annotates leaf
ok "a debug file of the same build id is opened" out_has "^source.c:\$"
compile_c -o other -DLINE=5 -DSOURCE='"wrong.c"' code.c
objcopy --only-keep-debug other pipe.debug
annotates leaf
ok "a debug file of another build id is not opened" eval \
  '[ "$status" = 1 ] && err_has "program has no debug information"'
gzip -c whole >program
annotates leaf
ok "a compressed file is not unpacked" err_has "not an ELF file"
# A reference to shared debug information: a path and a build id.
cp whole program
{ printf 'shared.fifo\0'; head -c 20 whole; } >shared
mkfifo shared.fifo
objcopy --add-section .gnu_debugaltlink=shared program
annotates leaf
ok "shared debug information in a FIFO is not opened" eval \
  '[ "$status" = 1 ] && err_has "program has no debug information"'
cp whole program

# Sums
{
  mapping program
  echo "sample 9223372036854775807 0 0 $(at leaf)"
  echo "sample 9223372036854775807 0 0 $(at leaf)"
  echo "sample 18446744073709551614 0 0 1234"
} | ./make_profile sums.eventring || exit 1
run eventring profile --json sums.eventring
ok "sums do not wrap; the samples that are too much are left out" eval \
  'exits 0 && out_has "\"cpu_ns\": 9223372036854775807," && ! out_has ": -" &&
   err_has ": 2 samples are left out: their processor time is impossible"'
run eventring profile sums.eventring
ok "the head says of how many samples the sum is" out_has " in 1 sample of 3\$"

# Depth
repeat() { yes "$1" | head -n "$2" | tr '\n' ' '; }
{
  mapping program
  echo "sample 1000 0 0 $(at leaf)$(repeat "$(after main leaf)" 60)1234"
} | ./make_profile deep.eventring || exit 1
run eventring profile --tree deep.eventring
ok "tree: at depth 50 the indentation ends and the depth is a number" eval \
  'out_has "%  \\( \\)\\{100\\}main\$" &&
   out_has "%  \\( \\)\\{100\\}\\[51\\] main\$" &&
   out_has "%  \\( \\)\\{100\\}\\[62\\] leaf\$"'
run eventring profile --folded deep.eventring
ok "folded: the whole stack" \
  out_has "^\\[unknown\\];\\(main;\\)\\{60\\}leaf 1000\$"

# Many files
many() { # PATH...: a sample of a mapping of each
  n=0
  for path; do
    n=$((n + 1))
    mapping program | { read -r _ start rest
      printf 'mapping %x %s %s\n' $((0x$start + n * 0x100000)) \
        "${rest% *}" "$path"
      printf 'sample 1000 0 0 %x\n' $((0x$start + n * 0x100000 + 1)); }
  done | ./make_profile many.eventring || exit 1
}
compile_c -g0 -o program -DLINE=5 -DSOURCE='"source.c"' code.c
many "$tmp/program" "$tmp/./program" "$tmp//program" "/.$tmp/program"
run eventring profile many.eventring
ok "one file by four paths is opened once" eval \
  '[ "$(grep -c "no debug information" err)" = 1 ]'
mapping program | { read -r _ start size rest
  for n in $(seq 402); do
    printf 'mapping %x %s 0 - /no/file%d\n' $((n * 0x100000)) "$size" "$n"
    printf 'sample 1000 0 0 %x\n' $((n * 0x100000 + 1))
  done; } | ./make_profile many.eventring || exit 1
run eventring profile many.eventring
ok "files are opened up to a limit" eval \
  '[ "$(grep -c "cannot read the symbols" err)" = 400 ] &&
   [ "$(grep -c "more than 400 files with code" err)" = 1 ] &&
   out_has "\[file402\]"'

finish
