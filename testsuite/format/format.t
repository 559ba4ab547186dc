#!/bin/sh
# doc/FORMAT.md is complete: decode.py, written from it alone, reads from the
# files of traced programs the events that eventring reads, to the last byte.
. "$(dirname "$0")/../cli/tap.sh"
cd "$tmp" || exit 1
mkdir rings.d

command -v python3 >/dev/null || {
  echo "1..0 # SKIP needs python3"
  exit 0
}
cp "$here/rings.ml" "$here/threads.ml" . &&
  "$EVENTRING_STAGE/bin/ocamlopt" -I +runtime_events -o rings \
    runtime_events.cmxa rings.ml &&
  "$EVENTRING_STAGE/bin/ocamlopt" -I +unix -I +threads -o threads \
    unix.cmxa threads.cmxa threads.ml || exit 1

decode() { PYTHONDONTWRITEBYTECODE=1 python3 "$here/decode.py" "$@"; }

# A run of a program from beginning to end: trace NAME PROGRAM ARG... makes NAME
trace() {
  file=$1
  shift
  OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings.d \
    OCAML_EVENTRING_KEEP=1 "./$@" || exit 1
  mv rings.d/*.eventring "$file"
}

# Leaves the output in $tmp/out.
both() {
  run eventring events --raw "$1"
  exits 0 && [ -s out ] && decode "$1" >decoded 2>decode.err
}
same() { both "$1" && cmp out decoded; }

# Ticks of a hardware counter become ns by a rate that each reader measures
# for itself, if it is on the machine and in the boot of the file.  So such a
# file is compared without the ns, and its copy, as if from another machine, is
# compared whole: the rate is in the copy.  Complete events have ns in their
# fields, too.
sed -n 's/^COMPLETE(EV.*"\(.*\)",$/\1/p' \
  "$EVENTRING_TOP/runtime/caml/eventring_events.tbl" >complete
without_ns() {
  awk -F '\t' -v OFS='\t' '
    NR == FNR { complete[$1] = 1; next }
    { $1 = ""; if ($8 in complete) $9 = ""; print }' complete "$1"
}
same_ticks() {
  both "$1" && without_ns out >out.ticks && without_ns decoded >decoded.ticks &&
    cmp out.ticks decoded.ticks
}
# Where the line is far off a block, eventring takes other lines, which decode.py
# does not: the machine slept, or a writer waited for a processor between the two
# clocks.
is_far() { grep -q 'the line is far off' decode.err; }
same_line() { same "$1" || { is_far && same_ticks "$1"; }; }
elsewhere() {
  cp --sparse=always "$1" "$1.moved"
  printf 'elsewhere' | dd of="$1.moved" bs=1 seek=112 conv=notrunc 2>/dev/null
}
compare() {
  ok "$1: the same events" same_ticks "$1"
  elsewhere "$1"
  ok "$1, as if on another machine: the same bytes" same_line "$1.moved"
}
values() { awk -F '\t' -v c="$1" '!seen[$c]++ { n++ } END { print n + 0 }' out; }
lost() { out_has '	lost	0	-	'; }
not_lost() { ! lost; }

# Garbage in several domains, more than the rings hold.
OCAMLRUNPARAM=e=9 OCAML_EVENTRING_CATEGORIES=all trace small rings gc 19000 4
compare small
ok "small: the rings went round" lost
ok "small: four rings" [ "$(values 3)" = 4 ]
OCAML_EVENTRING_CATEGORIES=all trace large rings gc 40000 4
compare large
ok "large: the rings went round" lost
ok "large: four rings" [ "$(values 3)" = 4 ]

# Packed payloads: stops of the world, minor collections, threads.
ok "large: the world stopped" out_has '	stop_the_world	.* '
ok "large: minor collections say why" \
  out_has '	end	12	minor	.* '
OCAMLRUNPARAM=e=9 trace threads-small threads
compare threads-small
ok "threads-small: the rings went round" lost
OCAMLRUNPARAM=e=18 trace threads-large threads
compare threads-large
ok "threads-large: nothing was lost" not_lost
ok "threads-large: four of one domain" [ "$(awk -F '\t' '
  $4 == 0 && $8 == "minor" && !seen[$5]++ { n++ } END { print n + 0 }' out)" = 4 ]

# The program's own events.
trace user rings user
compare user
ok "user: nothing was lost" not_lost
ok "user: min_int" out_has '	count	c000000000000000$'
ok "user: a text of no bytes" out_has '	note	0000000000000000$'
ok "user: the longest text" out_has '	note	0000000000000400 .* '
ok "user: no name commands the terminal" \
  out_has '	odd \\\\ name\\x09\\x0a\\xff \\x20.*\\x20	-$'
OCAMLRUNPARAM=e=9 trace user-small rings user
compare user-small

# Domains one after the other, in one ring.
OCAMLRUNPARAM=e=10 trace turn-small rings turn 50
compare turn-small
ok "turn-small: the rings went round" lost
OCAMLRUNPARAM=e=18 trace turn rings turn 30
compare turn
ok "turn: nothing was lost" not_lost
ok "turn: every domain" [ "$(values 4)" = 31 ]
ok "turn: on fewer rings" [ "$(values 3)" -lt 31 ]

# A clock of which the ticks are ns.
OCAML_EVENTRING_CLOCK=monotonic
export OCAML_EVENTRING_CLOCK
OCAMLRUNPARAM=e=9 trace monotonic rings gc 19000 3
ok "monotonic: the same bytes" same monotonic
ok "monotonic: ticks are ns" awk -F '\t' '$1 != $2 { exit 1 }' out
trace monotonic-user rings user
ok "monotonic-user: the same bytes" same monotonic-user
unset OCAML_EVENTRING_CLOCK

# Paused and copied, then killed in the middle.
goes_round() { run eventring events --raw "$ring"; lost; }
for e in 9 16; do
  mkdir -p rings.k
  OCAMLRUNPARAM=e=$e OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings.k \
    ./rings wait &
  pid=$!
  started="$started $pid"
  ring=$tmp/rings.k/$pid.eventring
  ok "$e: a program that writes without end" within 60 traced
  ok "$e: its rings go round" within 60 goes_round
  run eventring pause --dir "$tmp/rings.k" "$pid"
  ok "$e: it is paused" exits 0
  sleep 0.2
  cp --sparse=always "$ring" "paused-$e"
  compare "paused-$e"
  run eventring resume --dir "$tmp/rings.k" "$pid"
  sleep 0.3
  kill -9 "$pid"
  wait "$pid" 2>/dev/null
  mv "$ring" "killed-$e"
  compare "killed-$e"
  ok "killed-$e: its rings went round" lost
  ok "killed-$e: it did not end in order" eval '! out_has "	ring_stop	"'
done

# Files of a hardware counter, also where this machine has none that the runtime
# takes: it then counts ns.  The end is late by a fifth, so that the blocks have
# another rate.
cp --sparse=always killed-16.moved slow
python3 -B - "$here" slow <<'END'
import struct, sys
sys.path.append(sys.argv[1])
import decode
file = decode.RingFile(sys.argv[2])
ticks, ns = max(file.block(ring, block)[:2]
                for ring in range(file.header.rings)
                for block in range(*file.extent(ring), file.header.block_words))
ns += (ns - file.header.started_ns) // 5
at = {name: place for name, place, _ in decode.FIELDS}
with open(sys.argv[2], "r+b") as out:
    out.seek(at["clock"])
    out.write(struct.pack("=I", 2))
    out.seek(at["state"])
    out.write(struct.pack("=I", 2))
    out.seek(at["ended_ticks"])
    out.write(struct.pack("=Qq", ticks, ns))
END
ok "slow: the rate is the median rate of the blocks" same_line slow
ns_of() { tail -n 1 out | cut -f 1; }
both killed-16.moved && usual=$(ns_of)
both slow
ok "slow: so the times are nearly the same" \
  awk "BEGIN { exit !($(ns_of) < $usual + 50000000) }"

# The header of a block is 60 ms late.
cp --sparse=always user.moved late
python3 - late <<'END'
import struct, sys
with open(sys.argv[1], "r+b") as file:
    rings, = struct.unpack_from("=Q", file.read(128), 64)
    file.seek(84)
    file.write(struct.pack("=I", 2))
    file.seek(rings + 8)
    ns, = struct.unpack("=q", file.read(8))
    file.seek(rings + 8)
    file.write(struct.pack("=q", ns + 60000000))
END
ok "late: other ns" eval '! same late'
ok "late: decode.py says why" is_far
ok "late: the same ticks" same_line late

# An event of the oldest block is damaged: both go on behind it.
make_damaged() {
  cp --sparse=always monotonic damaged
  python3 - damaged <<'END'
import struct, sys
with open(sys.argv[1], "r+b") as file:
    header = file.read(128)
    rings, = struct.unpack_from("=Q", header, 64)
    block, = struct.unpack_from("=I", header, 80)
    tail, reserve = 0, 0
    file.seek(struct.unpack_from("=Q", header, 48)[0])
    tail, reserve = struct.unpack("=QQ", file.read(16))
    words, = struct.unpack_from("=Q", header, 72)
    # the first event of the oldest block of ring 0
    file.seek(rings + ((reserve - words) % words + 4) * 8)
    file.write(struct.pack("=Q", 0x10000))
END
}
make_damaged
run eventring events --raw damaged
ok "damaged: eventring says so" exits 3
cp out expected
run decode damaged
ok "damaged: decode.py says so" exits 3
ok "damaged: the rest is the same" cmp expected out

# Not ring files: one line that says so.
bad() { exits 3 && ! [ -s out ] && [ "$(wc -l <err)" -eq 1 ] && err_has "$1"; }
run decode missing
ok "missing file" bad 'missing: No such file'
run decode .
ok "directory" bad 'not a regular file'
: >empty
run decode empty
ok "empty file" bad 'empty: too short'
head -c 100000 /dev/zero >zeros
run decode zeros
ok "zeros" bad 'zeros: not a ring file'
head -c 100000 user >cut
run decode cut
ok "cut off" bad 'cut: cut short'
cp --sparse=always user version
printf '\002' | dd of=version bs=1 seek=16 conv=notrunc 2>/dev/null
run decode version
ok "another major version" bad 'version 2\.'
# Samples: stacks as differences of addresses, in rings of their own.
${CC:-cc} -std=gnu11 -I"$EVENTRING_TOP/runtime" -o make_profile \
  "$EVENTRING_TOP/testsuite/profile/make_profile.c" || exit 1
./make_profile samples.eventring <<END
at 1 100 0
sample 10 0 0 555500001234 555500000000 7fff12345678 555500001235
at 2 101 4294967295
sample 20 1 3 ffffffffffffffff 1
sample 30 2 0
END
ok "samples: addresses" same samples.eventring
finish
