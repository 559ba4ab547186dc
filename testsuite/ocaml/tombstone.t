#!/bin/sh
# Tombstones: a process without a reader could be forgotten, be counted
# wrongly or twice, or a tombstone do harm.
. "$(dirname "$0")/programs.sh"
build tombstone unix
build resize unix check.ml
export OCAML_EVENTRING_CATEGORIES=user

# ends_as HOW MARKS: the program in a fresh folder, its tombstones in graves/
ends_as() {
  fresh
  mkdir graves
  # shellcheck disable=SC2086
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_TOMBSTONES=graves $with \
    timeout 60 "$tmp/tombstone.$mode" "$2" "$1"
}
graves() { ls graves | wc -l; }
# The tombstones, in the order in which their sessions began.
told() {
  for file in $(ls graves | sort -t - -k 3); do
    eventring check "graves/$file"
  done | sed "s/^[0-9]* [^ ]*: //"
}
tells() { told | diff - "$tmp/expected"; }
expect() { printf '%s\n' "$@" >"$tmp/expected"; }

ways() {
  ends_as end 1000
  expect 'ended, wrote 1000 events (ring 0: 1000)'
  ok "$mode: the end: the number of events" tells
  ok "$mode: the end: the ring file is gone" [ "$(ls)" = graves ]
  ok "$mode: the tombstone is for its user alone" \
    [ "$(stat -c %a graves/*)" = 600 ]
  ok "$mode: it is small" [ "$(stat -c %s graves/*)" -lt 20000 ]
  eventring check --json graves/* >json
  ok "$mode: --json prints the identity" eval "jq -e '.right and
    (.processes[0] | .events == 1000 and .boot_id == \"$(
      cat /proc/sys/kernel/random/boot_id)\" and .start_time > 0 and
      .pid_namespace > 0 and .rings == [{ring: 0, events: 1000}])' json"
  ends_as domain 100
  expect 'ended, wrote 300 events (ring 0: 100, ring 1: 200)'
  ok "$mode: two domains: the number of each ring" tells
  ends_as fork 10
  expect 'ended, wrote 10 events (ring 0: 10)' \
    'ended, wrote 3 events (ring 0: 3)'
  ok "$mode: a forked child leaves its own" tells
  ends_as exec 10
  expect 'replaced, wrote 10 events (ring 0: 10)' \
    'ended, wrote 11 events (ring 0: 11)'
  ok "$mode: exec: one for each program" tells
  ends_as sessions 10
  expect 'ended, wrote 10 events (ring 0: 10)' \
    'ended, wrote 11 events (ring 0: 11)' \
    'ended, wrote 12 events (ring 0: 12)'
  ok "$mode: one for each session, also with rings of another size" tells
  ends_as chdir 10
  ok "$mode: a relative DIR is of the start of the program" [ "$(graves)" = 1 ]
  ends_as kill 10
  ok "$mode: killed: the ring file is there, and no tombstone" \
    eval '[ "$(graves)" = 0 ] && [ -n "$(ring)" ]'
  with=OCAML_EVENTRING_KEEP=1 ends_as end 10
  ok "$mode: a ring file that is kept leaves none" \
    eval '[ "$(graves)" = 0 ] && [ -n "$(ring)" ]'
  with=OCAML_EVENTRING_START=0 ends_as end 10
  ok "$mode: without tracing there is none" eval '[ "$(graves)" = 0 ] && no_line'
}
both ways

# Events that were overwritten count as well.
ends_as end 200000
expect 'ended, wrote 200000 events (ring 0: 200000)'
ok "$mode: more events than the ring holds: all are counted" tells

failing() {
  with=OCAML_EVENTRING_TOMBSTONES=$tmp/nowhere ends_as end 10
  ok "$mode: DIR is missing: one line, and the program ends as usual" \
    eval 'exits 0 && one_line tombstone "No such file"'
  with=OCAML_EVENTRING_TOMBSTONES=/dev/null ends_as end 10
  ok "$mode: DIR is no directory: one line" \
    eval 'exits 0 && one_line tombstone "Not a directory"'
  fresh
  mkdir graves
  (cd graves && seq -f '%g.tombstone' 4096 | xargs touch)
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_TOMBSTONES=graves \
    "$tmp/tombstone.$mode" 10 end
  ok "$mode: 4096 tombstones: one line, and no other is left" \
    eval 'exits 0 && one_line "has 4096 tombstones already" && [ "$(graves)" = 4096 ]'
  rm graves/7.tombstone
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_TOMBSTONES=graves \
    "$tmp/tombstone.$mode" 10 end
  ok "$mode: 4095: one more is left" \
    eval 'exits 0 && no_line && [ "$(graves)" = 4096 ]'
}
both failing

small() {
  mkdir -p "$tmp/disk"
  umount "$tmp/disk" 2>/dev/null
  mount -t tmpfs -o "size=$1" eventring-test "$tmp/disk" 2>/dev/null
}
clean_up_disk() { umount "$tmp/disk" 2>/dev/null; clean_up; }
trap clean_up_disk EXIT
if small 8k; then
  head -c 100000 /dev/zero >"$tmp/disk/filler" 2>/dev/null
  with=OCAML_EVENTRING_TOMBSTONES=$tmp/disk ends_as end 10
  ok "a full disk: one line" eval 'exits 0 && one_line tombstone "No space"'
  ok "a full disk: nothing is half written" [ "$(ls "$tmp/disk")" = filler ]
  umount "$tmp/disk"
else
  skip "a full disk" "cannot mount a small disk"
fi

# Tombstones that no process wrote.
ends_as end 10
good=$(ls graves/*)
damage() { cp "$good" bad.tombstone && "$@" bad.tombstone; }
poke() { printf "$1" | dd of="$3" bs=1 seek="$2" conv=notrunc 2>/dev/null; }
damage truncate -s 2000
run eventring check bad.tombstone
ok "a cut tombstone is a finding" refused 1 'truncated tombstone'
damage truncate -s 100
run eventring check bad.tombstone
ok "a very short one is none" refused 3 'is not a tombstone'
: >bad.tombstone
run eventring check bad.tombstone
ok "an empty file is none" refused 3 'is not a tombstone'
for place in 20 48 56 60 88 640; do
  damage poke '\377\377\377\377' $place
  run eventring check bad.tombstone
  ok "impossible numbers at $place are a finding" \
    refused 1 'impossible header'
done
damage poke '\002' 16
run eventring check bad.tombstone
ok "another major version is refused" refused 3 'of version 2'
damage poke '\377\377\377\377\377\377\377\377' 1296
run eventring check --json bad.tombstone
ok "an impossible number of events is a finding" \
  eval 'exits 1 && jq -e ".right == false" "$tmp/out"'
mkfifo pipe.tombstone
run timeout 10 "$EVENTRING_BIN" check pipe.tombstone
ok "a pipe is none" refused 3 'is not a tombstone'
run eventring check none.tombstone
ok "a missing file is refused" refused 3 'No such file'
run eventring events "$good"
ok "other commands refuse a tombstone as no ring file" exits 3
finish
