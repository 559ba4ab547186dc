#!/bin/sh
# eventring threshold: read and set in a running process, and refused.  That the
# process obeys is tested in ../ocaml/threshold.t.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile work
start work 120 1

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
ok "refused durations change nothing" out_has ': waits of 10.0 us and longer'
if can_be_nobody; then
  run as_nobody threshold "$ring" 1s
  ok "another user may not set the threshold" refused 3 'ermission'
else
  skip "another user may not set the threshold" "not root"
fi

# A file without a threshold
make_ring plain
run eventring threshold plain.eventring
ok "a file without a threshold is refused" \
  refused 3 'does not say which waits are recorded'

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
