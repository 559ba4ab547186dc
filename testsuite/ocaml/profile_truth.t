#!/bin/sh
# Stacks of samples, compared frame by frame with a shadow stack that the
# program keeps: a stack that is marked complete and is wrong, after any single
# instruction; by testsuite/soak/truth also at random moments.
. "$(dirname "$0")/programs.sh"
ocaml_flags='-g -ccopt -no-pie
  -ccopt -Wl,--wrap=caml_eventring_sample_threads
  -ccopt -Wl,--wrap=caml_register_frametables
  -ccopt -Wl,--wrap=caml_stat_free -ccopt -I'
ocaml_flags=$ocaml_flags$EVENTRING_BUILD/ocaml/runtime
compile_to profile_truth.opt ocamlopt unix threads dynlink \
  profile_truth_stubs.c profile_truth.ml || give_up profile_truth.opt
gcc -O2 -shared -fPIC -o rate.so "$here/profile_rate.c" || give_up rate.so

# sampled ARG...: runs the program with $with in its environment; leaves its
# output in ./out, its samples in ./samples and its shadow stacks in ./copies
sampled() {
  fresh
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    OCAML_EVENTRING_PROFILE=20000 OCAML_EVENTRING_PROFILE_PERF=0 \
    OCAMLRUNPARAM=e=22 TRUTH=copies $with \
    timeout 300 "$tmp/profile_truth.opt" "$@"
  cp "$tmp/out" out
  for file in *.eventring; do
    eventring events --raw --name=cpu_sample "$file"
  done 2>/dev/null | awk -F'\t' '{ print $5, $9 }' >samples
}
ended() { [ "$status" = 0 ] && [ "$(tail -n 1 out)" = end ]; }
compare() {
  perl "$here/profile_truth.pl" "$tmp/profile_truth.opt" out copies samples "$@"
}
agree() {
  compare >report
  cat report | tee -a "$tmp/reports"
  tail -n 1 report | grep -q '^compared [0-9]*, wrong 0$'
}
# Of all reports since the last forget_reports:
# many NUMBER KIND: so many stacks of this kind were compared, at least
many() {
  awk -v many="$1" -v kind="$2" '
    { n = $1; sub(/^ *[0-9]* /, "") } $0 == kind { found += n }
    END { exit !(found >= many) }' "$tmp/reports"
}
complete() {
  awk '/not complete/ { n += $1 } /^compared/ { all += $2 }
       END { print n + 0, "of", all; exit !(n * 1000 <= all) }' "$tmp/reports"
}
forget_reports() { : >"$tmp/reports"; }
compared() { awk -v n="$1" '/^compared/ { exit !($2 + 0 >= n) }' report; }

# At random moments, in four threads of two domains
random_moments() {
  with="LD_PRELOAD=$tmp/rate.so PERIOD=200000"
  round=0
  while [ $round -lt "$EVENTRING_TRUTH_ROUNDS" ]; do
    round=$((round + 1))
    sampled random 5
    ok "a program with a shadow stack ends" ended
    ok "no stack that is marked complete is wrong" agree
    ok "a thousand stacks were compared" compared 1000
  done
  for kind in 'in the collector' 'in fibers' 'in fibers of fibers' \
              'in callbacks' 'without the domain lock' 'where a fiber grows'; do
    ok "some of them $kind" many 20 "$kind"
  done
  # Of few instructions: on a loaded machine, few samples are there.
  for kind in 'in C code without allocation' 'in finalisers' 'with exceptions'; do
    ok "some of them $kind" many 1 "$kind"
  done
}
[ -z "$EVENTRING_TRUTH_ROUNDS" ] || random_moments

# After each instruction
with=
# steps LIMIT FIRST LAST: the program's ways from FIRST to LAST
steps() {
  sampled step "$@"
  ok "ways $2 to $3, stepped: the program ends" ended
  ok "ways $2 to $3: no stack is wrong after any instruction" agree
}
forget_reports
if [ -z "$EVENTRING_TRUTH_ROUNDS" ]; then
  steps 10000 0 5
  ok "stacks in switches between fibers were compared" \
    many 100 'in a switch between fibers'
  for plant in drop double swap shift; do
    ok "each stack with a mistake is found: $plant" compare $plant
  done
  steps 1500 6 25
else
  for way in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25
  do
    steps 200000 $way $way
  done
fi
ok "99.9 % of all of them are complete" complete
complete | sed 's/^/# not complete: /'
finish
