#!/bin/sh
# Samples of more threads than there are rings of samples.
. "$(dirname "$0")/programs.sh"
compile_to threads.opt ocamlopt profile_threads_stubs.c profile_threads.ml ||
  give_up threads.opt

fresh
OCAML_EVENTRING_START=1 OCAML_EVENTRING_PROFILE=1000 "$tmp/threads.opt" >out \
  2>errors &
pid=$!
started="$started $pid"
within 60 [ -s "$pid.eventring" ]

# Whether each thread of the process has a sample in the rings
each_is_sampled() {
  eventring events --json --name=cpu_sample "$pid" 2>/dev/null |
    sed -n 's/.*"thread":\([0-9]*\).*/\1/p' | sort -u >sampled
  # shellcheck disable=SC2012
  ls "/proc/$pid/task" | sort >threads
  [ "$(wc -l <threads)" -gt 100 ] && [ -z "$(comm -13 sampled threads)" ]
}
ok "each of 101 threads has samples" within 60 each_is_sampled
: >stop
wait "$pid"
ok "the program ends in order" eval \
  '[ $? = 0 ] && [ "$(cat out)" = end ] && [ ! -s errors ]'
finish
