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
  "$tmp/limits.$mode" write <hold >pid &
  started="$started $!"
  exec 9>hold
  within 10 [ -s pid ]
  pid=$(cat pid)
  checks "$tmp/limits.$mode" read "$tmp/w" "$pid"
  checks "$tmp/limits.$mode" full "$tmp/w" "$pid"
  exec 9>&-
  wait
}
both other
finish
