#!/bin/sh
# Tracing that is started and stopped over and over, CYCLES times (100,000 by
# make soak): address space and mappings could be used up.
# Only in make check-long: it is a load.
# Needs the machine alone: it loads the machine.
. "$(dirname "$0")/storms.sh"
build cycles unix
: "${CYCLES:=1000}"

# A thread's malloc may take 64 MB.
MALLOC_ARENA_MAX=1
export MALLOC_ARENA_MAX

flat() {
  fresh
  run timeout 3000 "$tmp/cycles.$mode" "$1"
  echo "# $mode: $(cat "$tmp/out")"
  # glibc may map memory for a thread's malloc.
  ok "$mode: $1 starts and stops: mappings and address space are flat" eval \
    'exits 0 && no_line && no_ring && awk "{ exit !(\$1 <= 16384 && \$3 <= 8) }" \
       "$tmp/out"'
}
mode=opt flat "$CYCLES"
mode=byte flat 100

fresh
run sh -c 'ulimit -v 2000000; exec "$0" 100' "$tmp/cycles.opt"
ok "opt: 100 of them in 2 GB of address space" eval 'exits 0 && no_line'
finish
