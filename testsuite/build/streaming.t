#!/bin/sh
# The measurements of streams: their tables and pages have a line for each way
# that events leave a program, and their counts are right.
# Only in make check-long: it runs benchmarks.
: "${EVENTRING_TOP:=$(git rev-parse --show-toplevel)}"
. "$(dirname "$0")/lib.sh"

bench=$top/bench
export EVENTRING_BUILD="$tmp/build"
: "${EVENTRING_STAGE:=$top/_build/stage}"
: "${EVENTRING_BIN:=$top/_build/bin/eventring}"
export EVENTRING_STAGE EVENTRING_BIN
mkdir "$tmp/build"
page=$tmp/page.md
printf 'Before.\n<!-- delay -->\nold\n<!-- end of delay -->\nAfter.\n' >"$page"

run "$bench/run-streaming" --rounds 0
ok "run-streaming: 0 rounds are refused" \
  stops_with "--rounds 0 is not above 0"
run "$bench/run-streaming" --only nothing
ok "run-streaming: an unknown program is refused" \
  stops_with "no such program: nothing"
run "$bench/run-delay" --rate 0
ok "run-delay: a rate of 0 is refused" stops_with "--rate 0 is not above 0"
run "$bench/run-agent" --domains 0
ok "run-agent: 0 domains are refused" stops_with "--domains 0 is not above 0"

[ -x "$EVENTRING_STAGE/bin/ocamlopt" ] || finish


run timeout 300 "$bench/run-streaming" --only trees --size quick --rounds 2 \
  --page "$page"
ok "run-streaming: a program is measured" succeeds
all="file again unix tcp fifo stalled hub"
ways=5 runs=18
if command -v nats-server >/dev/null; then all="$all nats" ways=6 runs=20; fi
each_has() {
  for way in $all; do
    [ "$(grep -c "^| trees | $way | $1" "$page")" -ge "$2" ] ||
      { echo "$way has no such line"; return 1; }
  done
}
ok "run-streaming: the page has the costs of each way" \
  each_has '[0-9.]* | [0-9.]* | - | cannot say |$' 2
ok "run-streaming: the page has the recordings of each way" \
  each_has '[-0-9.]* |.*| [0-9]* |$' 1
ok "run-streaming: the page has the processor time around the program" \
  each_has '[0-9.]* % |' 1
same() {
  awk -F '\t' -v way="$1" '$2 == way && $4 == "total.minor_collections" {
      found = $6 > 0 && $6 == $7 } END { exit !found }' \
    "$tmp/build/bench/streaming.tsv"
}
ok "run-streaming: a FIFO and a hub have each collection" \
  eval 'same fifo && same hub'
by_nats() {
  case $all in *nats) ;; *) return 0;; esac
  same nats && awk -F '\t' '$4 == "nats_share" {
      if ($2 == "nats") nats = $7; else others += $7 }
    END { exit !(nats > 0 && others == 0) }' \
    "$tmp/build/bench/streaming.tsv"
}
ok "run-streaming: so has a hub by NATS, and the server takes time" by_nats
ok "run-streaming: the page counts the differences" \
  grep -q "^- ways out: 0 of $ways recordings differ" "$page"
ok "run-streaming: the batch is kept" eval '
  [ "$(ls "$tmp"/build/bench/streaming/batches/trees/0*.json | wc -l)" = "$runs" ]'
ok "the page keeps its other text" \
  eval 'grep -q "^Before.$" "$page" && grep -q "^After.$" "$page"'

run timeout 200 "$bench/run-delay" --processes 2 --rate 10000 --seconds 1 \
  --rounds 1 --page "$page"
ok "run-delay: delays are measured" succeeds
arrived() {
  awk -F '\t' -v way="$1" '$1 == way {
      found = $7 == 200 && $12 == 0 && $13 >= 20200 && $9 >= $8 && $8 > 0 }
    END { exit !found }' "$tmp/build/bench/delay.tsv"
}
ok "run-delay: each mark arrives through a socket" arrived unix
ok "run-delay: each mark arrives at the hub" arrived hub
ok "run-delay: the page has new figures" \
  eval 'grep -q "^| hub | 1 | 200 |" "$page" && ! grep -q "^old" "$page"'

run timeout 200 "$bench/run-agent" --domains 2 --seconds 1 --rate 100000 \
  --rounds 2 --page "$page"
ok "run-agent: the agent is measured" succeeds
ok "run-agent: the page has its processor time" \
  grep -q '^| agent | [0-9.]* % |' "$page"
ok "run-agent: too few rounds have no verdict" \
  grep -q '^| time: slow-down below 1 % | cannot say |' "$page"
finish
