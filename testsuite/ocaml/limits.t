#!/bin/sh
# The number of user events: one too many could overwrite another, or the
# limit come too early; and a reader could fail on another program's events.
. "$(dirname "$0")/programs.sh"
build limits unix runtime_events check.ml

own() {
  for when in early late; do
    fresh
    checks env OCAML_EVENTRING_KEEP=1 "$tmp/limits.$mode" $when
    ok "$mode: $when: all names are in the file" [ "$(eventring events \
      "$(ring)" | awk -F '  +' '$4 == "counter" && $5 == $6 + 0 { print $5 }' |
      sort -u | wc -l)" = 8192 ]
  done
}
both own

other() {
  fresh
  mkfifo hold
  OCAML_EVENTRING_KEEP=1 "$tmp/limits.$mode" write <hold >pid &
  started="$started $!"
  exec 9>hold
  within 60 [ -s pid ]
  pid=$(cat pid)
  checks "$tmp/limits.$mode" read "$tmp/w" "$pid"
  checks "$tmp/limits.$mode" full "$tmp/w" "$pid"
  exec 9>&-
  wait
  # The text's event word, two words of payload, gets the unit's id.
  perl -0777 -i -pe '$unit = 1024; $text = 1027; $n = 0;
    $begin = substr pack("L", $text | 3 << 16 | 2 << 18), 0, 3;
    for ($i = 0; ($i = index $_, $begin, $i) >= 0; $i++) {
      next if $i % 8;
      substr($_, $i, 2) = pack "S", $unit; $n++
    }
    warn "$n words changed\n" if $n != 1' "$pid.events" 2>changed
  ok "$mode: (one word of the file is changed)" [ ! -s changed ]
  checks "$tmp/limits.$mode" confused "$tmp/w" "$pid"
}
both other
finish
