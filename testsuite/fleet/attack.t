#!/bin/sh
# A hub that is slow, killed or attacked, or has a wrong clock. Needs no OCaml.
# Only in make check-long: it waits for clients that are slow.
. "$(dirname "$0")/hub.sh"
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
${CC:-cc} -std=gnu11 -Wall -Wextra -shared -fPIC -o faults.so \
  "$here/hub_faults.c" || exit 1
HUB_CLOCKS=$tmp/clocks
HUB_STOP=$tmp/stop
export HUB_CLOCKS HUB_STOP
# clocks REALTIME MONOTONIC: seconds that the hub and its reader add
clocks() { echo "$1 $2" >"$HUB_CLOCKS.new" && mv "$HUB_CLOCKS.new" "$HUB_CLOCKS"; }
start_faulty() {
  LD_PRELOAD=$tmp/faults.so
  export LD_PRELOAD
  start_hub "$@"
  started_faulty=$?
  unset LD_PRELOAD
  return $started_faulty
}
make_ring right
eventring dump right.eventring -o part.evr 2>/dev/null
printf 'abcdef' >bytes
: >none

clocks 0 0
ok "a hub starts" start_faulty
new_key one
ok "an agent joins" join one
put 200 one 's-1/1?offset=0&last=1' part.evr

# A merge that takes long

: >stop
LD_PRELOAD=$tmp/faults.so eventring events --raw --hub "$read" one/s-1 \
  >slow.out 2>slow.err &
slow=$!
started="$started $slow"
ok "a reader has a recording made" within 60 [ -e stop.reached ]
ok "meanwhile the agent can send parts of that stream" \
  put 200 one 's-1/2?offset=0' part.evr -m 5
ok "and its parts can be removed" rm store/nodes/one/s-1/1.evr
# Longer than the hub waits for others, and more than once.
for seconds in 50 100 150; do
  clocks 0 $seconds
  sleep 1.5
done
rm stop
wait "$slow"
status=$?
ok "after 150 seconds the reader gets the recording, with what was there" eval \
  'exits 0 && [ -s slow.out ] && eventring events --raw part.evr >part.out &&
   cmp part.out slow.out && ! [ -s slow.err ]'
ok "nothing of the merge is left" [ -z "$(find store -name 'merge*')" ]
rm stop.reached
: >stop
for i in 1 2 3 4 5 6 7 8; do
  command curl -s -m 30 -k -o many.$i -w '%{http_code}\n' \
    -H "Authorization: Bearer $reader" "$base/fleet/recordings/one/s-1" \
    >many.$i.status &
  readers="$readers $!"
done
four() { [ "$(find store/hub -name 'merge-*' | wc -l)" -ge "$1" ]; }
within 60 four 4
ok "no more than 4 recordings are made at a time" eval '! within 1 four 5'
rm stop
wait $readers
ok "the other readers get theirs after that" \
  [ "$(cat many.*.status | sort | uniq -c | tr -s ' ')" = " 8 200" ]
: >stop
rm stop.reached
readers=
for i in 1 2 3 4 5 6 7 8; do
  command curl -s -m 30 -k -o many.$i -H "Authorization: Bearer $reader" \
    "$base/fleet/recordings/one/s-1" &
  readers="$readers $!"
done
merges() { [ -e stop.reached ] && [ "$(wc -l <stop.reached)" = "$1" ]; }
within 60 merges 4
# The waiting readers, and the end of the hub, cannot be seen from outside.
sleep 0.5
kill -TERM "$hub"
sleep 1
rm stop
wait "$hub"
status=$?
wait $readers
ok "a hub that is ended makes no other recordings" eval 'exits 0 && merges 4'
start_faulty
: >stop
rm stop.reached
command curl -s -m 30 -k -o many.1 -H "Authorization: Bearer $reader" \
  "$base/fleet/recordings/one/s-1" &
within 60 [ -e stop.reached ]
kill -KILL "$hub"
rm stop
start_faulty
ok "the rest of a merge goes when the hub was killed in it" \
  [ -z "$(find store -name 'merge*')" ]

# Clients that are no agents

attack() { name=$1; shift; python3 -B "$here/attack.py" "$name" "${base##*:}" "$@"; }
alive() { kill -0 "$hub" && got 200 nodes; }
ok "random bytes get no answer" eval 'attack garbage 5 200 && alive'
ok "requests that end early change nothing" eval \
  'attack half one 40 && alive && [ ! -e store/nodes/one/half-1 ]'
