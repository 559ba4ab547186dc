#!/bin/sh
# If this breaks, processes that come and go leave memory, descriptors or entries
# behind in the server, or more of them than it opens harm it.
# Only in make check-long: it is a load, and measures memory.
# Needs the machine alone: it measures the memory of a server with 64 processes.
. "$(dirname "$0")/tap.sh"
here=$EVENTRING_TOP/testsuite/cli
compile idle threads.cmxa
mkdir -p "$tmp/rings"
# With one arena, memory does not depend on the thread that allocates first.
export MALLOC_ARENA_MAX=1
serve "$tmp/rings"
rounds=5
each=100

count() { field /api/processes "[.processes[] | select($1)] | length"; }
count_is() { [ "$(count "$1")" = "$2" ]; }
memory() { awk '/^VmRSS/ { print $2 }' "/proc/$server/status"; }
descriptors() { ls "/proc/$server/fd" | wc -l; }
threads() { ls "/proc/$server/task" | wc -l; }

# round: starts some processes, waits until they are shown, and ends them: half
# of them in order, half killed.
round() {
  pids=
  for i in $(seq $each); do
    OCAMLRUNPARAM=e=12 OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings \
      "$tmp/idle" nothing 600 &
    pids="$pids $!"
  done 2>/dev/null
  started="$started $pids"
  within 120 count_is '.state == "running" or .error != null' $each || return 1
  opened=$(count '.state == "running"')
  n=0
  for pid in $pids; do
    n=$((n + 1))
    [ $((n % 2)) = 0 ] && kill -9 "$pid" || kill "$pid"
  done
  wait $pids 2>/dev/null
  rm -f "$tmp"/rings/*
  within 120 count_is '.state == "running" or .error != null' 0
}
ok "$each processes appear and go" round
ok "64 of them are open, the others are listed" [ "$opened" = 64 ]
first=$(memory)
files=$(descriptors)
for i in $(seq 2 $rounds); do
  ok "another $each (round $i)" round
done
few_ended() { [ "$(count true)" -le 16 ]; }
ok "16 ended processes are shown at most" within 60 few_ended
# The server gives memory back a moment after the last process has ended.
has_not_grown() { last=$(memory); [ "$last" -le $((first + first * 15 / 100)) ]; }
ok "memory has not grown by more than 15 %" within 60 has_not_grown
echo "# memory after the first $each: $first kB, after $((rounds * each)): $last kB"
few_descriptors() { [ "$(descriptors)" -le $((files + 2)) ]; }
few_threads() { [ "$(threads)" -le 10 ]; }
ok "descriptors neither (were $files)" within 60 few_descriptors
ok "there are no more threads than for five connections" within 60 few_threads
end_server
ok "it ends in order" exits 0
ok "it had no complaint" [ ! -s "$tmp/serve.err" ]
finish
