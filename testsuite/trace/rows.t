#!/bin/sh
# eventring trace of files with known contents: NAME.expected has the events of
# each format, with times since tracing started; NAME.ctf.expected has the
# events of CTF, which are as recorded.  rows.py describes the columns.
# Needs no OCaml.
. "$(dirname "$0")/lib.sh"

as_expected() {
  start=5000000000
  [ "$2" != chrome ] || start=0
  # In the ring that went round, only the ends matter.
  awk -F '\t' -v OFS='\t' -v start=$start -v name="$1" '
    name == "overtaken" && $2 ~ /queue$/ { next }
    { $4 = sprintf("%.0f", $4 - start); $5 = sprintf("%.0f", $5 - start)
      print }' "$2.tsv" >rows
  expected=$here/$1.expected
  [ "$2" != ctf ] || expected=$here/$1.ctf.expected
  diff "$expected" rows
}

for name in plain fields crossing hostile overtaken killed; do
  trace $name
  each_format "the file $name has the expected rows" as_expected $name
done

# The longest events of a file.  A format that takes too long for them is
# stopped.
(ulimit -t 20; trace long)
has_long_rows() {
  python3 - "$1.tsv" <<'END'
import json, sys
rows = [json.loads(line.rstrip("\n").split("\t")[5])
        for line in open(sys.argv[1], encoding="utf-8")]
fields = {"n" if i == 0 else f"n_{i + 1}": i % 128 for i in range(4048)}
sys.exit(rows != [{"text": "\ufffd" * 4040}] + 14 * [fields])
END
}
each_format "the longest events are complete" has_long_rows

remarks() {
  sed 's/^eventring: [^ ]*: //' chrome.err >rows
  printf '%s\n' "$@" | diff - rows
}
trace crossing
ok "spans that were left out, closed or cut are reported" \
  remarks "2 ends without begin left out,\
 3 spans without end closed, 1 span cut where one around it ended"
trace lost
ok "lost events are reported" \
  remarks "504 events were overwritten before they could\
 be read"
finish
