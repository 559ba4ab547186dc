#!/bin/sh
# A limit of the address space (ulimit -v): a traced program could run out of
# memory where it would not have without tracing.
# Only in make check-long: it takes a minute.
. "$(dirname "$0")/../ocaml/programs.sh"
here=$EVENTRING_TOP/testsuite/fault
build hungry unix threads

# Where a thread's malloc takes 64 MB or not, as there is room, chance decides.
MALLOC_ARENA_MAX=1
export MALLOC_ARENA_MAX

# under KILOBYTES COMMAND...
under() {
  run sh -c 'ulimit -v $1; shift; exec "$@"' - "$@"
}

# traced_under KILOBYTES HOW: the traced program behaves as it does untraced.
# Near the limit chance has a part: twice is no chance.
traced_under() {
  for again in 1 2; do
    rm -f -- *.eventring
    under "$1" env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
      "$tmp/hungry.$mode" "$2" 400
    exits 0 && diff "$tmp/expected" "$tmp/out" >/dev/null && return
  done
  return 1
}

# as_untraced HOW [RELEASES]: at the smallest limit under which the program
# works, and above, by more than that limit varies; the program needs memory of
# the rings that often at least
as_untraced() {
  fresh
  low=100000 high=2000000
  while [ $((high - low)) -gt 2000 ]; do
    middle=$(((low + high) / 2))
    under $middle "$tmp/hungry.$mode" "$1" 400
    if exits 0; then
      high=$middle
      cp "$tmp/out" "$tmp/expected"
    else
      low=$middle
    fi
  done
  released=0 traced=0
  for more in 45000 55000 65000 72000 80000 120000 200000 400000 800000; do
    if ! traced_under $((high + more)) "$1"; then
      ok "$mode: $1 in $((high + more)) KB: as untraced" false
      return
    fi
    grep -q 'out of memory' "$tmp/err" && released=$((released + 1))
    [ -n "$(ls)" ] && traced=$((traced + 1))
    eventring check *.eventring >/dev/null 2>"$tmp/why" || [ -z "$(ls)" ] || {
      ok "$mode: $1 in $((high + more)) KB: its trace is whole" false
      return
    }
    rm -f -- *.eventring
  done
  echo "# $mode: $1 needs $high KB; traced $traced times, of which the program \
got the memory $released times"
  ok "$mode: $1 under limits from $high KB on: as untraced" \
    eval "[ $traced -gt 0 ] && [ $released -ge ${2:-1} ]"
}
for how in large small bigarray marshal domains threads; do
  mode=opt as_untraced $how
done
mode=opt as_untraced stack 0
mode=byte as_untraced large
fresh
under 500000 env OCAML_EVENTRING_START=1 "$tmp/hungry.opt" large 1
ok "too little would be left: no trace, and one line" \
  eval 'exits 0 && no_ring && one_line "256 MiB of address space"'
finish
