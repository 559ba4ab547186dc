#!/bin/sh
# A recording has the machine and samples of its clocks, which older readers skip.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile numbers
node() { "$EVENTRING_BIN" stat --json "$1" | jq -r ".$2"; }
# clocks FILE SAMPLES: at least so many, of this boot, with a bound of at most 1 s.
clocks() {
  "$EVENTRING_BIN" stat --json "$1" | jq -e --argjson n "$2" --argjson now \
    "$(date +%s)" --argjson up "$(cut -d. -f1 /proc/uptime)" '.clocks |
    .samples >= $n and .first.bound_ns > 0 and .first.bound_ns < 1e9 and
    .first.monotonic_ns <= .last.monotonic_ns and
    ([.first, .last | .realtime_ns - .monotonic_ns - ($now - $up) * 1e9 |
      fabs] | max) < 5e9' >out
}

begin
recording -o one.evr
background="$EVENTRING_BIN record $pid -o -"
$background >stream.evr 2>stream.err &
started="$started $!" streamer=$!
within 60 watches "$streamer"
tell count 1000
eventring dump "$pid" -o dump.evr 2>/dev/null
leave
recorded
wait "$streamer"
eventring cat one.evr -o cat.evr
for file in one.evr stream.evr dump.evr cat.evr; do
  ok "$file: stat has the name of the machine" \
    [ "$(node $file node.node)" = "$(uname -n)" ]
  ok "$file: stat has the boot id" \
    [ "$(node $file node.boot_id)" = "$(cat /proc/sys/kernel/random/boot_id)" ]
  ok "$file: the clocks are sampled at the beginning and the end" clocks $file 2
  ok "$file: check has no findings" sound $file
done
eventring stat one.evr >out
ok "stat prints the machine" out_has "^recorded on $(uname -n), wall clock to "
eventring stat --json one.evr | jq .clocks >a
cat one.evr | eventring stat --json - | jq .clocks >b
ok "the reader of a stream has the same samples" cmp a b
ok "the version is 2.2" \
  [ "$(od -An -tu2 -j16 -N4 one.evr | tr -s " ")" = " 2 2" ]

# Readers of version 2.0, in C and in Python, leave out kinds that they do not
# know; the present reader leaves out kinds of later versions.
cat >later.py <<'PY'
import struct
import sys
sys.path.insert(0, sys.argv[1])
import xxh64  # noqa: E402
data = bytearray(open(sys.argv[2], "rb").read())
struct.pack_into("<H", data, 18, 7)
struct.pack_into("<Q", data, 24, int(xxh64.xxh64(bytes(data[:24])), 16))
at, changed = 32, 0
before = data[:18] + struct.pack("<H", 0)
before += data[20:24]
before += struct.pack("<Q", int(xxh64.xxh64(bytes(before)), 16))
while True:
    kind, = struct.unpack_from("<I", data, at)
    stored, = struct.unpack_from("<Q", data, at + 8)
    if kind == 6:
        break
    if kind in (7, 8):
        struct.pack_into("<I", data, at, kind + 90)
        struct.pack_into("<Q", data, at + 64,
                         int(xxh64.xxh64(bytes(data[at:at + 64])), 16))
        changed += 1
    else:
        before += data[at:at + 72 + stored]
    at += 72 + stored
assert changed >= 3
# Without the index, which has the old kinds.
open(sys.argv[3], "wb").write(data[:at])
open(sys.argv[4], "wb").write(before)
PY
ok "recordings of a later version and of version 2.0 are made" \
  python3 later.py "$EVENTRING_TOP/testsuite/cli" one.evr later.evr before.evr
eventring events --raw one.evr >a
eventring events --raw later.evr >b 2>err
ok "kinds of chunks of a later version are skipped" cmp a b
cat later.evr | eventring events --raw - >b 2>err
ok "in a stream, too" eval 'cut -f 2-5 a >c; cut -f 2-5 b | cmp - c'
eventring events --raw before.evr >b 2>err
ok "a recording of version 2.0 has the same events" cmp a b
ok "a recording of version 2.0 has no machine" \
  [ "$(node before.evr node 2>err)" = null ]
finish
