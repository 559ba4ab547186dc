#!/bin/sh
# Requests: a thread could work on the request of another, a reader could count
# a request's waiting as running, or believe a request that a gap cut in two.
# Needs the machine alone: it compares waiting with running.
. "$(dirname "$0")/programs.sh"
build requests unix threads check.ml recorded.ml requests_stubs.c

# stat_of FIELD: of the first kind of request, in the only ring file
stat_of() {
  eventring stat --json "$(ring)" | python3 -c '
import json, sys
kind = json.load(sys.stdin)["requests"][0]
for key in sys.argv[1].split("."): kind = kind[key]
print(kind)' "$1"
}
is() { echo "$1: $(stat_of "$1"), not $2" && [ "$(stat_of "$1")" = "$2" ]; }
sound() { eventring check "$(ring)"; }

traced="env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1"

programs() {
  fresh
  checks "$tmp/requests.$mode"
  ok "$mode: nothing on standard error" no_line
}
both programs

paused() {
  fresh
  checks $traced "$tmp/requests.$mode" pause
  ok "$mode: requests across a pause have a total, but no known runs" \
    eval 'is count 2 && is running.count 1'
  ok "$mode: the request that ended in the pause is not finished" \
    is not_finished 1
  ok "$mode: its file is sound" sound
}
both paused

# The run of the second request began where the ring has been overwritten.
repeated() {
  eventring events "$(ring)" | awk '
    /  request_run  request=2$/ { found = 1 }
    /  begin     query  3$/ { exit }
    END { exit !found }'
}
# The ring has 8192 words: the first request is overwritten, and so is the begin
# of the second.
loss() {
  fresh
  run $traced OCAMLRUNPARAM=e=13 "$tmp/requests.$mode" loss
  ok "$mode: a request whose begin was lost is not counted" is count 2
  ok "$mode: the runs of requests after the loss are known" is running.count 2
  ok "$mode: no request is left" is not_finished 0
  ok "$mode: a block begins with the request of its thread" repeated
  ok "$mode: its file is sound" sound
}
both loss

threads() {
  fresh
  run $traced OCAMLRUNPARAM=e=13 "$tmp/requests.$mode" threads
  ok "$mode: each of two threads has its request" is count 2
  ok "$mode: and works on it" is running.count 2
}
both threads

# The examples, which know their own times
here=$EVENTRING_TOP/examples
build request_threads unix threads
build request_fibers unix
build request_callbacks unix

example() {
  fresh
  run $traced OCAMLRUNPARAM=e=18 "$tmp/$1.$mode"
  ok "$mode: $1 runs" exits 0
  cp "$tmp/out" printed
  eventring events --json "$(ring)" >events
  eventring stat --json "$(ring)" >stat
  ok "$mode: $1 has the runs that the program knows" \
    python3 -B "$EVENTRING_TOP/testsuite/ocaml/requests.py" printed events stat
  ok "$mode: $1: the file is sound" sound
}
examples() {
  example request_threads
  example request_fibers
  example request_callbacks
}
both examples
finish
