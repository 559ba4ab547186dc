#!/bin/sh
# The comparison of whole programs with another toolchain: its page of results,
# and what it says of a toolchain that is not there.
: "${EVENTRING_TOP:=$(git rev-parse --show-toplevel)}"
. "$(dirname "$0")/lib.sh"

against="$top/bench/run-against"
export EVENTRING_BUILD="$work/build"
: "${EVENTRING_STOCK:=$top/_build/stock/install}"
export EVENTRING_STOCK
mkdir "$work/build" "$work/empty"

run "$against" no-such-revision
check "a version that is neither a folder nor a revision is refused" \
  stops_with "'no-such-revision' is neither a folder with a toolchain nor"
run "$against" "$work/empty"
check "a folder without a toolchain is refused" \
  stops_with "$work/empty has no bin/ocamlopt"
run "$against" --target 0 stock
check "a target of 0 is refused" stops_with "--target 0.0 is not above 0"
run "$against" --only nothing stock
check "an unknown program is refused" stops_with "no such program: nothing"
run make -s -C "$top" bench-against
check "make bench-against says which version it needs" \
  says "make bench-against needs VERSION="

if [ ! -x "$EVENTRING_STOCK/bin/ocamlopt" ]; then
  count=$((count + 1))
  echo "ok $count # SKIP no stock OCaml"
  plan
  exit 0
fi

# The two words of the page's line for a program, in the first table.
line() { sed -n '/^## Eventring not rec.*processor/,/^## Eventring not.* time$/p' \
  "$work/page.md" | grep "^| $1 | $2 |"; }

run "$against" --only numeric --runs 2 --page "$work/page.md" \
  "$EVENTRING_STOCK"
check "programs of an installed toolchain are compared" \
  eval 'succeeds && says "numeric:off (2 runs) against" "cpu_ns"'
check "the page has a line for the program" line numeric 2
check "too few runs have no smallest change" \
  grep -q '^| numeric | 2 | .* | - | cannot say |$' "$work/page.md"
check "the page has the manifest of the machine" \
  eval 'grep -q "^| machine.key | [0-9a-f]* |" "$work/page.md" &&
        grep -q "^| runs | 6, from " "$work/page.md"'
check "the batch and its page are kept" \
  eval 'grep -q "numeric:on" "$work"/build/bench/against/batches/numeric.html &&
        [ "$(ls "$work"/build/bench/against/batches/numeric/0*.json | wc -l)" \
          = 6 ]'
run "$against" --only numeric --least 2 --minutes 1 --target 1000 \
  --page "$work/page.md" stock
check "rounds are made until the smallest change is below the target" \
  eval 'succeeds && grep -q "below 1000 % for 1 of 1 programs" "$work/page.md" &&
        [ -n "$(line numeric "\([6-9]\|[1-9][0-9]\)")" ]'
plan
