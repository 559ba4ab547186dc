#!/bin/sh
# The ring file of a program, read by Runtime_events of another version of OCaml
# and by the command: events too few, too many, or taken for others.
# EVENTRING_OTHER is the folder of the other toolchain, as EVENTRING_STAGE is
# that of this one; build-aux/check-versions sets it.
. "$(dirname "$0")/programs.sh"
[ -n "$EVENTRING_OTHER" ] ||
  { echo "1..0 # SKIP no EVENTRING_OTHER, a toolchain of another OCaml"; exit; }

# Of this version and the other: programs, and the events of Runtime_events
for version in this other; do
  [ $version = this ] || ocaml=$EVENTRING_OTHER
  echo "# $version: OCaml $("$ocaml/bin/ocamlc" -version)"
  compile_to write.$version ocamlopt runtime_events other_version.ml ||
    give_up write.$version
  compile_to read.$version ocamlopt runtime_events cursor_names.ml ||
    give_up read.$version
  sed -n 's/^| EV_\(C_\)*\([A-Z_]*\).*/\2/p' \
    "$ocaml/lib/ocaml/runtime_events/runtime_events.mli" |
    tr A-Z a-z | sort >events.$version
done
comm -12 events.this events.other >common

# common FILE: its lines about events that both versions have
common() {
  awk 'NR == FNR { known[$1]; next } $2 in known' common "$1"
}
lines() { [ "$(grep -c "^$2" "$seen")" = "$1" ]; }
counted() {
  lines 20 'begin explicit_gc_minor$' && lines 20 'end explicit_gc_minor$' &&
    lines 1 'begin explicit_gc_full_major$' &&
    lines 1 'begin explicit_gc_compact$' &&
    lines 1 'lifecycle domain_spawn' && lines 0 lost &&
    lines 1000 'user number' &&
    [ "$(awk '/^user/ { n += $3 } END { print n }' "$seen")" = 250500 ]
}
same() {
  common seen.this >one && common seen.other >two && [ -s one ] && cmp one two
}
# begins and ends, as often by the command
command_same() {
  awk '$1 == "begin" || $1 == "end" { print $1, $2 }' one | sort >program
  eventring events --raw 1.eventring | awk '$6 == "begin" || $6 == "end" {
    print "-", $8, $6 }' >all
  common all | awk '{ print $3, $2 }' | sort | cmp - program
}

for writer in this other; do
  fresh
  cp ../common .
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    OCAML_EVENTRING_CATEGORIES=all OCAMLRUNPARAM=e=20 \
    "$tmp/write.$writer"
  mv ./*.eventring 1.eventring || give_up "a ring file"
  for reader in this other; do
    seen=seen.$reader
    "$tmp/read.$reader" . 1 >$seen
    ok "ring of $writer version, program of $reader version: counts" counted
  done
  ok "ring of $writer version: both programs see the same" same
  echo "# $(wc -l <one) events in common"
  ok "ring of $writer version: the command sees as many" command_same
  run eventring stat 1.eventring
  ok "ring of $writer version: stat counts the calls of Gc" \
    out_has 'compactions 1, calls of Gc 22$'
  run eventring check 1.eventring
  ok "ring of $writer version: check finds nothing" exits 0
done
finish
