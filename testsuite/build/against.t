#!/bin/sh
# The comparison of whole programs with another toolchain: its page of results,
# and what it says of a toolchain that is not there.
# Only in make check-long: it measures programs.
: "${EVENTRING_TOP:=$(git rev-parse --show-toplevel)}"
. "$(dirname "$0")/lib.sh"

against="$top/bench/run-against"
export EVENTRING_BUILD="$tmp/build"
: "${EVENTRING_STOCK:=$top/_build/stock/install}"
export EVENTRING_STOCK
mkdir "$tmp/build" "$tmp/empty"

run "$against" no-such-revision
ok "a version that is neither a folder nor a revision is refused" \
  stops_with "'no-such-revision' is neither a folder with a toolchain nor"
run "$against" "$tmp/empty"
ok "a folder without a toolchain is refused" \
  stops_with "$tmp/empty has no bin/ocamlopt"
run "$against" --target 0 stock
ok "a target of 0 is refused" stops_with "--target 0.0 is not above 0"
run "$against" --only nothing stock
ok "an unknown program is refused" stops_with "no such program: nothing"
run make -s -C "$top" bench-against
ok "make bench-against says which version it needs" \
  says "make bench-against needs VERSION="

if [ ! -x "$EVENTRING_STOCK/bin/ocamlopt" ]; then
  skip "comparison" "no stock OCaml"
  finish
  exit 0
fi

# The two words of the page's line for a program, in the first table.
line() { sed -n '/^## Eventring not rec.*processor/,/^## Eventring not.* time$/p' \
  "$tmp/page.md" | grep "^| $1 | $2 |"; }

run "$against" --only numeric --runs 2 --page "$tmp/page.md" \
  "$EVENTRING_STOCK"
ok "programs of an installed toolchain are compared" \
  eval 'succeeds && says "numeric:off (2 runs) against" "cpu_ns"'
ok "the page has a line for the program" line numeric 2
ok "too few runs have no smallest change" \
  grep -q '^| numeric | 2 | .* | - | cannot say |$' "$tmp/page.md"
ok "the page has the manifest of the machine" \
  eval 'grep -q "^| machine.key | [0-9a-f]* |" "$tmp/page.md" &&
        grep -q "^| runs | 6, from " "$tmp/page.md"'
ok "the batch and its page are kept" \
  eval 'grep -q "numeric:on" "$tmp"/build/bench/against/batches/numeric.html &&
        [ "$(ls "$tmp"/build/bench/against/batches/numeric/0*.json | wc -l)" \
          = 6 ]'
run "$against" --only numeric --least 2 --minutes 1 --target 1000 \
  --page "$tmp/page.md" stock
ok "rounds are made until the smallest change is below the target" \
  eval 'succeeds && grep -q "below 1000 % for 1 of 1 programs" "$tmp/page.md" &&
        [ -n "$(line numeric "\([6-9]\|[1-9][0-9]\)")" ]'
finish
