#!/bin/sh
# eventring attach and detach: programs that were started without any variable, in
# all states; refusals; address space.  testsuite/soak/attach: at random moments.
# Needs the machine alone: the programs must run while they are attached to.
. "$(dirname "$0")/programs.sh"
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
build attach unix threads
cp attach.opt stripped
strip stripped
kinds="$tmp/attach.opt $tmp/attach.byte $tmp/stripped"
if compile_to static ocamlopt unix threads attach.ml -ccopt -static \
     >build.log 2>&1; then
  kinds="$kinds $tmp/static"
fi
# ATTACHED programs of all kinds, at random moments
attach_at_random() {
  seed=${ATTACH_SEED:-$(date +%N)}
  run python3 "$here/attach.py" "$EVENTRING_BIN" "$ATTACHED" "${seed#0}" $kinds
  echo "# seed $seed: $(cat "$tmp/out")"
  ok "$ATTACHED programs are traced or refused with a reason, and do the same" \
    eval 'exits 0 && out_lines 1 && [ ! -s "$tmp/err" ]'
  number() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" "$tmp/out"; }
  # How many depends on the speed of the machine.
  ok "many programs were attached to while they ran" \
    [ "$(number attached)" -gt $((ATTACHED / 4)) ]
  left() {
    for file in *.eventring; do
      [ -e "$file" ] || continue
      eventring events "$file" | tail -n 1 | grep -q "exit  2 code" || echo "$file"
    done
  }
  ok "only programs that fail leave their ring files, as crashes" [ -z "$(left)" ]
}
fresh
if [ -n "$ATTACHED" ]; then
  attach_at_random
  fresh
fi

# attach_to COMMAND...: $pid, which runs without tracing
attach_to() {
  "$@" >"$tmp/program.out" 2>&1 &
  pid=$!
  started="$started $pid"
  within 60 grep -q begin "$tmp/program.out"
}
traced() { eventring events "$pid" 2>/dev/null | grep -q "$1"; }
untraced() { ! grep -q "\.eventring" "/proc/$pid/maps"; }

for program in attach.opt attach.byte stripped; do
  attach_to "$tmp/$program" busy 60
  ok "$program: is not traced at first" untraced
  run eventring attach --dir . "$pid"
  ok "$program: attach says that it records" \
    eval 'exits 0 && out_has "recording gc"'
  ok "$program: collections are recorded" within 60 traced minor
  ok "$program: the ring file is in the folder of --dir" [ -f "$pid.eventring" ]
  run eventring attach "$pid"
  ok "$program: attaching again changes nothing" \
    eval 'exits 0 && out_has "recording gc"'
  eventring pause -q "$pid"
  run eventring detach "$pid"
  ok "$program: a paused process is detached from" \
    eval 'exits 0 && out_has "not traced any more"'
  ok "$program: the file is gone, and unmapped" eval \
    '[ ! -e "$pid.eventring" ] && untraced'
  run eventring detach "$pid"
  ok "$program: detaching again is refused with a reason" \
    refused 3 "process $pid is not traced"
  size() { awk '/^VmSize/ { print $2 }' "/proc/$pid/status"; }
  before=$(size)
  cycle() { eventring attach -q "$pid" && eventring detach -q "$pid"; }
  for i in $(seq 20); do cycle || echo failed; done >cycles.out 2>&1
  ok "$program: 20 cycles leave the address space as it was" eval \
    '[ ! -s cycles.out ] && [ $(($(size) - before)) -lt 1024 ]'
  kill "$pid"
done

attach_to "$tmp/attach.opt" blocked 3
run eventring attach --wait 100ms "$pid"
ok "a process that waits is traced later, and attach says so" \
  eval 'exits 1 && err_has "has not run OCaml code yet"'
run eventring detach "$pid"
ok "detach takes the request back" eval 'exits 0 && untraced'
eventring attach --wait 100ms "$pid" 2>/dev/null
ok "a request is carried out when the wait is over" \
  eval 'within 5 traced . || grep -q "^end" "$tmp/program.out"'

attach_to "$tmp/attach.opt" busy 60
twice() {
  eventring attach "$pid" >one 2>&1 & one=$!
  eventring attach "$pid" >two 2>&1 && wait $one && cat one two &&
    grep -q recording one && grep -q recording two
}
ok "two who attach at once both succeed" twice
ok "and the process has one ring file" \
  [ "$(grep -c '\.eventring' "/proc/$pid/maps")" -le 4 ]
eventring detach -q "$pid"
run eventring attach --dir /nowhere "$pid"
ok "a folder that does not exist is named" refused 3 "/nowhere .*No such file"
mkdir closed
chmod 0 closed
: >file
run eventring attach --dir file "$pid"
ok "the process cannot use a file as its folder: the reason is reported" \
  refused 3 "cannot start tracing: .*file.*Not a directory"
ok "after that it runs on, untraced" untraced
if can_be_nobody; then
  run as_nobody attach "$pid"
  ok "another user is refused, with the reason" refused 3 \
    "cannot attach to process $pid: .*user"
  setpriv --reuid 65534 --regid 65534 --clear-groups \
    sh -c 'flock "$1" sh -c "echo locked; sleep 60"' - "/proc/$pid" >lock 2>&1 &
  started="$started $!"
  within 60 [ -s lock ]
  run timeout 30 "$EVENTRING_BIN" attach "$pid"
  ok "another user cannot keep others from attaching" exits 0
  eventring detach -q "$pid"
else
  skip "another user is refused, with the reason" "not root"
  skip "another user cannot keep others from attaching" "not root"
fi
flock "/proc/$pid/mem" sh -c "echo locked; exec sleep 60" >held 2>&1 &
started="$started $!"
within 60 [ -s held ]
run timeout 30 "$EVENTRING_BIN" attach "$pid"
ok "a program that does not end its attaching is not waited for" \
  refused 3 "another program attaches to it"
kill "$pid"

if unshare --pid --fork true 2>"$tmp/why"; then
  unshare --pid --fork "$tmp/attach.opt" busy 60 >inside.out 2>&1 &
  started="$started $!"
  within 60 grep -q begin inside.out
  pid=$(pgrep -P $!)
  run eventring attach --dir . "$pid"
  ok "a process in another pid namespace is attached to" eval \
    'exits 0 && [ -f 1.eventring ] && within 60 traced minor'
  kill -9 "$pid"
else
  skip "a process in another pid namespace is attached to" "not allowed here"
fi

sleep 60 & pid=$!
started="$started $pid"
run eventring attach "$pid"
ok "another program is refused, with the reason" refused 3 \
  "no runtime of Eventring's OCaml"
kill "$pid"
wait "$pid" 2>/dev/null
run eventring attach "$pid"
ok "a process that is gone is refused" refused 3 "no such process"
run eventring detach "$pid"
ok "detach says that it could not detach" refused 3 "cannot detach from process"
run eventring attach
ok "without a process it is refused" refused 2 "missing process"
run eventring attach 12x
ok "a word that is no process id is named" refused 2 "'12x' is not a process id"
run eventring attach --wait soon 1
ok "a wait that is no duration is named" refused 2 "wait=soon"
finish
