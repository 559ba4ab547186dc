# Read by the tests of this folder: ring files with samples of code that the
# test has compiled.
. "$(dirname "$0")/../cli/tap.sh"
cd "$tmp" || exit 1

${CC:-cc} -std=gnu11 -I"$EVENTRING_TOP/runtime" -o make_profile \
  "$here/make_profile.c" || exit 1

base=0x555500000000

# address NUMBER: NUMBER of the file, in hexadecimal digits, as in the process
address() { printf '%x ' $((base + 0x$1)); }

# symbols FILE: the address and the name of each.  nm would load all of LLVM first, where
# that has left a plugin for it.
symbols() {
  [ "$1.symbols" -nt "$1" ] || readelf -Ws "$1" | awk '
    /^Symbol table/ { all = /symtab/ } all && $1 ~ /^[0-9]+:$/ { print $2, $8 }
    ' >"$1.symbols"
  cat "$1.symbols"
}

# at FUNCTION [FILE]: the address of an instruction inside
at() { address "$(symbols "${2:-program}" | awk -v f="$1" '$2 == f { print $1; exit }')"; }

# after CALLER CALLEE [FILE]: the address to which the call returns
after() {
  address "$(objdump -d --no-show-raw-insn "${3:-program}" |
    awk -v from="<$1>:" -v to="<$2>" '
      $2 == from { in_it = 1 } in_it && found { print $1; exit }
      in_it && /call/ && $NF == to { found = 1 }' | tr -d :)"
}

# mapping FILE: the line for the machine code of FILE
mapping() {
  readelf -lW "$1" | awk '/LOAD.* R E / { print $2, $3, $5 }' | {
    read -r offset virtual size
    printf 'mapping %x %x %x %s %s\n' $((base + virtual)) $((size)) \
      $((offset)) "$(readelf -n "$1" | sed -n 's/.*Build ID: //p')" "$tmp/$1"
  }
}

compile_c() { ${CC:-cc} -g -O1 -fno-optimize-sibling-calls -pie -fPIE "$@"; }
compile_program() {
  cp "$here/program.c" .
  compile_c -o program program.c || exit 1
}
# line_of MARK: the line of program.c with the comment MARK
line_of() { grep -n "/\* $1 \*/" program.c | cut -d : -f 1; }
