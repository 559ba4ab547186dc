#!/bin/sh
# Programs grow, memory is touched that nobody asked for, a wait takes longer:
# what can be counted of the costs, without a clock.
. "$(dirname "$0")/programs.sh"
: "${EVENTRING_STOCK:=$EVENTRING_TOP/_build/stock/install}"
build cost unix cost_stubs.c

# at_most A B: A is a number, and no more than B
at_most() { echo "$1, at most $2"; [ -n "$1" ] && [ "$1" -le "$2" ]; }

# A hello world beside stock's.  Both sizes are the same in each run.
if [ -x "$EVENTRING_STOCK/bin/ocamlopt" ]; then
  mkdir ours stock
  for whose in ours stock; do
    echo 'let () = print_endline "Hello, world"' >$whose/hello.ml
  done
  "$EVENTRING_STAGE/bin/ocamlopt" -o ours/hello ours/hello.ml
  "$EVENTRING_STOCK/bin/ocamlopt" -o stock/hello stock/hello.ml
  # size NAME: its code and data, then its zeroed memory
  sizes() { size "$1/hello" | awk 'NR == 2 { print $1 + $2, $3 }'; }
  set -- $(sizes ours) $(sizes stock)
  ok "code and data of a hello world grow by 33,000 bytes" \
    at_most $(($1 - $3)) 33000
  # 512 KiB are the writers.
  ok "its zeroed memory grows by 544 KiB" at_most $(($2 - $4)) 557056
else
  skip "the size of a hello world" "no stock OCaml; make stock"
fi

if ! command -v valgrind >/dev/null; then
  skip "instructions and reads" "no valgrind"
  finish
fi

# counted WHAT N: instructions and reads of data of the whole program
counted() {
  fresh
  env $with valgrind --tool=callgrind --cache-sim=yes --callgrind-out-file=out \
    "$tmp/cost.opt" "$1" "$2" >log 2>&1
  awk '/^(summary|totals):/ { print $2, $3; exit }' out
}
# each WHAT N: those of one operation, times 10
each() {
  set -- "$2" $(counted "$1" "$2") $(counted "$1" $((2 * $2)))
  echo $((($4 - $2) * 10 / $1)) $((($5 - $3) * 10 / $1))
}

# disabled WHAT NAME INSTRUCTIONS READS
disabled() {
  set -- "$@" $(each "$1" 10000)
  ok "$2 that is not recorded: $3 instructions with the loop" \
    at_most "$5" $(($3 * 10 + 1))
  ok "$2 that is not recorded: $4 reads" at_most "$6" $(($4 * 10 + 1))
}
# The control word
disabled cause "a counter that reports a cause" 5 1
# The span, and the byte that says that tracing has never been started
disabled span "a span of module Eventring" 12 2

finish
