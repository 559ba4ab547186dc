#!/bin/sh
# If this breaks, the reader or the command uses memory that nobody has written,
# which the sanitizers do not see; or leaves its own, or leaks it.  No
# suppressions.
# Only in make check-long: in the gate, sanitizers look at the same code.
. "$(dirname "$0")/../cli/tap.sh"
cd "$tmp" || exit 1

command -v valgrind >/dev/null || {
  echo "1..0 # SKIP no valgrind"
  exit
}

# 99: found something.  Without the names of inlined functions, which take a third
# of the time.
valgrind="valgrind -q --read-inline-info=no --error-exitcode=99"

# Memory that is still reachable at the end is no leak.
memcheck() {
  run $valgrind --leak-check=full --errors-for-leak-kinds=definite,indirect "$@"
}

# The tests of the reader that take a second or two here, and need no threads.
for test in blocks packed process schema threads; do
  memcheck "$EVENTRING_BUILD/test/ring/test_$test"
  ok "test_$test" exits 0
done

# The command ends without freeing all it holds: for it, leaks do not count.
command_on() {
  kind=$1
  shift
  run $valgrind --leak-check=no "$EVENTRING_BIN" "$@"
  ok "eventring $1${2:+ $2}, $kind" eval \
    'exits 0 || exits 1 || exits 3 && ! grep "^==[0-9]*==" err'
}

for kind in plain fields wrong overtaken killed crossing hostile damaged \
    version idle; do
  make_ring $kind
done
for kind in plain fields overtaken crossing hostile damaged version; do
  command_on $kind events --raw $kind.eventring
done
for kind in fields killed hostile damaged; do
  command_on $kind stat $kind.eventring
done
command_on wrong check wrong.eventring
command_on idle stat idle.eventring
command_on crossing latency crossing.eventring
command_on hostile metrics hostile.eventring
command_on hostile diagnose hostile.eventring
command_on damaged check damaged.eventring
for format in chrome perfetto ctf; do
  command_on hostile trace --format=$format -o out.$format hostile.eventring
done
finish
