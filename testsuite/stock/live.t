#!/bin/sh
# A running program of stock OCaml is not found, taken for another or for
# ended, cannot be followed to its end, or can be "controlled".
. "$(dirname "$0")/stock.sh"
compile_stock work
cd "$tmp" || exit 1
: "${EVENTRING_BUILD:=$EVENTRING_TOP/_build}"
${CC:-cc} -std=gnu11 -I"$EVENTRING_TOP/consumer/reader" -o use "$here/use.c" \
  "$EVENTRING_BUILD/lib/libeventring.a" -lzstd || exit 1

version=$("$EVENTRING_STOCK/bin/ocamlc" -version)
case $version in
  5.2.*) range='5.1 or 5.2' ;;
  *) range='5.3 or later' ;;
esac
in_order() { awk -F '\t' '$2 < last { exit 1 } { last = $2 }' "$1"; }

start_stock ./work 1000000 0.005 ""
collected() { eventring events "$pid" | grep -q 'domain 1 .* begin     minor$'; }
ok "found by its process id: events" within 60 collected
run eventring stat --dir "$tmp/rings" "$pid"
ok "found in --dir" exits 0
ok "it runs" out_has "^process $pid $tmp/work (running)"
ok "stat: waiting is not known" eval \
  "out_has '^time  *collecting [0-9.]*%, of 2 domains$' &&
     out_has '^0  *[0-9.]* [mu]*s  *-  *[0-9.]*%  *-  '"
ok "stat: minor collections of two domains" \
  [ "$(grep -c '^[01] minor  *[1-9]' out)" -eq 2 ]
run ./use info "$ring"
ok "which OCaml it is" out_has "^runtime $version\$"
ok "how it was called" out_has '^argv0 ./work$'
run eventring ps --no-rate --dir "$tmp/rings"
ok "ps: which OCaml it is" out_has "^$pid  .*  stock $version  *$tmp/work"
run eventring check "$pid"
ok "check: nothing wrong" exits 0
for command in pause resume; do
  run eventring $command "$pid"
  ok "$command" refused 3 'stock OCaml cannot be paused'
done
mv "$ring" hidden
run eventring events "$pid"
ok "renamed while it runs: not found" refused 3 "$pid (work) is not traced"
run eventring stat hidden
ok "renamed while it runs: by its path" out_has '(running)'
mv hidden "$ring"
if can_be_nobody; then
  run as_nobody events "$pid"
  ok "by somebody else" refused 3 "$pid (work) belongs to user 0 (root), and"
  run as_nobody events "$ring"
  ok "by somebody else, by its file" refused 3 'belongs to user 0 (root)'
else
  skip "by somebody else" "needs root and setpriv"
  skip "by somebody else, by its file" "needs root and setpriv"
fi
kill -9 "$pid"
wait "$pid" 2>/dev/null
run eventring stat "$ring"
ok "killed: says so" out_has '(killed)'

# Followed to its end: the events that were followed are the events of the file.
start_stock ./work 200 0.005 ""
run timeout 60 "$EVENTRING_BIN" events --raw --follow "$pid"
ok "events --follow ends with the process" exits 0
ok "events --follow: to the last event" out_has '	ring_stop	'
wait "$pid"
sort out >followed
run eventring events --raw "$ring"
# Followed, an event comes late whose writer is interrupted before it is published.
ok "events --follow: the same as in the file" eval 'sort out | cmp - followed'
ok "the events of the file: in the order of time" in_order out
run eventring stat "$ring"
ok "ended in order: says so" out_has '(ended)'
run ./use info "$ring"
ok "ended: what is sure of its OCaml" out_has "^runtime $range\$"
run eventring ps --no-rate --dir "$tmp/rings"
ok "ended: ps says as much" out_has "  stock $range  "

# Recorded while it runs.
start_stock ./work 100 0.005 ""
run timeout 60 ./use record "$ring" recording
ok "recorded to its end" exits 0
wait "$pid"
eventring events --raw "$ring" >direct
run eventring events --raw ./recording
ok "recorded: the same events as in the file" cmp out direct

# Run by ocamlrun.
"$EVENTRING_STOCK/bin/ocamlc" -I +unix -I +runtime_events -o work.byte \
  unix.cma runtime_events.cma work.ml || exit 1
start_stock "$EVENTRING_STOCK/bin/ocamlrun" work.byte 1000000 0.005 ""
run ./use info "$ring"
ok "bytecode: which OCaml it is" out_has "^runtime $version\$"
kill "$pid"
wait "$pid" 2>/dev/null

# A traced program may become another one.
start_stock ./work 20 0.005 exec
within 60 grep -q done stock.out
within 60 sh -c "tr '\\0' ' ' </proc/$pid/cmdline | grep -q sleep"
run eventring stat "$ring"
ok "became another program: says so" out_has '(replaced by another program)'
finish
