#!/bin/sh
# Rings of another size while the program runs: an event could be missing,
# doubled or out of order between two sessions, a reader not go on, or a failure
# end the tracing.
. "$(dirname "$0")/programs.sh"
build resize unix check.ml

own() {
  fresh
  checks "$tmp/resize.$mode" inside
  fresh
  checks "$tmp/resize.$mode" gone
  fresh
  checks "$tmp/resize.$mode" forked
}
both own

words() { od -An -t u8 -j 72 -N 8 "$pid.eventring" | tr -d ' '; }
has_words() { [ "$(words)" = "$1" ]; }
# Bits 27 to 31 of the control word are a request.
no_request() {
  [ "$(od -An -t u1 -j 515 -N 1 "$pid.eventring" | tr -d ' ')" = 0 ]
}

# begin_program DOMAINS [HOW]: resize.$mode HOW, by default emit, traced in a
# fresh folder, until end_program, which leaves the counts in ./counts.
begin_program() {
  mkfifo stop
  sleep 300 >stop &
  started="$started $!" stopper=$!
  env OCAML_EVENTRING_START=1 OCAMLRUNPARAM=e=18 $with \
    "$tmp/resize.$mode" "${2:-emit}" "$1" <stop >counts 2>errors &
  pid=$!
  started="$started $pid"
  within 60 [ -s "$pid.eventring" ]
}
end_program() {
  kill "$stopper"
  wait "$pid"
}

# sampled: the counts of the counters in the lines of events, if each value comes
# after the one before
sampled() {
  awk -F '  +' '
    $4 == "counter" && $5 ~ /^c[0-9]$/ {
      if ($6 != next_value[$5] + 0) print $5, $6, "after", next_value[$5]
      next_value[$5] = $6 + 1
    }
    END { for (c in next_value) print c, next_value[c] }' | sort
}

# follow: whether record, events -f and stat -i have mapped the ring file of the
# present session: those of earlier sessions are deleted.
follow() {
  for reader in "$recorder" "$follower" "$statistics"; do
    grep -q "/$pid.eventring\$" "/proc/$reader/maps" || return 1
  done
}

outside() {
  fresh
  begin_program 2
  "$EVENTRING_BIN" record "$pid.eventring" -o all.evr >recorded 2>&1 &
  recorder=$!
  started="$started $recorder"
  within 60 [ -s all.evr ]
  "$EVENTRING_BIN" events -f "$pid" >followed 2>said &
  follower=$!
  "$EVENTRING_BIN" stat --json -i 1000h "$pid" >stat.json 2>>said &
  statistics=$!
  started="$started $follower $statistics"
  within 60 [ -s followed ]
  ok "$mode: all read the first session" within 60 follow
  run eventring resize "$pid" 1M
  ok "$mode: resize prints the new size" \
    eval 'exits 0 && out_has ": a new session with rings of 1.00 MiB\$"'
  ok "$mode: the file under the same name has the size" has_words 131072
  ok "$mode: nothing else is left beside it" [ "$(ring)" = "$pid.eventring" ]
  run eventring resize "$pid" 1000000
  ok "$mode: the size is the next power of two" \
    eval 'exits 0 && out_has ": had already rings of 1.00 MiB\$"'
  ok "$mode: all read the second session" within 60 follow
  run eventring resize --json "$pid.eventring" 4M
  ok "$mode: resize --json prints the size" \
    eval 'exits 0 && [ "$(jq .ring_bytes "$tmp/out")" = 4194304 ]'
  ok "$mode: all read the third session" within 60 follow
  run eventring resize -q "$pid" 2M
  ok "$mode: resize --quiet prints nothing" eval 'exits 0 && silent'
  ok "$mode: all read the fourth session" within 60 follow
  end_program
  wait "$recorder"
  recorder_status=$?
  ok "$mode: record goes on with each session" \
    [ "$recorder_status $(ls -- *.evr | wc -l)" = "0 4" ]
  ok "$mode: nothing is lost" grep -q ' 0 lost' recorded
  # shellcheck disable=SC2046
  for file in all.evr $(ls -v -- all?*.evr); do
    eventring events "$file"
  done | sampled >read
  ok "$mode: the recordings have each event once, in order" diff counts read
  wait "$follower"
  followed=$?
  wait "$statistics"
  ok "$mode: events -f and stat -i end with the process" \
    [ "$followed $?" = "0 0" ]
  sampled <followed >read
  ok "$mode: events -f has each event once, in order" diff counts read
  ok "$mode: stat -i has as many events, with those that it has lost" [ \
    "$(jq -s '.[-1] | .total.events + .lost_events' stat.json)" = \
    "$(wc -l <followed)" ]
  ok "$mode: both say nothing" [ ! -s said ]
  for file in *.evr; do
    run eventring check "$file"
    ok "$mode: $file is whole" exits 0
  done
  ok "$mode: the stop has its reason" eval \
    'eventring events all.2.evr | grep -q "stop_the_world.*reason=session cause=ring_size"'
  ok "$mode: the program says nothing" [ ! -s errors ]
}
both outside

