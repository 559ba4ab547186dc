#!/bin/sh
# Domains: an event in another domain's ring or under another one's id, a
# domain without events, a slot where the next domain inherits a wrong block.
. "$(dirname "$0")/programs.sh"
build domains unix threads runtime_events

# traced ARG...: leaves the events in $tmp/w/events
traced() {
  fresh
  run env OCAML_EVENTRING_START=${start-1} OCAML_EVENTRING_KEEP=1 \
    OCAMLRUNPARAM=e=16${more-} "$tmp/domains.$mode" "$@"
  eventring events --raw "$(ring)" >events 2>lost
}
well() { exits 0 && no_line && [ "$(cat "$tmp/out")" = end ]; }
# Column 9 is the payload, the event's own domain id; column 4: its block's.
truthful() {
  perl -F'\t' -lane 'next unless $F[7] eq "who"; $n++;
    print and $bad++ if hex $F[8] != $F[3]; END { exit $bad || !$n }' events
}
authors() { awk -F '\t' '$8 == "who" { print $4 }' events | sort -u | wc -l; }
rings() { cut -f 3 events | sort -u | wc -l; }
whole() { ! [ -s lost ]; }

many() {
  # A domain takes a block at least: 128 of them fill the default ring.
  more=,e=18 traced turn 200
  ok "$mode: 200 domains in turn: as usual" well
  ok "$mode: 200 domains in turn: each event under its own id" truthful
  ok "$mode: 200 domains in turn: all of them" [ "$(authors)" = 200 ]
  ok "$mode: 200 domains in turn: few rings, used again" [ "$(rings)" -le 4 ]
  ok "$mode: 200 domains in turn: spawned and ended 200 times" \
    [ "$(grep -c domain_terminate events)" = 200 ]
  traced once 20
  ok "$mode: 20 domains at once: as usual" well
  ok "$mode: 20 domains at once: each event under its own id" truthful
  ok "$mode: 20 domains at once: all of them" [ "$(authors)" = 20 ]
  ok "$mode: 20 domains at once: a ring each" [ "$(rings)" -ge 20 ]
  traced churn 100
  ok "$mode: 100 domains, four at a time: as usual" well
  ok "$mode: 100 domains, four at a time: each under its own id" truthful
  ok "$mode: 100 domains, four at a time: all of them" [ "$(authors)" = 100 ]
  start= traced late
  ok "$mode: started while domains run: as usual" well
  ok "$mode: started while domains run: each event under its own id" truthful
  ok "$mode: started while domains run: all of them" [ "$(authors)" = 4 ]
}
both many

# As many as the runtime has room for
mode=opt
more=,d=256,s=4k traced once 120
ok "120 domains at once: as usual" well
ok "120 domains at once: each event under its own id" truthful
ok "120 domains at once: all of them" [ "$(authors)" = 120 ]
more=,d=2 traced turn 10
ok "two slots only: as usual" well
ok "two slots only: all ten domains" eval 'truthful && [ "$(authors)" = 10 ]'

threads() {
  traced threads
  ok "$mode: threads: as usual" well
  ok "$mode: threads: each event under its domain's id" truthful
  ok "$mode: threads: all that each has written" [ "$(
    awk -F '\t' '$8 == "thread" { n[$4 " " $9]++ }
      END { for (i in n) if (n[i] == 20) all++; print all }' events)" = 10 ]
}
both threads
finish
