#!/bin/sh
# eventring trace: every format has the events that eventring events prints,
# with their times, nesting and arguments.  The formats are read back by
# programs of others, or by readers written from the format's description.
. "$(dirname "$0")/lib.sh"

agrees() {
  python3 -B "$here/agree.py" "$1" "$1.tsv" raw journey order
}

# A real program.
cp "$here/program.ml" . &&
  "$EVENTRING_STAGE/bin/ocamlopt" -I +unix -I +threads unix.cmxa threads.cmxa \
    program.ml -o program >/dev/null || exit 1
# With this clock no time is rounded.
OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 OCAMLRUNPARAM=e=20 \
  OCAML_EVENTRING_CLOCK=monotonic ./program &&
  mv [0-9]*.eventring program.eventring || exit 1
eventring check program.eventring >checked
ok "the program's events are balanced" grep -q 'balanced$' checked
eventring events --raw program.eventring >raw
trace program
each_format "the events of a program are complete and nested" agrees

# jq, which reads JSON only, counts the events too.
counted() {
  awk -F '\t' '$8 != "request_run" { print $6 }' raw | sort | uniq -c >expected
  jq -r '.traceEvents[]
    | select(.ph != "M" and (.ph != "X" or .name != "order"))
    | {B: "begin", E: "end", b: "begin", e: "end",
      X: "complete", C: "counter", i: "instant", s: "begin", t: "instant",
      f: "end"}[.ph]' out.chrome | sort | uniq -c | diff expected -
}
if program jq; then
  ok "jq counts the same number of events of each form" counted
else
  skip "jq counts the same number of events of each form" "no jq"
fi

# Not all formats have the names of counters' arguments, and the runs of
# requests are events in one only.
arguments() {
  awk -F '\t' -v OFS='\t' '
    $1 == "counter" || $2 ~ /^(size|order|request_run)$/ { next }
    { sub("flow_(begin|step)", "flow", $1); print $1, $2, $6 }' "$1.tsv" | sort
}
alike() {
  arguments chrome >chrome.arguments
  arguments "$1" >arguments
  [ -s arguments ] && diff chrome.arguments arguments
}
each_format "arguments are the same as in Chrome's format" alike
finish
