#!/bin/sh
# Only in make check-long: more than 1000 processes take half a minute.
# eventring run writes the recordings of more processes than one file can have.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile run_tree
run eventring run -o out.evr --trace out.json --json --summary json \
  ./run_tree brief 1050
ok "the run ends with 0" exits 0
processes() { eventring stat --all --json "$1" | jq -s last.processes; }
ok "all processes are in the summary, and no event is lost" \
  [ "$(jq -sc 'last | [.processes, .lost_events]' json)" = "[1051,0]" ]
ok "the recordings have each process once" \
  [ "$(processes out.evr) $(processes out.2.evr)" = "1000 51" ]
ok "the trace has all processes" \
  [ "$(jq '[.traceEvents[] | select(.name == "process_name")] | length' \
       out.json)" = 1051 ]
ok "the folder of the recordings is gone" [ "$(ls -d eventring-* 2>/dev/null)" = "" ]
finish
