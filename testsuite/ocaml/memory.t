#!/bin/sh
# Memory and the runtime's own work: sizes that differ from module Gc's,
# growth, signals or finalisers that go unseen, an exception that leaves a span
# open.
. "$(dirname "$0")/programs.sh"
build memory unix dynlink
printf 'let () = print_endline "loaded"\n' >"$tmp/plugin.ml"
(cd "$tmp" && "$ocaml/bin/ocamlopt" -shared -o plugin.cmxs plugin.ml &&
   "$ocaml/bin/ocamlc" -c plugin.ml) >"$tmp/build.log" 2>&1 || give_up plugin

printed() { head -n 1 "$tmp/out" | cut -d ' ' -f "$1"; }
# value EVENT FIELD: prints FIELD of the last EVENT
value() { values "$@" | tail -n 1; }
values() {
  sed -n "s/.*  \(end\|instant\|complete\)  *$1  .*\<$2=\([0-9]*\)\( .*\)\?\$/\2/p" \
    events
}
# near A B PERCENT
near() {
  echo "$1 and $2"
  [ -n "$1" ] && awk "BEGIN { a = $1; b = $2; d = a > b ? a - b : b - a
                       exit !(b > 0 && d <= b * $3 / 100) }"
}

# Prints the sum of a field of the collections after the first that the program
# asked for, with which it began to count
since() {
  perl -ne '
    next unless /  end  +minor  .*\b'"$1"'=(\d+) words .*cause=(\w+)/;
    $n += $1 if $begun;
    $begun ||= $2 eq "gc_minor";
    END { print $n }' events
}
minor() {
  record memory minor
  ok "$mode: minor: all is well" well
  ok "$mode: what it says was promoted is what Gc.counters says" \
    near "$(since promoted)" "$(printed 2)" 1
  ok "$mode: likewise what was allocated" \
    near "$(since allocated)" "$(printed 1)" 1
}
both minor

# Counters at the ends of cycles: pools and large blocks make up the heap as Gc
# counts it.
heap() {
  record memory heap
  ok "$mode: heap: all is well" well
  ok "$mode: pools and large blocks are Gc's heap_words" near \
    "$(($(value heap pools) + $(value heap large)))" "$(printed 1)" 3
  ok "$mode: what lives is there" [ "$(value heap live)" -ge 300000 ]
  ok "$mode: the large array too" [ "$(value heap large)" -ge 200000 ]
  ok "$mode: live, fragmented and free make up the pools" near \
    "$(($(value heap live) + $(value heap fragmented) + $(value heap free)))" \
    "$(value heap pools)" 1
}
both heap

process() {
  with=OCAMLRUNPARAM=e=20 record memory process
  ok "$mode: process_memory: all is well" well
  # Bytes, exactly
  bytes=$(eventring events --raw "$(ring)" 2>/dev/null | perl -F'\t' -lane '
    $last = join " ", map { hex } split " ", $F[8] if $F[7] eq "process_memory";
    END { print $last }')
  n=$(grep -c '  process_memory  ' events)
  ok "$mode: it is there, more than once" [ "$n" -ge 2 ]
  ok "$mode: once a second at most" perl -lane '
    next unless /  process_memory  /;
    # The clock that it goes by has steps of up to 10 ms.
    $bad++ if defined $before && $F[0] - $before < 0.98;
    $before = $F[0];
    END { exit($bad || !defined $before) }' events
  ok "$mode: resident as the system says" \
    near "${bytes#* }" "$(printed 2)" 25
  ok "$mode: mapped as the system says" \
    near "${bytes% *}" "$(printed 1)" 25
}
both process

sizes() {
  record memory minor_heap
  ok "$mode: Gc.set: all is well" well
  ok "$mode: the minor heap's sizes, before and after" eval '
    [ "$(values minor_heap_size from | tr "\n" " ")" = "$(printed 1) 32768 " ] &&
    [ "$(values minor_heap_size to | tr "\n" " ")" = "32768 65536 " ]'

  record memory stack
  ok "$mode: deep recursion: all is well" well
  ok "$mode: its stack grows, to at least twice the size" perl -ne '
    next unless /  stack_grow  .*from=(\d+) words to=(\d+) words/;
    # A word or two are lost to alignment.
    $n++; $bad++ if $2 < 2 * $1 || defined $last && abs($1 - $last) > 8;
    $last = $2;
    END { exit($bad || $n < 3 || $last < 1e6) }' events

  record memory pools
  ok "$mode: growth and compaction: all is well" well
  most=$(values heap pools_mapped | sort -n | tail -n 1)
  ok "$mode: pools are mapped as the heap grows" [ "$most" -ge 150 ]
  ok "$mode: compaction gives them back" \
    [ "$(value heap pools_unmapped)" -ge $((most / 2)) ]
  ok "$mode: and none before" [ "$(values heap pools_unmapped | head -n 1)" = 0 ]
  ok "$mode: no more than there are" \
    [ "$(value heap pools_unmapped)" -le "$(value heap pools_mapped)" ]
}
both sizes

calls() {
  record memory signal
  ok "$mode: signals: all is well" well
  ok "$mode: each with its number and time" eval '
    has "  complete  *signal_handler  *2[0-9.]* ms signal=10" ||
    has "  complete  *signal_handler  *[3-9][0-9.]* ms signal=10" ||
    has "  complete  *signal_handler  *[0-9]\{3\} ms signal=10"'
  ok "$mode: the other one" has '  signal_handler  .*signal=15'
  ok "$mode: and no more" [ "$(grep -c '  signal_handler  ' events)" = 2 ]

  record memory finalisers
  ok "$mode: finalisers: all is well" well
  ok "$mode: all of them were counted" [ "$(
    values finalisers count | awk '{ n += $1 } END { print n }')" = 12 ]
  ok "$mode: with the time that they took" \
    has '  complete  *finalisers  *\([2-9][0-9.]*\|[0-9]\{3\}\) ms '

  for categories in all gc; do
    with=OCAML_EVENTRING_CATEGORIES=$categories record memory raises
    ok "$mode: finalisers that raise, $categories: all is balanced" well
    # Blocks that Gc.major finds dead were promoted by it, one cycle too late.
    ok "$mode: they did" [ "$(grep -v 2 "$tmp/out" | tr -d '\n')" = 1345 ]
    ok "$mode: what comes then has its own cause" \
      ends major_slice cause=gc_major_slice
    ok "$mode: likewise the minor collection" ends minor cause=gc_minor
  done
}
both calls

loads() {
  case $mode in opt) plugin=plugin.cmxs ;; byte) plugin=plugin.cmo ;; esac
  record memory dynlink "$tmp/$plugin"
  ok "$mode: Dynlink: all is well" eval 'well && out_has "^loaded$"'
  ok "$mode: what was loaded is named" has '  instant   *dynlink  *".*[Pp]lugin'
}
both loads
finish