ok "a body of 4 GB is refused" attack length one 4294967296 413
ok "a body of 16 EB is refused" attack length one 18446744073709551615 413
ok "a length that is no number is refused" attack length one 0x10 400
idle() {
  attack idle one 700 >idle.out &
  attacker=$!
  sleep 4
  clocks 0 $((shift_now + 20))
  sleep 1
  clocks 0 $((shift_now + 40))
  wait "$attacker" || { cat idle.out; return 1; }
}
shift_now=150
ok "an agent gets in when 700 connections have been idle for 30 seconds" idle
for node in a b c d e f g h; do new_key $node; done
token=$(token_of "$(eventring hub --store "$store" --new-token)")
ok "of 8 agents that use a token at once, one joins" \
  attack join "$token" a b c d e f g h
ok "the names of the others are free" \
  [ "$(find store/nodes -path '*/[a-h]' | wc -l)" = 1 ]

# Agents that do not follow the protocol

ok "reports at once are kept whole" \
  attack reports one store/nodes/one/node.json
ok "parsed reports have a limit of memory" attack memory one "$hub" 400
head -c 50000 /dev/urandom >random
ok "bytes in random order and repeated make the part" eval \
  'attack reorder one random o-1 7 && cmp random store/nodes/one/o-1/1.evr'
ok "a node that is forgotten while its agent sends gets no more bytes" eval \
  'attack forget one "$EVENTRING_BIN" hub --store "$store" --forget one &&
   [ ! -e store/nodes/one/forget-1 ]'
token=$(token_of "$(eventring hub --store "$store" --new-token)")
ok "its agent can join again" join one

# The folders of streams, and their states

state() {
  report 200 one "{\"streams\": [{\"stream\": \"$1\", \"state\": \"$2\"}]}"
}
put 200 one 'k-1/1?offset=0' bytes
state k-1 ended
state k-1 running
report 200 one '{"streams": []}'
ok "a late report does not make a process run again" eval \
  'got 200 processes &&
   has ".processes[] | select(.stream == \"k-1\") | .state == \"ended\""'
mkdir store/nodes/one/k-2 store/nodes/one/k-3
echo '{"state": "ended"}' >store/nodes/one/k-2/stream.json
cp bytes store/nodes/one/k-2/1.differs
echo other >store/nodes/one/k-3/file
gone() { [ ! -e store/nodes/one/k-2 ]; }
ok "the folder of a stream without a part goes" within 60 gone
ok "other files stay" [ -e store/nodes/one/k-3/file ]
put 200 one 'k-1/1?offset=6&last=1' none
end_hub
start_faulty --max-bytes 1
state k-1 running
gone() { [ ! -e store/nodes/one/k-1 ]; }
ok "the folder of a process that runs goes with its last part" within 60 gone
ok "its state stays, by the report" eval 'got 200 processes &&
  has ".processes[] | select(.stream == \"k-1\") | .state == \"running\""'
end_hub
python3 - <<END
import os
os.makedirs("store/nodes/one/m-1")
for i in range(1, 20001):
    os.close(os.open(f"store/nodes/one/m-1/{i}.evr", os.O_CREAT, 0o400))
END
start_faulty --max-bytes 1M
few() { [ "$(ls store/nodes/one/m-1 2>/dev/null | wc -l)" -lt 200 ]; }
ok "20000 parts of a stream go within seconds" within 60 few
end_hub

mv store/hub/read.token kept.token
ln -s "$tmp/kept.token" store/hub/read.token
run timeout 5 "$EVENTRING_BIN" hub --listen 127.0.0.1:0 --store "$store"
ok "a token of readers that cannot be read is not replaced" eval \
  'refused 3 "cannot read .*read.token" && [ -L store/hub/read.token ]'
mv kept.token store/hub/read.token

# A clock that is wrong

clocks -100000000 0
start_faulty
ok "an agent goes on when the clock of the hub was set back by years" \
  put 200 one 'w-1/1?offset=0' bytes
ok "a node that reported later than now is silent" eval 'got 200 nodes &&
  has ".nodes[] | select(.node == \"one\") | .silent"'
end_hub
finish
