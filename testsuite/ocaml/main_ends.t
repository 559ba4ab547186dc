#!/bin/sh
# If this breaks, a process of which the main thread has ended counts as gone while its
# other threads go on.
. "$(dirname "$0")/programs.sh"
build main_ends main_ends_stubs.c unix threads

main_is_gone() { grep -q '^State:.Z' "/proc/$pid/status"; }
# begin_program [NAME=VALUE...]: main_ends.$mode, until end_program
begin_program() {
  mkfifo stop
  sleep 300 >stop &
  started="$started $!" stopper=$!
  env "$@" "$tmp/main_ends.$mode" <stop >printed 2>errors &
  pid=$!
  started="$started $pid"
  ok "$mode: the program works" within 60 grep -q begin printed
  ok "$mode: its main thread has ended" within 60 main_is_gone
}
end_program() {
  kill "$stopper"
  wait "$pid"
}
traced() { eventring events "$pid" 2>/dev/null | grep -q minor; }

ends() {
  fresh
  begin_program A=1
  run eventring attach --wait=60s "$pid"
  ok "$mode: attach records it" eval 'exits 0 && out_has "recording gc"'
  ok "$mode: its collections are recorded" within 60 traced
  run eventring stat "$pid"
  ok "$mode: it is found, and runs" eval 'exits 0 && out_has "(running)"'
  run eventring detach --wait=60s "$pid"
  ok "$mode: detach ends it" exits 0
  end_program
  ok "$mode: it has done the same" [ $? = 7 ]
  fresh
  begin_program OCAML_EVENTRING_START=1
  run eventring stat "$pid"
  ok "$mode: traced from its start, it is found, and runs" \
    eval 'exits 0 && out_has "(running)"'
  run eventring ps --json
  ok "$mode: ps has it" grep -q "\"pid\": *$pid" "$tmp/out"
  end_program
}
both ends
finish
