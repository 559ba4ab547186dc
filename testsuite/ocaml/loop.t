#!/bin/sh
# Requests to a loop that neither allocates nor makes system calls: it must look
# for them all the same.  And to C code, which cannot.
. "$(dirname "$0")/programs.sh"
build loop loop_stubs.c

# start [VARIABLE=VALUE...] PROGRAM [ARG]: $pid
start() {
  fresh
  env "$@" >program.out 2>&1 &
  pid=$!
  started="$started $pid"
  within 60 grep -qs begin program.out
}
stop() {
  kill "$pid"
  wait "$pid" 2>/dev/null
}
is_sampled() { eventring events "$pid" | grep -q ' cpu_sample '; }
untraced() { ! grep -q "\.eventring" "/proc/$pid/maps"; }

attach_and_detach() {
  start "$tmp/loop.$mode"
  run eventring attach --dir . --wait 60s "$pid"
  ok "$mode: attach" eval 'exits 0 && out_has "recording gc"'
  run eventring detach --wait 60s "$pid"
  ok "$mode: detach" eval 'exits 0 && untraced'
  stop
}
both attach_and_detach

start OCAML_EVENTRING_START=1 "$tmp/loop.opt"
run eventring enable "$pid" profile
ok "samples switched on" within 60 is_sampled
run eventring resize --wait 60s "$pid" 1M
ok "rings of another size" exits 0
run eventring get --wait 60s "$pid"
ok "data points" exits 0
stop

start "$tmp/loop.opt" samples
ok "samples that the program has switched on, with tracing" within 60 is_sampled
stop
start OCAML_EVENTRING_START=1 "$tmp/loop.opt" samples
ok "samples that it has switched on while it was traced" within 60 is_sampled
stop

start "$tmp/loop.opt" C
run eventring attach --wait 100ms "$pid"
ok "C code: attach says that it has not begun, and fails" \
  eval 'exits 1 && err_has "has not run OCaml code yet"'
run eventring detach "$pid"
ok "C code: detach takes the request back" eval 'exits 0 && untraced'
run eventring detach "$pid"
ok "C code: once" refused 3 "is not traced"
stop

start OCAML_EVENTRING_START=1 "$tmp/loop.opt" C
run eventring enable "$pid" profile
ok "C code: enable says that there are no samples, and fails" \
  eval 'exits 1 && err_has "has taken no samples yet"'
stop
finish
