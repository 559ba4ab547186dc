#!/bin/sh
# If this breaks, a recording that is damaged looks like one with fewer events.
# Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
make_ring plain
# Three recordings of two rings, each with 500 spans of its domain
awk 'BEGIN {
  CONVFMT = OFMT = "%.0f"
  for (d = 0; d < 2; d++) {
    print d, 0, "instant domain_start", d, 0, d
    for (i = 1; i <= 500; i++) {
      print d, i * 1e6, "begin my.span"
      print d, i * 1e6 + 1000 * (i % 7 + 1) + d, "end my.span"
    }
  }
}' >script
for pid in 4242424 4242425 4242426; do
  ./make_ring script $pid.eventring pid=$pid <script &&
    eventring cat -o $pid.evr $pid.eventring >/dev/null || exit 1
done
# The events of one are changed, those of the other cut.
size=$(stat -c %s 4242424.evr)
printf '\377\377\377\377' |
  dd of=4242425.evr bs=1 seek=$((size - 2000)) conv=notrunc 2>"$tmp/err"
truncate -s $((size - 2000)) 4242426.evr

answers() {
  for view in stat timeline events flame live_sites kept diagnosis; do
    with_token_is 200 "$base/api/processes/$id/$view" || { echo "$view"; return 1; }
  done
}
serve 4242424.evr 4242425.evr 4242426.evr
for pid in 4242424 4242425 4242426; do
  find_process $pid
  ok "recording $pid is read" within 60 read_all $pid
  ok "and each view of it answers" answers
done
ok "a recording without damage" process_is 4242424 '.damage' null
ok "events that were changed" process_is 4242425 \
  .damage '1 damaged block was left out'
cut() { process 4242426 .damage | grep -q '^cut or damaged from byte [0-9]* on'; }
ok "a recording that was cut" cut
ok "the server does not repeat it for each answer" [ ! -s "$tmp/serve.err" ]
finish
