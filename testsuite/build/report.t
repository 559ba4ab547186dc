#!/bin/sh
# The page of the benchmarks: its verdicts follow the figures, missing figures
# are named, and its plots can be shown.
: "${EVENTRING_TOP:=$(git rev-parse --show-toplevel)}"
. "$(dirname "$0")/lib.sh"

command -v gnuplot >/dev/null || { echo "1..0 # SKIP no gnuplot"; exit 0; }

in=$tmp/in
page=$tmp/page/report.md

# tsv NAME: a table from standard input, with commas for tabs, and a manifest
tsv() {
  mkdir -p "$in"
  tr , '\t' >"$in/$1.tsv"
  cat >"$in/$1.json" <<END
{ "benchmark": "$1", "started": "2026-01-02T03:04:05Z", "seconds": 1,
  "cpu": "a processor", "cores": 2, "memory_kib": 1048576, "kernel": "6.1",
  "clocksource": "tsc", "compiler": "cc 1", "ocaml": "5.3.0",
  "ocaml_integrity": "sha512-x", "commit": "c0ffee", "commit_changed": false,
  "flags": {}, "skipped": {}, "complete": ${2:-true} }
END
}

probes() {
  tsv probes "${2:-true}" <<END
what,from,state,runtime,median_ns,p10_ns,p90_ns,least_ns,floor_ns,bytes,minor_words
begin+end,C,enabled,ours,$1,19,21,19,20,16,0
begin+end,C,enabled,stock,60,55,65,50,20,48,0
END
}

programs() {
  case $1 in 1.*) verdict=slower ;; *) verdict="cannot say" ;; esac
  tsv programs "${2:-true}" <<END
program,kind,configuration,runs,median_s,ratio,ratio_low,ratio_high,verdict,peak_kib,minor,major
trees,allocation,stock off,9,2,1,1,1,,2048,10,1
trees,allocation,stock on,9,2.2,1.1,1.05,1.15,slower,2048,10,1
trees,allocation,ours off,9,2,1.001,$1,1.003,$verdict,2048,10,1
trees,allocation,ours on,9,2,1.005,1.002,1.008,slower,2048,10,1
all,geometric mean,ours on / stock off,9,,1.005,,,,,,
END
}

make_page() {
  rm -rf "$tmp/page"
  run "$top/bench/report" --from "${1:-$in}" --to "$tmp/page"
}

# verdict STATE WHAT WORD...: the line of the table that says it
verdict() {
  grep -F "| $1 | $2 |" "$page" >"$tmp/line" ||
    { echo "no such line:"; grep -F "| $2" "$page"; return 1; }
  shift 2
  for word in "$@"; do
    grep -qF -e "$word" "$tmp/line" ||
      { echo "does not say $word:"; cat "$tmp/line"; return 1; }
  done
}

says_above_table() { sed '/^| /q' "$page" | grep -qF -e "$1"; }

plots_are_xml() {
  links=$(sed -n 's/^!\[.*](\(.*\))$/\1/p' "$page")
  [ -n "$links" ] || { echo "no plot"; return 1; }
  for link in $links; do
    python3 -c 'import sys, xml.dom.minidom as m
assert m.parse(sys.argv[1]).documentElement.tagName == "svg"' \
      "$tmp/page/$link" || return 1
  done
}

probes 20
programs 0.999
make_page
ok "a page is made" succeeds
ok "a target that is hit, and by how much" \
  verdict hit "phase begin+end, tracing on, against stock" "3.00 ×" \
  "20 % to spare"
ok "its cost in readings of the clock: two for two events" \
  verdict hit "phase begin+end, tracing on, against the clock" "2.00 ×"
ok "a program that is not shown to be slower hits" \
  verdict hit "programs, off ÷ stock off" "none of 1 "
ok "the geometric mean" \
  verdict hit "programs, on ÷ stock off, geometric mean" "1.005"
ok "what was not measured is no hit" \
  verdict "**not measured**" "events read in a second, in C"
ok "a benchmark that did not run is named first" \
  says_above_table "reader: not measured (make bench-reader)"
ok "plots are there, and XML" plots_are_xml
ok "figures and manifests are beside the page" \
  test -f "$tmp/page/probes.tsv" -a -f "$tmp/page/programs.json"

cp -r "$tmp/page" "$tmp/kept"
make_page "$tmp/kept"
ok "the page can be made again from its folder" \
  cmp "$page" "$tmp/kept/report.md"

probes 30
programs 1.0005 false
make_page
ok "a missed target, and by how much" \
  verdict "**MISSED**" "phase begin+end, tracing on, against stock" "2.00 ×" \
  "20 % too little"
ok "a program that compare calls slower misses" \
  verdict "**MISSED**" "programs, off ÷ stock off" "trees 1.001" "(incomplete)"
ok "an interrupted benchmark is named first" \
  says_above_table "programs: incomplete"

tsv instructions <<END
program,configuration,instructions,ratio
trees,stock off,1000000,1
trees,ours off,1000500,1.0005
trees,ours on,1020000,1.02
END
make_page
ok "instructions, hit" verdict hit "instructions, off ÷ stock off" "+0.05 %"
ok "instructions, missed" \
  verdict "**MISSED**" "instructions, on ÷ stock off" "+2.00 %" "1 points"
programs 1.0005
make_page
ok "not slower where instructions are the same" verdict hit "programs, off ÷ stock off"

tsv validate <<END
part,program,subject,figure,value
uprobes,trees,minor,agree,yes
uprobes,trees,major_slice,agree,no
samples,trees,share,why,perf may not
samples,trees,share,agree,skipped
END
make_page
ok "counts that do not agree" \
  verdict "**MISSED**" "counts and durations, against perf" "1 of 2 agree" \
  "trees major_slice"
ok "what was skipped is no hit" \
  verdict "**not measured**" "share of time, against perf" "1 skipped"
ok "why it was skipped is said first" says_above_table "perf may not"

probes 20 false
make_page
ok "a hit of an interrupted benchmark is none" \
  verdict "**not measured**" "phase begin+end, tracing on, against stock" \
  "3.00 ×" "(incomplete)"

sed 's/median_ns/other/' "$in/probes.tsv" >"$tmp/new"
mv "$tmp/new" "$in/probes.tsv"
make_page
ok "a column that is not there is named first" \
  says_above_table "probes: no column median_ns"

rm -rf "$in" && mkdir "$in"
make_page
ok "no figures: no page" stops_with "no figures" "make bench-probes"
finish
