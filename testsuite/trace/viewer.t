#!/bin/sh
# eventring trace: speedscope, from npm, shows a trace in Chrome's format in
# Chromium, from Debian.
# Needs no OCaml.
. "$(dirname "$0")/lib.sh"

missing() {
  for name in "spans form a tree" "waits have a track" \
      "the viewer reports no error"; do
    skip "speedscope: $name" "$1"
  done
  finish
}

. "$here/../web/chromium.sh"
program "$CHROMIUM" || missing "no chromium"
program node || missing "no node"
program npm || missing "no npm"

make_ring crossing
eventring trace crossing.eventring -o trace.json 2>/dev/null
HOME=$tmp TMPDIR=$tmp timeout 300 node "$here/viewer.js" trace.json >shown 2>why ||
  cat why >>shown
cp shown out; cp why err; status=$?

# Names and total times of a thread's spans, without arguments and shares.
frames() {
  sed -n "/^profile.* $1 (tid/,/^profile/{/^frame.*%) /p}" shown |
    sed 's/ ([^ ]*)//g; s/ {.*//; s/^frame //' | awk '{ print $3, $1 }' | sort
}
spans() { frames "domain 0 main" | diff - "$here/viewer.expected"; }
ok "speedscope: spans form a tree" spans
rest() { [ "$(frames "domain 0 main: other")" = "other 100.00ns" ]; }
ok "speedscope: the rest of a cut span has a track of its name" rest
stops() { frames stop_the_world | grep -q '^stop_the_world 600'; }
ok "speedscope: waits have a track" stops
# speedscope says that begin and end differ where only one has arguments, and
# pairs them all the same.
complaints() {
  ! grep '^complaint' shown | grep -v -e 'GL Driver Message' -e 'software WebGL' |
    grep -v 'end "\([^ "]*\).*" when "\1[ "].* was on the top'
}
ok "speedscope: the viewer reports no error" complaints
finish
