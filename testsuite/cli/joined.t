#!/bin/sh
# A receiver that joins a stream in the middle of a span has its begin.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile joined
. "$here/streams.sh"

# The rings have events of two seconds, and then the begin is gone from them.
mkfifo orders
OCAMLRUNPARAM=e=15 OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings \
  OCAML_EVENTRING_KEEP=1 ./joined <orders &
pid=$!
started="$started $pid"
exec 9>orders
ring=$tmp/rings/$pid.eventring
ring_is_there() { [ -s "$ring" ]; }
within 60 ring_is_there
background server "$EVENTRING_BIN" record "$pid" -o "unix:$tmp/socket"
background file "$EVENTRING_BIN" record "$pid" -o file.evr
within 60 [ -S socket ]
background first "$EVENTRING_BIN" events --raw "unix:$tmp/socket"
has_events() { [ "$(grep -c . "$1.out")" -gt 1000 ]; }
within 60 has_events first
begin_is_gone() {
  ! eventring events --raw "$ring" | grep -q "	begin	.*	long	"
}
ok "the ring does not have the begin any more" within 60 begin_is_gone
for form in raw json; do
  background $form "$EVENTRING_BIN" events --$form "unix:$tmp/socket"
done
background text "$EVENTRING_BIN" events "unix:$tmp/socket"
background stat "$EVENTRING_BIN" stat --json "unix:$tmp/socket"
background count "$EVENTRING_BIN" events --count --json "unix:$tmp/socket"
background trace "$EVENTRING_BIN" trace "unix:$tmp/socket" -o trace.json
background latency "$EVENTRING_BIN" latency --json --span long \
  "unix:$tmp/socket"
cat >save.py <<'PY'
import socket
import sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
with open(sys.argv[2], "wb") as file:
    while data := s.recv(65536):
        file.write(data)
PY
background save python3 save.py "$tmp/socket" saved.evr
within 60 has_events raw
within 60 has_events json
within 60 has_events text
within 60 [ -s saved.evr ]
# The others have connected; the recorder waits 100 ms at most for a place.
ok "all receivers connect" within 60 connected 9
sleep 1
echo finish >&9
ended() { grep -q "	end	.*	long	" raw.out; }
ok "the span ends while the receivers read" within 60 ended
echo quit >&9
wait "$pid"
for name in server file raw json text stat count trace latency; do
  ok "$name: ends with 0" ends_with $name 0
done

# The recorder to the file may have come too late for the begin: the first receiver
# has got it from the same recorder, as an event or as an open span.
eventring events --raw file.evr >file.raw
awk '$6 == "begin" && $8 == "long"' file.raw >begin
ok "the file has the begin" [ -s begin ]
column() { cut -f "$1" "$2"; }
awk '$6 == "open"' raw.out >open
ok "a late receiver has the begin first, once" eval \
  '[ "$(grep -c . open)" = 1 ] && head -1 raw.out | cmp - open'
for n in 2 3 4 5 7 8 9; do
  ok "column $n of it is that of the begin" \
    [ "$(column $n open)" = "$(column $n begin)" ]
done
ok "its other events have no begin of it" \
  [ "$(awk '$8 == "long" { printf $6 " " }' raw.out)" = "open end " ]
ok "a line of text has its time and its integer" \
  grep -q '^0\.[0-9]* .* open  *long  42$' text.out
took() { awk '$8 == "long" { if (n++) print $1 - t; t = $1 }' "$1"; }
took=$(took file.raw)
# Clocks are measured anew for each stream: 1 %.
near() { awk -v a="$1" -v b="$took" 'BEGIN { exit !(a > b * 0.99 && a < b * 1.01) }'; }
ok "JSON has the duration with the end" eval 'near "$(jq \
  "select(.name == \"long\" and .form == \"end\") | .duration_ns" json.out)"'
ok "stat has the span with its whole duration" eval 'near "$(jq \
  ".spans[] | select(.name == \"long\") | .max_ns" stat.out)"'
ok "and does not begin earlier for it" eval '[ "$(jq .first_ns stat.out)" -gt \
  "$(column 1 begin)" ]'
ok "latency has it" eval 'near "$(jq "[.. | .max_ns? // empty] | max" \
  latency.out)"'
ok "nothing is lost" [ "$(jq .lost_events stat.out)" = 0 ]
slice() {
  jq '.traceEvents[] | select(.name == "long" and .ph == "B") | .ts' "$1"
}
eventring trace file.evr -o file.json
ok "trace has the begin of the span" eval '[ -n "$(slice trace.json)" ]'
ok "events --count does not count it" \
  [ "$(jq '.names[] | select(.name == "long") | .events' count.out)" = 1 ]
ok "the stream can be saved" ends_with save 0
eventring events --raw saved.evr >saved.raw 2>saved.err
ok "a recording that was saved from a stream has it" \
  [ "$(awk '$6 == "open"' saved.raw | cut -f 2-)" = "$(cut -f 2- open)" ]
eventring cat saved.evr -o cat.evr
eventring events --raw cat.evr >saved.raw
ok "and after eventring cat" \
  [ "$(awk '$6 == "open"' saved.raw | cut -f 2-)" = "$(cut -f 2- open)" ]
finish
