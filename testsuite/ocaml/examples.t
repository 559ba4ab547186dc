#!/bin/sh
# The programs under examples/: programs that people copy from could no longer
# compile, run, or show the lines that they promise.
. "$(dirname "$0")/programs.sh"
here=$EVENTRING_TOP/examples

build pause_times
build metrics_socket unix
build chrome_trace
build pool
build contention unix threads
build slow_request unix
build server unix
build checksum example_stubs.c

# Every line of the output is like this.
all_lines() { out_has . && ! grep -v -q -x -E -e "$1" "$tmp/out"; }
json() { python3 -m json.tool "$tmp/out" >/dev/null; }

pause_times() {
  fresh
  run "$tmp/pause_times.$mode"
  ok "$mode: pause_times runs" exits 0
  kind='(minor      |major_slice)' us='[0-9]+\.[0-9] us'
  ok "$mode: it prints pauses, and a table of both kinds" all_lines \
    "domain 0  $kind  +$us  [a-z_]+|$kind  +[0-9]+ pauses, median +$us,\
 longest +$us"
  ok "$mode: with their causes" out_has '  minor .*  minor_heap_full$'
  ok "$mode: of minor collections" out_has '^minor  .* pauses'
  ok "$mode: of major slices" out_has '^major_slice  .* pauses'
  ok "$mode: its ring file is gone" no_ring
}

# A listener that writes what it receives to a file.
listen='import socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen(1)
c = s.accept()[0]
with open(sys.argv[2], "wb") as f:
    while data := c.recv(4096): f.write(data)'

metrics_socket() {
  fresh
  python3 -c "$listen" "$tmp/w/socket" "$tmp/w/received" &
  listener=$!
  started="$started $listener"
  within 60 test -S socket
  run "$tmp/metrics_socket.$mode" socket
  ok "$mode: metrics_socket runs" exits 0
  wait "$listener"
  cp received "$tmp/out"
  ok "$mode: the socket received metrics" \
    all_lines '(minor\.count|minor\.ns|jobs\.done|lost) [0-9]+'
  ok "$mode: more than once" [ "$(grep -c jobs.done received)" -gt 1 ]
  ok "$mode: minor collections among them" out_has '^minor.count [1-9]'
  ok "$mode: every job was counted" [ "$(awk '
    /^(jobs.done|lost)/ { sum += $2 } END { print sum }' received)" = 2000 ]
}

pool_and_trace() {
  fresh
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 "$tmp/pool.$mode"
  ok "$mode: pool runs" exits 0
  ok "$mode: it does its tasks" out_has '^40 tasks, sum '
  for what in submit task 'task journey'; do
    ok "$mode: each $what begins" [ "$(count "  begin     $what  [0-9]")" = 40 ]
    ok "$mode: each $what ends" \
      [ "$(count "  end       $what\(  [0-9]*\)\?$")" = 40 ]
  done
  ok "$mode: the queue is counted" \
    shows '  counter   tasks waiting  [0-9]* tasks'

  run "$tmp/chrome_trace.$mode" "$(ring)"
  ok "$mode: chrome_trace runs" exits 0
  ok "$mode: it writes JSON" json
  for phase in B E C X M i s f; do
    ok "$mode: with phase $phase" out_has "^{\"ph\":\"$phase\",\"name\":\".*}"
  done
  ok "$mode: it has each task" \
    [ "$(grep -c '"B","name":"task"' "$tmp/out")" = 40 ]

  for name in submitter 'worker 1' 'worker 2'; do
    ok "$mode: it has the name of domain $name" \
      out_has '"M","name":"thread_name".*"args":{"name":"'"$name"'"}}'
  done
  ok "$mode: the end of a minor collection has what it did" \
    out_has '"E","name":"minor".*"promoted":[0-9]*,.*"cause":"[a-z_]*"'
  ok "$mode: something complete has a duration" \
    out_has '"X","name":"stop_the_world".*"dur":[0-9]*\.[0-9]*,'

  run "$tmp/chrome_trace.$mode" missing.eventring
  ok "$mode: a missing file is named" err_has missing.eventring
}

contention() {
  fresh
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    "$tmp/contention.$mode"
  ok "$mode: contention runs" exits 0
  ok "$mode: it does its updates" out_has '^20 updates$'
  for domain in front back; do
    for n in 1 2; do
      ok "$mode: $domain $n is known by its name, and updates" shows \
        "\"$domain\" *thread [0-9]* #[0-3] \"$domain $n\" *begin     update"
    done
  done
  ok "$mode: someone waited for the mutex" shows '  complete  mutex_wait  '
  run eventring check "$(ring)"
  ok "$mode: all of it is balanced" exits 0
}

# with_request N: leaves in $tmp/out the first snapshot's events that have it
with_request() {
  for file in $(ls slow-*.eventring | sort -t - -k 2 -n); do
    run eventring events "$file"
    ! out_has "  begin     request  $1\$" || return 0
  done
  return 1
}

slow_request() {
  fresh
  run "$tmp/slow_request.$mode"
  ok "$mode: slow_request runs" exits 0
  # On a busy machine others may be slow as well.
  ok "$mode: it tells of both slow requests" \
    eval '[ "$(wc -l <"$tmp/out")" -ge 2 ]'
  ok "$mode: with their durations" all_lines \
    'request in domain 0 took [0-9]+ ms: slow-[0-9]+\.eventring'
  for n in 37 87; do
    ok "$mode: a snapshot has slow request $n" with_request $n
    ok "$mode: it can be read" exits 0
    ok "$mode: and has what the collector did" out_has '  begin     minor$'
  done
}

server() {
  fresh
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    "$tmp/server.$mode" 1
  ok "$mode: server ends after its time" \
    eval 'exits 0 && out_has "has answered all requests"'
  run eventring stat --json "$(ring)"
  ok "$mode: all requests of server are finished" eval \
    'jq -e ".requests[] | select(.name == \"get\")
            | .count > 50 and .not_finished == 0" "$tmp/out"'
  run eventring check "$(ring)"
  ok "$mode: the events of server are balanced" exits 0
}

stubs() {
  fresh
  run "$tmp/checksum.$mode"
  ok "$mode: checksum runs" exits 0
  cat >"$tmp/expected" <<END
checksum 11e60398
start checksum
counter checksum size 9 bytes
finish checksum
start wait
finish wait
END
  ok "$mode: its C code's events come by" diff "$tmp/expected" "$tmp/out"
}

both pause_times
both metrics_socket
both pool_and_trace
both contention
both slow_request
both server
both stubs
finish
