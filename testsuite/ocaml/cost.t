#!/bin/sh
# Programs grow, probes touch more memory, waits take longer: bytes,
# instructions, reads of memory and of the clock are counted, no time is taken.
. "$(dirname "$0")/programs.sh"
: "${EVENTRING_STOCK:=$EVENTRING_TOP/_build/stock/install}"
build cost unix cost_stubs.c

# at_most A B: A is a number, and no more than B
at_most() { echo "$1, at most $2"; [ -n "$1" ] && [ "$1" -le "$2" ]; }

# A hello world, compared with one of stock OCaml.  Sizes vary only with the
# lengths of the paths in them.
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
  ok "code and data of a hello world grow by 81 KiB at most" \
    at_most $(($1 - $3)) $((81 * 1024))
  # With a hole of up to 4 KiB before the control page.
  ok "its zeroed memory grows by 20 KiB at most" at_most $(($2 - $4)) 20480
else
  skip "the size of a hello world" "no stock OCaml; make stock"
fi

# The code of an event, as it was before there were samples
instructions() {
  objdump -d --no-show-raw-insn "$EVENTRING_STAGE/lib/ocaml/libasmrun.a" |
    awk -v f="<$1>:" '$2 == f { found = 1; next } NF == 0 { found = 0 }
      found && /^ / && !/\t(nop|cs nop|data16|xchg +%ax,%ax)/ { n++ }
      END { print n }'
}
if [ "$(uname -m)" = x86_64 ]; then
  for bound in emit:39 emit_int:42 emit_pair:72 emit_words:39 emit_bytes:82; do
    ok "caml_eventring_${bound%:*}: ${bound#*:} instructions" at_most \
      "$(instructions "caml_eventring_${bound%:*}")" "${bound#*:}"
  done
else
  skip "the code of an event" "counted on x86-64"
fi

# A wait that is recorded: when it begins, when the thread returns, when it has
# the domain lock.  Events of the wait take the last time.
gcc -shared -fPIC -O2 -o clock.so "$here/cost_clock.c" || give_up clock.so
reads() {
  fresh
  LD_PRELOAD=$tmp/clock.so OCAML_EVENTRING_START=1 \
    OCAML_EVENTRING_CLOCK=monotonic "$tmp/cost.opt" wait "$1" | tail -n 1
}
ok "a recorded wait reads the clock 3 times" \
  at_most $((($(reads 2000) - $(reads 1000)) / 100)) 31

if ! command -v valgrind >/dev/null; then
  skip "instructions and reads" "no valgrind"
  finish
fi

# counted OPERATION N: instructions and reads of data of the whole program
counted() {
  fresh
  env $with valgrind --tool=callgrind --cache-sim=yes --callgrind-out-file=out \
    "$tmp/cost.opt" "$1" "$2" >log 2>&1
  awk '/^(summary|totals):/ { print $2, $3; exit }' out
}
# each OPERATION N: the same for one operation, times 10
each() {
  set -- "$2" $(counted "$1" "$2") $(counted "$1" $((2 * $2)))
  echo $((($4 - $2) * 10 / $1)) $((($5 - $3) * 10 / $1))
}

# disabled OPERATION NAME INSTRUCTIONS READS
disabled() {
  set -- "$@" $(each "$1" 10000)
  ok "$2 that is not recorded: $3 instructions with the loop" \
    at_most "$5" $(($3 * 10 + 1))
  ok "$2 that is not recorded: $4 reads" at_most "$6" $(($4 * 10 + 1))
}
# The control word
disabled cause "a counter that reports a cause" 5 1
# The span, the distance to the control word, and what is there
disabled span "a span of module Eventring" 14 3
# The same: a request that was started while nothing was recorded is none
disabled request "making a request the current one" 17 3

# From OCaml code to the event in the ring
with="OCAML_EVENTRING_START=1 OCAML_EVENTRING_THRESHOLD=1ns"
set -- $(each wait 1000)
traced=$1
with=
set -- $(each wait 1000)
# It reads the clock three times, by a call if that is not the processor's counter.
# On a busy machine more time passes between events, which takes longer numbers.
limit=330
grep -qx tsc /sys/devices/system/clocksource/clocksource0/current_clocksource ||
  limit=380
ok "recording a wait takes $limit instructions" \
  at_most $(((traced - $1) / 10)) $limit
finish
