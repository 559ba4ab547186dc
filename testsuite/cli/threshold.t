#!/bin/sh
# eventring threshold: read and set in a running process, and refused.  That the
# process obeys is tested in ../ocaml/threshold.t.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile work
start work 120 1
first=$pid

run eventring threshold "$pid"
ok "the default threshold is 1 us" \
  out_has "^$pid .*/work: waits of 1.00 us and longer are recorded\$"
run eventring threshold --dir "$tmp/rings" "$pid" 2.5ms
ok "a new threshold is printed" out_has ': waits of 2.50 ms and longer'
run eventring threshold -q "$ring" 500ns
ok "threshold --quiet FILE sets it and prints nothing" eval 'exits 0 && silent'
run eventring threshold -q "$ring"
ok "threshold --quiet without a value prints the threshold" \
  out_has ': waits of 500 ns and longer'
run eventring threshold --json "$pid" 10us
ok "--json has the threshold and the process id" \
  eval 'out_has "\"threshold_ns\": 10000" && out_has "\"pid\": $pid"'
run eventring threshold "$pid" soon
ok "a word is refused as duration" refused 2 "'soon' is not a duration"
run eventring threshold -- "$pid" -1us
ok "a negative duration is refused" refused 2 "'-1us' is not a duration"
run eventring threshold "$pid" 1us 2us
ok "two durations are refused" refused 2 .
run eventring threshold "$pid"
ok "what was refused changed nothing" out_has ': waits of 10.0 us and longer'

# All
start work 120 1
second=$pid
rings=$tmp/rings
run eventring threshold --all --dir "$rings"
ok "--all: prints each process" eval "exits 0 && out_lines 2 &&
  out_has '^$first .*: waits of 10.0 us ' &&
  out_has '^$second .*: waits of 1.00 us '"
run eventring threshold --all --dir "$rings" 20us
ok "--all: sets each, and prints it" eval "exits 0 && out_lines 2 &&
  out_has '^$first .* 20.0 us ' && out_has '^$second .* 20.0 us '"
run eventring threshold --all --quiet --dir "$rings" 30us
ok "--all --quiet" eval "exits 0 && silent"
run eventring threshold -a --json --dir "$rings"
ok "--all --json: an array" eval 'out_has "\"processes\": \[" &&
  [ "$(grep -c "\"threshold_ns\": 30000" out)" = 2 ]'
run eventring threshold --all --dir "$rings" "$first" 1us
ok "--all and a process" refused 2 "unexpected argument .$first. after --all"
run eventring threshold --all soon
ok "--all: no duration" refused 2 "'soon' is not a duration"
mkdir empty
run eventring threshold --all --dir "$tmp/empty" 1us
ok "--all: no process" refused 3 'there is no traced process in .*/empty to set'
kill -9 "$second"
wait "$second" 2>/dev/null
pid=$first
ring=$rings/$first.eventring
run eventring threshold -q "$pid" 10us

if can_be_nobody; then
  run as_nobody threshold "$ring" 1s
  ok "another user may not set the threshold" refused 3 'ermission'
else
  skip "another user may not set the threshold" "not root"
fi

# A file without a threshold
make_ring plain
./make_ring plain old.eventring minor=3
run eventring threshold old.eventring
ok "a file without a threshold is refused" \
  refused 3 'does not say which waits are recorded'

# Numbers that another program may have stored
run eventring threshold plain.eventring
ok "threshold 0: the one with which tracing started" \
  eval 'exits 0 && out_has "the threshold on with which tracing started"'
run eventring threshold --json plain.eventring
ok "threshold 0: null in JSON" \
  eval "exits 0 && jq -e '.threshold_ns == null' out"
./make_ring plain long.eventring threshold=18446744073709551615
run eventring threshold --json long.eventring
ok "a threshold of 2^64 - 1 is no negative number in JSON" \
  jq -e '.threshold_ns > 18000000000000000000' out
head -c 8 /dev/zero | dd of="$ring" bs=1 seek=1208 conv=notrunc 2>/dev/null
run eventring threshold "$pid"
ok "threshold 0 of a running process is printed" \
  out_has 'the threshold on with which tracing started'
run eventring threshold "$pid" 10us
ok "threshold 0: another one can be set" out_has ': waits of 10.0 us and longer'

# A process that is gone
kill -9 "$pid"
wait "$pid" 2>/dev/null
run eventring threshold "$ring"
ok "killed process: its last threshold is printed" \
  out_has ': waits of 10.0 us and longer'
run eventring threshold "$ring" 1s
ok "killed process: the threshold cannot be set" \
  refused 3 'its threshold cannot be set'
finish
