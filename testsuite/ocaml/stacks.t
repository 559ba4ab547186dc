#!/bin/sh
# eventring stacks: functions against those that the program has called, what threads wait
# for, deadlocks, many threads; programs go on as before; refusals.
. "$(dirname "$0")/programs.sh"
: "${STACKS:=3}"               # testsuite/soak/stacks has more
command -v jq >/dev/null || { echo "1..0 # SKIP no jq"; exit 0; }
compile_to stacks.opt ocamlopt -g unix threads stacks.ml || give_up stacks.opt
fresh
mkfifo in

# begin MODE VARIABLE=VALUE...: $pid, which reads from descriptor 3
begin() {
  how=$1
  shift
  rm -f program.out
  env "$@" "$tmp/stacks.opt" "$how" <in >program.out 2>&1 &
  pid=$!
  started="$started $pid"
  exec 3>in
  [ "$how" = shadow ] || within 60 grep -q ready program.out
}
state_is() { grep -q "^State:.$1" "/proc/$pid/status"; }
# The shell may have taken its exit status already.
has_ended() { [ ! -e "/proc/$pid" ] || state_is Z; }
# end LINE: sends it, and tells the exit code
end() {
  echo "$1" >&3
  exec 3>&-
  within 60 has_ended || kill -9 "$pid"
  wait "$pid"
}
# found FILTER: the stacks have it
found() {
  eventring stacks --json "$pid" 2>err >stacks.json && jq -e "$1" stacks.json >/dev/null
}
# The threads that are in a function: "$thread"'NAME"))] | ...'
thread='[.threads[] | select(any(.frames[].function; startswith("Stacks.'

begin shadow
# stack PATH: the program stands in this path
functions='[.threads[] | select(.thread == '$pid') | .frames[].function |
  select(test("^Stacks\\.(plain|caught|in_fiber|in_list|innermost)$"))] | reverse | join(" ")'
is_at() {
  wanted=$(echo "$1" | sed 's/./& /g; s/0/Stacks.plain/g; s/1/Stacks.caught/g
    s/2/Stacks.in_fiber/g; s/3/Stacks.in_list/g')Stacks.innermost
  eventring stacks --json "$pid" 2>err | jq -r "$functions" >is
  [ "$(cat is)" = "$wanted" ]
}
for path in 0123 2222222222 "$(printf '%0100d' 0)" "$(printf '0123%.0s' $(seq 50))" \
    0000000000; do
  echo "$path" >&3
  ok "the functions of path $path" within 60 is_at "$path"
done
ok "a program without tracing has functions, and the note says what is missing" \
  grep -q 'without spans, requests and domains' err
line=$(grep -n '^let innermost' "$here/stacks.ml" | cut -d : -f 1)
run eventring stacks "$pid"
ok "a function has its source" out_has "Stacks.innermost  stacks.ml:$line"
ok "calls that repeat are printed once" out_has "and again, 10 times in all"
ok "the program goes on, and ends as before" end end

begin deadlock OCAML_EVENTRING_START=1 OCAML_EVENTRING_CATEGORIES=all
ok "two threads that wait for mutexes of each other are a deadlock" within 60 found \
  '.deadlocks | length == 1 and (.[0] | length == 2)'
ok "each is in the mutex that the other has" found "$thread"'take")))] |
  length == 2 and .[0].holder == .[1].thread and .[1].holder == .[0].thread and
  all(.[]; .waits_for == "mutex" and (.mutex | startswith("0x")))'
ok "with their names, domain, spans and requests" found "$thread"'take")))] |
  all(.[]; .name == "taker" and .domain == 0 and .spans == ["parse"] and
    .request.name == "checkout") and .[0].request.number != .[1].request.number'
run eventring stacks "$pid"
ok "the text says so first" eval 'sed -n 2p "$tmp/out" |
  grep -q "^Deadlock: taker [0-9]*, taker [0-9]* wait for mutexes of each other$"'
ok "and for each thread" out_has \
  '^taker [0-9]*, domain 0: waits for a mutex, 0x[0-9a-f]*, which taker [0-9]* has$'
ok "the program ends as before" end x

begin kinds
ok "a thread reads from a pipe" within 60 found "$thread"'reads")))] | .[0] |
  .state == "waiting" and .call.name == "read" and (.call.file | startswith("pipe:"))'
ok "a thread waits for a condition" within 60 found "$thread"'awaits")))] | .[0] |
  .waits_for == "condition" and .holder == null'
ok "a thousand handlers of effects are there" within 60 found '[.threads[] |
  [.frames[] | select(.function == "Stacks.nest")] | length] | max == 1001'
ok "a domain runs without allocation" within 60 found "$thread"'spin")))] | .[0].state == "running"'
ok "all stacks are whole" within 60 found 'all(.threads[]; .cut == null)'
ok "the main thread is in its last function" within 60 found '.pid as $main | .threads[] |
  select(.thread == $main) | .frames | any(.[]; .function == "Stacks.ready")'
ok "the program ends as before" end x

begin crowd
ok "200 threads wait for a mutex that another has" within 60 found '. as $s |
  [.threads[] | select(.waits_for == "mutex" and .holder == $s.pid)] | length == 200'
ok "which is no deadlock" found '.deadlocks == []'
# held: the reader $reader is stopped by a signal while it has stopped the program
held() {
  "$EVENTRING_BIN" stacks "$pid" >/dev/null 2>&1 &
  reader=$!
  until state_is t || ! kill -0 "$reader" 2>/dev/null; do :; done
  kill -STOP "$reader" 2>/dev/null && state_is t && return
  kill -CONT "$reader" 2>/dev/null
  wait "$reader"
  return 1
}
ok "the reader is stopped while the program is" within 60 held
kill -9 "$reader"
wait "$reader" 2>/dev/null
ok "after its end, the program goes on" end x

begin crowd
within 60 held
kill -9 "$pid"
kill -CONT "$reader"
wait "$reader"
ok "a program that is killed meanwhile ends" eval 'within 60 has_ended
  wait "$pid"; [ $? -eq 137 ]'
exec 3>&-

begin crowd
kill -STOP "$pid"
within 60 state_is T
ok "a program that a signal has stopped has stacks" found '.threads |
  length > 200 and all(.state == "stopped")'
ok "and stays stopped" within 60 state_is T
kill -CONT "$pid"
ok "until it is to go on" end x

begin busy OCAML_EVENTRING_START=1
again() {
  for _ in $(seq "$STACKS"); do eventring stacks "$pid" >/dev/null 2>err || return 1; done
}
ok "$STACKS times of a busy program" again
ok "which ends as before" end x
ok "with right results" grep -qx "0 wrong of many" program.out

run eventring stacks
ok "without a process: a usage error" refused 2 'needs one process id'
run eventring stacks 1 2
ok "so are two" refused 2 'needs one process id'
run eventring stacks "$tmp"
ok "and a file" refused 2 'is not a process id'
run eventring stacks "$pid"
ok "a process that has ended is refused" refused 3 "process $pid"
if can_be_nobody; then
  begin crowd
  chmod 755 "$tmp"
  as_nobody stacks "$pid" >out 2>err
  code=$?
  ok "another user is refused with a reason" eval '[ "$code" -eq 3 ] && [ ! -s out ] &&
    grep -q "cannot be stopped: Operation not permitted: it needs the same user" err'
  ok "and the program goes on" end x
else
  skip "another user is refused with a reason" "not root"
fi
finish