# Sizes that cannot be had.
failing() {
  fresh
  begin_program 1
  for size in 0 4095 9G 1X -1 ''; do
    run eventring resize "$pid" "$size"
    ok "$mode: '$size' is refused" exits 2
  done
  run eventring resize "$pid"
  ok "$mode: without a size: refused" refused 2 'resize: missing size'
  eventring pause -q "$pid"
  run eventring resize "$pid" 64K
  ok "$mode: a paused process is refused" refused 3 'is paused'
  eventring resume -q "$pid"
  # Sizes that no ring has, written to the file.
  for byte in '\010' '\100' '\370'; do
    printf "$byte" |
      dd of="$pid.eventring" bs=1 seek=515 conv=notrunc 2>/dev/null
    ok "$mode: hostile bits $byte are cleared" within 60 no_request
  done
  ok "$mode: and change nothing" has_words 262144
  # No place for the new file.
  mkdir "$pid.eventring.next"
  run eventring resize "$pid" 64K
  ok "$mode: no place for the new file: refused" refused 3 'keeps its rings'
  ok "$mode: the program says why, in a line" eval \
    '[ "$(wc -l <errors)" = 1 ] && grep -q "cannot create .*262144 words" errors'
  ok "$mode: the rings are the old ones" has_words 262144
  rmdir "$pid.eventring.next"
  # The rest of a change during which the process was killed.
  echo rest >"$pid.eventring.next"
  run eventring resize "$pid" 64K
  ok "$mode: the rest of an attempt does no harm" \
    eval 'exits 0 && has_words 8192 && [ "$(ring)" = "$pid.eventring" ]'
  kill -STOP "$pid"
  run eventring resize --wait 200ms "$pid" 1M
  ok "$mode: a stopped process: refused after the time of --wait" \
    refused 3 'no safe point within 200'
  ok "$mode: the request is withdrawn" no_request
  kill -CONT "$pid"
  end_program
  run eventring resize "$pid" 1M
  ok "$mode: an ended process is refused" refused 3 ''
}
both failing

# A change that fails does not set the size of later sessions.
later() {
  fresh
  begin_program 1 later
  mkdir "$pid.eventring.next"
  run eventring resize "$pid" 64K
  ok "$mode: a change from outside fails" refused 3 'keeps its rings'
  rmdir "$pid.eventring.next"
  end_program
  ok "$mode: and a later session has the old size" \
    grep -qx 'later 262144' counts
}
both later

# Less address space than such rings need.
limited() {
  fresh
  mkfifo stop
  sleep 300 >stop &
  started="$started $!" stopper=$!
  (
    ulimit -v 700000
    exec env OCAML_EVENTRING_START=1 OCAMLRUNPARAM=d=16,s=4k,e=12 \
      "$tmp/resize.$mode" emit 1 <stop >counts 2>errors
  ) &
  pid=$!
  started="$started $pid"
  if ! within 10 [ -s "$pid.eventring" ]; then
    skip "$mode: no address space" "the program does not start with so little"
    kill "$stopper"; wait "$pid"
    return
  fi
  run eventring resize "$pid" 32M
  ok "$mode: no address space: refused" refused 3 'keeps its rings'
  ok "$mode: no address space: the program says so in a line" eval \
    '[ "$(wc -l <errors)" = 1 ] && grep -q "4096 words" errors'
  ok "$mode: no address space: the old rings go on" has_words 4096
  ok "$mode: no address space: one file is left" [ "$(ring)" = "$pid.eventring" ]
  run eventring check "$pid"
  ok "$mode: no address space: the trace is right" exits 0
  end_program
}
both limited

# A disk that has no room for the new rings.  The old ones may have to grow, too, of
# which another line tells.
disk=$tmp/disk
sampling() { eventring events "$disk/$pid.eventring" 2>/dev/null | grep -q c0; }
clean_up_disk() { umount "$disk" 2>/dev/null; clean_up; }
trap clean_up_disk EXIT
full() {
  mkdir -p "$disk"
  umount "$disk" 2>/dev/null
  if ! mount -t tmpfs -o size=4m eventring-test "$disk" 2>/dev/null; then
    skip "$mode: a full disk" "cannot mount a small disk"
    return
  fi
  fresh
  mkfifo stop
  sleep 300 >stop &
  started="$started $!" stopper=$!
  env OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX="$disk" \
    OCAMLRUNPARAM=e=12 "$tmp/resize.$mode" emit 1 <stop >counts 2>errors &
  pid=$!
  started="$started $pid"
  within 60 sampling
  head -c 8000000 /dev/zero >"$disk/filler" 2>/dev/null
  run eventring resize "$disk/$pid.eventring" 1M
  ok "$mode: a full disk: refused" refused 3 'keeps its rings'
  grep -v 'for the ring of a domain.*No space left' errors >lines
  ok "$mode: a full disk: a line says so" eval \
    '[ "$(wc -l <lines)" = 1 ] && grep -q "No space left.*4096 words" lines'
  ok "$mode: a full disk: one file is left" \
    [ "$(cd "$disk" && ring)" = "$pid.eventring" ]
  run eventring check "$disk/$pid.eventring"
  ok "$mode: a full disk: the old rings go on" exits 0
  end_program
  umount "$disk"
}
both full
finish
