#!/bin/sh
# eventring threshold: read and set in a running process, and refused.  That the
# process obeys is tested in ../ocaml/threshold.t.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile work
start work 120 1

run eventring threshold "$pid"
ok "the default" out_has "^$pid .*/work: waits of 1.00 us and longer are recorded\$"
run eventring threshold --dir "$tmp/rings" "$pid" 2.5ms
ok "set: prints the new threshold" out_has ': waits of 2.50 ms and longer'
run eventring threshold -q "$ring" 500ns
ok "set by file, --quiet" eval 'exits 0 && silent'
run eventring threshold -q "$ring"
ok "and it is there; --quiet still prints what is asked for" \
  out_has ': waits of 500 ns and longer'
run eventring threshold --json "$pid" 10us
ok "--json" eval 'out_has "\"threshold_ns\": 10000" && out_has "\"pid\": $pid"'
run eventring threshold "$pid" soon
ok "no duration" refused 2 "'soon' is not a duration"
run eventring threshold -- "$pid" -1us
ok "a negative duration" refused 2 "'-1us' is not a duration"
run eventring threshold "$pid" 1us 2us
ok "two durations" refused 2 .
run eventring threshold "$pid"
ok "what was refused changed nothing" out_has ': waits of 10.0 us and longer'
if can_be_nobody; then
  run as_nobody threshold "$ring" 1s
  ok "another user may not" refused 3 'ermission'
else
  skip "another user may not" "not root"
fi

# A file without a threshold
make_ring plain
run eventring threshold plain.eventring
ok "a file that has none" refused 3 'does not say which waits are recorded'

# A process that is gone
kill -9 "$pid"
wait "$pid" 2>/dev/null
run eventring threshold "$ring"
ok "killed: the last threshold" out_has ': waits of 10.0 us and longer'
run eventring threshold "$ring" 1s
ok "killed: it cannot be set" refused 3 'its threshold cannot be set'
finish
