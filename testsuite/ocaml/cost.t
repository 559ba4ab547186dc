#!/bin/sh
# Programs grow, memory is touched that nobody asked for, a wait takes longer:
# what can be counted of the costs, without a clock.
. "$(dirname "$0")/programs.sh"
: "${EVENTRING_STOCK:=$EVENTRING_TOP/_build/stock/install}"

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

finish
