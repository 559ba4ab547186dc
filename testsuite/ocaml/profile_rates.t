#!/bin/sh
# The rate of samples is changed again and again: processor time gets lost.
# Only in make check-long: it compares processor times.
. "$(dirname "$0")/programs.sh"
ocaml_flags=-g
compile_to harm.opt ocamlopt unix threads profile_harm_stubs.c profile_harm.ml ||
  give_up harm.opt
fresh
run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
  OCAML_EVENTRING_PROFILE=100 timeout 60 "$tmp/harm.opt" rates none
ok "the program ends in order" \
  eval '[ "$status" = 0 ] && [ "$(tail -n 1 "$tmp/out")" = end ]'
cpu=$(awk '$1 == "cpu" { print $2 }' "$tmp/out")
all=$(eventring events --raw --name=cpu_sample ./*.eventring |
  awk -F'\t' '{ print $9 }' |
  perl -ne '$n += hex((split)[0]); END { print $n }')
ok "no time is lost when the rate changes ($all of $cpu ns)" \
  [ $((all * 100)) -ge $((cpu * 95)) -a $((all * 100)) -le $((cpu * 105)) ]
finish
