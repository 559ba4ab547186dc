#!/bin/sh
# eventring trace of several processes: each process has all of its events, and
# events of the same moment have the same time.
# Needs no OCaml.
. "$(dirname "$0")/lib.sh"

rows_of() { python3 -B "$here/read_chrome.py" <"$1"; }
all_there() { rows_of "$1" | sort | diff both.rows -; }
in_order() { rows_of "$1" | cut -f 5 | sort -nc; }

make_ring plain
make_ring fields
sort "$here/plain.expected" "$here/fields.expected" >both.rows
eventring trace plain.eventring fields.eventring -o a.json
ok "a trace of two files has the events of both" all_there a.json
ok "a trace of two files is in the order of time" in_order a.json

cc -I"$EVENTRING_TOP/consumer/reader" -o record "$here/record.c" \
  "$EVENTRING_BUILD/lib/libeventring.a" -lzstd || exit 1
run ./record plain.rec plain.eventring
ok "the recording is written" exits 0
eventring trace plain.rec fields.eventring -o b.json
ok "a recording gives the same trace as its ring file" cmp a.json b.json

pids() { jq -c '[.traceEvents[] | select(.name == "process_name") | .pid]' "$1"
}
threads() {
  jq -e '[.traceEvents[] | select(.name == "thread_name") | .tid]
    | (length == 8) and (unique | length) == 8' "$1"
}
if program jq; then
  ok "processes of one id are told apart" \
    [ "$(pids a.json)" = "[4242424,14242424]" ]
  ok "threads of two processes with one id are told apart" threads a.json
else
  skip "processes of one id are told apart" "no jq"
fi

# Two machines: their wall clocks align the times.
make_ring elsewhere
awk -F '\t' -v OFS='\t' '{ $4 += 3000000000; $5 += 3000000000
  $4 = sprintf("%.0f", $4); $5 = sprintf("%.0f", $5); print }' \
  "$here/plain.expected" | sort - "$here/plain.expected" >both.rows
eventring trace plain.eventring elsewhere.eventring -o d.json
ok "files of two machines are aligned by their wall clocks" all_there d.json
ok "events of two machines are in the order of time" in_order d.json
if readable ctf; then
  eventring trace plain.eventring elsewhere.eventring -o d.ctf
  ok "CTF: files of two machines are aligned by their wall clocks" \
    [ "$(babeltrace2 --clock-seconds d.ctf |
    sed -n 's/^\[\([0-9.]*\)\].*ring_start.*/\1/p' | tr '\n' ' ')" = \
    "1.000000000 4.000000000 " ]
else
  skip "CTF: files of two machines are aligned by their wall clocks" \
    "no babeltrace2"
fi
finish
