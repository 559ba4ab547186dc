#!/bin/sh
# doc/RECORDING.md is complete: decode_recording.py, written from it, reads from
# recordings the events that eventring reads.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
for command in python3 zstd; do
  command -v $command >/dev/null || {
    echo "1..0 # SKIP needs $command"
    exit 0
  }
done
compile numbers

decode() {
  PYTHONDONTWRITEBYTECODE=1 python3 "$here/decode_recording.py" "$@"
}
# In nanoseconds, two readers may differ by one.
without_ns() {
  cut -f 2- "$1" | awk -F '\t' '$5 == "complete" { $NF = "" } { print }' | sort
}
same() {
  eventring events --raw "$1" >out 2>err
  decode "$1" >decoded && [ -s out ] && without_ns out >a &&
    without_ns decoded >b && cmp a b
}
same_bytes() { same "$1" && sort out >a && sort decoded >b && cmp a b; }

OCAML_EVENTRING_CLOCK=monotonic
export OCAML_EVENTRING_CLOCK
begin
recording -o one.evr --max-size=20K
tell count 20000
ok "--max-size begins a second file" within 60 [ -e one.2.evr ]
tell spawn 20
tell slow
tell count 20000
leave
recorded
for file in one.evr one.2.evr; do
  ok "$file: the decoder reads the same events" same_bytes $file
done
eventring cat one*.evr -o cat.evr
ok "cat: the decoder reads the same events" same_bytes cat.evr
eventring cut cat.evr --from=0 --to=100ms -o cut.evr
eventring cut cat.evr --from=100ms -o cut2.evr
ok "cut: the decoder reads the same events" same_bytes cut2.evr
eventring cat cut.evr cut2.evr -o both.evr
ok "cut and cat: the decoder reads the same events" same_bytes both.evr
unset OCAML_EVENTRING_CLOCK

# Overtaken, in small rings.
begin 9
recording -o small.evr
tell count 2000000
leave
recorded
ok "small rings: events were lost" err_has ' [1-9][0-9]* lost$'
ok "small rings: the decoder reads the same events" same small.evr
ok "small rings: check has no findings" sound small.evr
finish
