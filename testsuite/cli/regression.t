#!/bin/sh
# A real regression: one of 30 commits allocates one more list per request.
# batch builds and runs all of them, timeline names the commit, and compare of the
# commits around it names the figure and the function.
# Only in make check-long: it compares processor times, of 84 runs.
# Needs the machine alone: it compares processor times.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/history.sh"
cd "$tmp" || exit 1
export EVENTRING_STORE="$tmp/store"
# Small minor heaps: words are counted at each collection.
export OCAMLRUNPARAM=s=16k
figure() { jq -e ".comparisons[0].figures[] | select(.name == \"$1\") | $2" out; }
make_history history 31 18
bad=$(git -C history rev-parse trunk~13)
good=$(git -C history rev-parse trunk~14)
build="$EVENTRING_STAGE/bin/ocamlopt -g -o prog prog.ml"

cd history
run eventring batch -q --commits trunk~30..trunk --build "$build" --runs 2 \
  --ring 20 -o ../all -- ./prog 10000
cd ..
ok "30 commits are built and run" eval 'exits 0 &&
  [ "$(ls all/[0-9]*.json | wc -l)" = 60 ]'
run eventring timeline --figure total.allocated_words \
  --figure total.minor_collections --json all
ok "timeline names the commit" eval 'exits 0 && jq -e ".series[0] |
  (.changes | length == 1) and (.changes[0] |
   .commits == [{commit: \"$bad\", subject: \"step 18\", measured: true,
                 likely: true}] and .next == [] and .manifest == [] and
   (.figures | index(\"total.allocated_words\") != null))" out'
run eventring timeline all
ok "without --figure, too" eval 'exits 0 &&
  grep -q "^total.allocated_words  *+.* %  .*  $(echo "$bad" | cut -c 1-12)  " out &&
  out_has "^change at $(echo "$bad" | cut -c 1-12) .step 18.$"'

cd history
run eventring batch -q --profile \
  --commits "$good^..$bad" --build "$build" --runs 12 --ring 20 -o ../two -- \
  ./prog 200000
cd ..
ok "the two commits around it are run again, with samples" exits 0
run eventring compare --json "two:$(echo "$good" | cut -c 1-12)" \
  "two:$(echo "$bad" | cut -c 1-12)"
ok "compare names the figure" figure total.allocated_words '.verdict == "more"'
ok "compare names the function" \
  figure functions.Prog.copy_header.self_share '.verdict == "more"'
finish
