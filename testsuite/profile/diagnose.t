#!/bin/sh
# If this breaks, the finding about a hot function is of a time long past.
# Needs no OCaml.
. "$(dirname "$0")/lib.sh"
echo 'int main(int n, char **v) { (void) v; return n; }' >program.c
compile_c -o program program.c || exit 1
samples() { yes "sample 1000000 0 0 $(at main)" | head -n 101; }
{ mapping program; echo "at 1000000000 100 0"; samples; } >old
events='at 2000000000 100 0
minor 10 20
at 4000000000 100 0
minor 10 20'
{ cat old; echo "$events"; } | ./make_profile old.eventring || exit 1
{ cat old; echo "$events"; samples; } | ./make_profile new.eventring || exit 1
rule() { jq -r ".$1[] | select(.rule == \"hot_function\") | .$2" out; }
run eventring diagnose --json new.eventring
ok "samples of the time of the events are judged" eval \
  'exits 0 && [ "$(rule findings certainty)" = certain ]'
ok "a hot function is no fault by itself" [ "$(jq -r .level out)" = warning ]
{ cat old; echo "$events" | sed "s,at 4,at 40,"; samples; } |
  ./make_profile idle.eventring || exit 1
run eventring diagnose --json idle.eventring
ok "a function that works for less than 5 % of the time is not found" eval \
  'exits 0 && [ -z "$(rule findings certainty)$(rule not_judged reason)" ]'
run eventring diagnose --json old.eventring
ok "older samples are not" eval \
  '[ "$(rule not_judged category)" = profile ] && rule not_judged reason | grep -q older'
finish
