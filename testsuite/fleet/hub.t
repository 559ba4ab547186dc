#!/bin/sh
# The protocol of the hub, by clients that follow it and clients that do not.
# Needs no OCaml.
. "$(dirname "$0")/hub.sh"

run eventring hub --listen 127.0.0.1:0 --store "$tmp/store" --max-age never
ok "a wrong age is refused" refused 2 'not a time'
run eventring hub --store "$tmp/store" --max-bytes none
ok "a wrong size is refused" refused 2 'not a size'
run eventring hub --store "$tmp/store" extra
ok "an argument is refused" refused 2 "unexpected argument 'extra'"
run eventring hub --store "$tmp/store" --listen nowhere
ok "a wrong address is refused" refused 2 'not an ADDRESS:PORT'
for address in 127.0.0.1:99999 :7417 127.0.0.1:0@0 '127.0.0.1:0#0'; do
  run eventring hub --store "$tmp/store" --listen "$address"
  ok "the address $address is refused" refused 2 'not an ADDRESS:PORT'
done
run eventring hub --store "$tmp/store" --listen 127.0.0.1:0 --new-token
ok "a store without a hub has no tokens" refused 3 'no hub has used'
run eventring hub --store "$tmp/store" --forget one
ok "and no nodes" refused 3 'no hub has used'
ok "nothing of these makes a store" [ ! -e store ]
mkdir store
run eventring hub --store "$tmp/store" --new-token
ok "an empty folder has no tokens" refused 3 'no hub has used'
ok "and stays empty" [ -z "$(ls -A store)" ]
: >file
run eventring hub --store "$tmp/file" --listen 127.0.0.1:0
ok "a file is no store" refused 3 'Not a directory'
rm -r store

ok "a hub starts and prints two lines" start_hub
ok "and nothing else" eval '[ "$(wc -l <hub.out)" = 2 ] && ! [ -s hub.err ]'
ok "the fingerprint is the SHA-256 of its public key" \
  [ "$fingerprint" = "$(sha256sum key.der | cut -d ' ' -f 1)" ]
ok "its store is for the user only" \
  [ -z "$(find store ! -perm 600 ! -perm 700)" ]
run eventring hub --listen 127.0.0.1:0 --store "$tmp/store"
ok "a second hub with the store is refused" refused 3 'another hub uses'

# Joining

new_key one
new_key two
new_key three
ok "a wrong token is refused" \
  join one 00000000000000000000000000000000 403
ok "an empty token is refused" eval 'token=; join one "" 403'
token=$(token_of "$join")
cp one.pub '..'.pub; cp one.pub .hidden.pub
for name in .hidden 'a b' '' "$(printf '%065d' 0)" 'ä' 'x;y'; do
  jq -n --arg node "$name" --arg token "$token" --rawfile key one.pub \
    '{token: $token, node: $node, public_key: $key}' >body
  ok "the name '$name' is refused" answers 400 -d @body "$base/fleet/join"
done
jq -n --arg token "$token" --rawfile key one.pub \
  '{token: $token, node: "../one", public_key: $key}' >body
ok "a name with a path is refused" answers 400 -d @body "$base/fleet/join"
jq -n --arg token "$token" '{token: $token, node: "one", public_key: "x"}' >body
ok "a key that is none is refused" answers 400 -d @body "$base/fleet/join"
openssl genrsa -out weak.key 1024 2>/dev/null
openssl rsa -in weak.key -pubout -out weak.pub 2>/dev/null
ok "a weak key is refused" join weak "$token" 400
for body in '' x '[]' '{}' '{"token": 1, "node": [], "public_key": null}' \
            '{"token": "a", "token": "b"}'; do
  ok "the body '$body' is refused" answers 400 -d "$body" "$base/fleet/join"
done
head -c 9000 /dev/zero | tr '\0' ' ' >large
ok "a large body is refused" answers 413 -d @large "$base/fleet/join"
ok "an agent joins, after all these" join one
ok "its certificate is signed by the hub and has its name" eval \
  'openssl verify -CAfile store/hub/certificate.pem one.crt &&
   openssl x509 -in one.crt -noout -subject | grep -q "CN = one$"'
ok "the token cannot be used again" join two "$token" 403
run eventring hub --store "$tmp/store" --new-token
second=$(token_of "$(cat out)")
ok "--new-token prints the line with another token" eval \
  'exits 0 && out_has "^join:  eventring agent $base#" &&
   [ "$second" != "$token" ]'
cp two.pub one.pub.other
cp one.pub one.pub.kept
cp two.pub one.pub
ok "a name that is taken is refused" eval \
  'join one "$second" 409 && has ".error | contains(\"taken\")"'
cp one.pub.kept one.pub
ok "and the token can still be used" join two "$second"
third=$(token_of "$(eventring hub --store "$tmp/store" --new-token)")
ok "the same key may join again" join one "$third"
third=$(token_of "$(eventring hub --store "$tmp/store" --new-token)")
touch -d '2 days ago' store/hub/tokens/*
ok "a token of two days ago is refused" join three "$third" 403

# Certificates

printf 'abcdef' >bytes
ok "a part needs a certificate" answers 403 -T bytes \
  "$base/fleet/parts/s-1/1?offset=0"
ok "a report needs a certificate" answers 403 -d '{}' "$base/fleet/report"
openssl req -new -x509 -key three.key -subj '/CN=eventring hub' -days 9 \
  -out foreign.pem
sign() {    # sign CA KEY DAYS
  openssl req -new -key three.key -subj /CN=one -out request.pem &&
    openssl x509 -req -in request.pem -CA "$1" -CAkey "$2" -CAcreateserial \
      -days "$3" -out three.crt 2>/dev/null
}
sign foreign.pem three.key 9
ok "a certificate of another authority is refused" \
  put 403 three 's-1/1?offset=0' bytes
sign store/hub/certificate.pem store/hub/key.pem -1
ok "a certificate that has expired is refused" eval \
  'put 403 three "s-1/1?offset=0" bytes && has ".error | contains(\"expired\")"'
sign store/hub/certificate.pem store/hub/key.pem 9
ok "a certificate with the name of another key is refused" eval \
  'put 403 three "s-1/1?offset=0" bytes && has ".error | contains(\"joined\")"'
ok "nothing of these is stored" [ ! -e store/nodes/one/s-1 ]

# Parts

stored() { [ "$(cat "store/nodes/$1.evr")" = "$2" ]; }
ok "a part is stored" eval 'put 200 one "s-1/1?offset=0" bytes &&
  has ".size == 6" && stored one/s-1/1 abcdef'
ok "the same again changes nothing" eval 'put 200 one "s-1/1?offset=0" bytes &&
  has ".size == 6" && stored one/s-1/1 abcdef'
printf 'efgh' >more
ok "bytes that overlap are added once" eval \
  'put 200 one "s-1/1?offset=4" more && has ".size == 8" &&
   stored one/s-1/1 abcdefgh'
ok "bytes behind a gap are refused, with the size" eval \
  'put 409 one "s-1/1?offset=9" more && has ".size == 8 and .differs == null"'
ok "bytes that differ are refused" eval \
  'put 409 one "s-1/1?offset=2" more && has ".differs"'
ok "and kept apart" eval 'stored one/s-1/1 abcdefgh &&
  [ "$(cat store/nodes/one/s-1/1.differs)" = efgh ]'
ok "a part that does not exist begins at 0" eval \
  'put 409 one "s-1/2?offset=4" more && has ".size == 0"'
ok "and is not made" [ ! -e store/nodes/one/s-1/2.evr ]
: >none
ok "an end without bytes completes a part" \
  put 200 one 's-1/1?offset=8&last=1' none
ok "a complete part is read-only" [ "$(stat -c %a store/nodes/one/s-1/1.evr)" = 400 ]
ok "the same bytes are still confirmed" eval \
  'put 200 one "s-1/1?offset=4&last=1" more && has ".size == 8"'
ok "it takes no more" eval \
  'put 409 one "s-1/1?offset=8" more && has ".ended and .size == 8"'
ok "another node has parts of its own" eval \
  'put 200 two "s-1/1?offset=0" more && stored two/s-1/1 efgh &&
   stored one/s-1/1 abcdefgh'
for path in '../two/s-1/1' '..%2f..%2fx/1' '%2e%2e/1' 's_1/1' 'S/1' '/1' 's-1' \
            's-1/' 's-1/0' 's-1/01' 's-1/x' 's-1/1.evr' 's-1/1/2' 's-1/-1' \
            's-1/1000000000' "$(printf '%0129d' 0)/1" 'a%00b/1' 'a%0ab/1'; do
  ok "the part $path is refused" eval \
    'put 400 one "$path?offset=0" bytes --path-as-is ||
     put 404 one "$path?offset=0" bytes'
done
answers_raw() { answers "$@" --path-as-is; }
ok "a path with .. is refused" answers_raw 400 --cert one.crt --key one.key \
  -T bytes "$base/fleet/parts/../parts/s-1/1?offset=0"
for query in '' '?offset=' '?offset=-1' '?offset=x' '?offset=1e3' \
             '?offset=99999999999999999999'; do
  ok "the part with '$query' is refused" put 400 one "s-1/3$query" bytes
done
head -c 1048577 /dev/zero >large
ok "more than 1 MiB is refused" put 413 one 's-1/3?offset=0' large
head -c 1048576 /dev/zero >large
ok "1 MiB is taken" eval \
  'put 200 one "s-1/3?offset=0" large && has ".size == 1048576"'
ok "a body of unknown length is refused" answers 411 --cert one.crt \
  --key one.key -H 'Transfer-Encoding: chunked' -T bytes \
  "$base/fleet/parts/s-1/4?offset=0"
mkdir elsewhere
ln -s "$tmp/elsewhere" store/nodes/one/link
ln -s "$tmp/elsewhere/file" store/nodes/one/s-1/9.evr
put 200 one 'link/1?offset=0' bytes >/dev/null
put 200 one 's-1/9?offset=0' bytes >/dev/null
ok "no link is followed" [ -z "$(ls elsewhere)" ]
rm store/nodes/one/link store/nodes/one/s-1/9.evr

# Many clients at once

send_at_once() {
  command curl -s -m 30 -k --pinnedpubkey "$pin" -o "answer.$1.$2" --cert one.crt \
    --key one.key -T large "$base/fleet/parts/c-$1/1?offset=0&last=1" &
  clients="$clients $!"
}
clients=
for i in 1 2 3 4 5 6 7 8 9 10; do
  send_at_once $i 1
  send_at_once 0 $i
done
wait $clients
all_there() {
  for i in 0 1 2 3 4 5 6 7 8 9 10; do
    cmp large "store/nodes/one/c-$i/1.evr" || return 1
  done
  [ "$(cat answer.*.* | grep -o '{"size":1048576}' | wc -l)" = 20 ]
}
ok "parts from 20 clients at once are stored, ten of them the same" all_there
rm -r store/nodes/one/c-*
if command -v perl >/dev/null; then
  perl -MIO::Socket::INET -e 'my @s = map { IO::Socket::INET->new($ARGV[0]) or
    die } 1 .. 100; print "open\n"; $| = 1; print "\n"; sleep 20' \
    "${base#https://}" >sockets &
  sockets=$!
  started="$started $sockets"
  within 60 grep -q open sockets
  ok "100 connections that say nothing keep nobody waiting" answers 200 -m 2 \
    -H "Authorization: Bearer $reader" "$base/fleet/nodes"
  kill "$sockets"
else
  skip "100 connections that say nothing keep nobody waiting" "no perl"
fi

# Reports

cat >one.report <<'END'
{"version": "1", "boot_id": "b", "monotonic_ns": 5, "realtime_ns": 6,
 "clock": {"offset_ns": -7, "bound_ns": 8, "more": 9},
 "dropped": {"parts": 1, "bytes": 2}, "unknown": {},
 "streams": [{"stream": "s-1", "pid": 42, "program": "/bin/x", "state": "running",
    "events": 10, "lost": 1, "parts_dropped": 1},
  {"stream": "s-2", "pid": "x", "state": 5}]}
END
ok "a report gets the clocks of the hub" eval 'report 200 one @one.report &&
  has ".monotonic_ns > 0 and .realtime_ns > 0 and (.boot_id | length) == 36"'
for body in '' x '[]' '{}' '{"streams": 1}' '{"streams": [1]}' \
            '{"streams": [{"stream": "../x"}]}' '{"streams": [], "streams": []}'
do
  ok "the report '$body' is refused" report 400 one "$body"
done
seq -f '[[[[[[[[%g' 1 20000 | tr '\n' '[' >deep
ok "a report that nests deeply is refused" report 400 one @deep

# Readers

ok "a reader needs a token" answers 401 "$base/fleet/nodes"
ok "a token of an agent is none of a reader" answers 401 \
  -H "Authorization: Bearer $second" "$base/fleet/nodes"
ok "a certificate of an agent is no token" answers 401 --cert one.crt \
  --key one.key "$base/fleet/processes"
ok "the nodes are listed" eval 'got 200 nodes &&
  has "[.nodes[] | .node] | sort == [\"one\", \"two\"]" &&
  has ".nodes[] | select(.node == \"one\") | .joined and .dropped.parts == 1
       and .clock == {offset_ns: -7, bound_ns: 8} and .unknown == null"'
# A node is silent 10 s after its report.
listed() {
  report 200 one @one.report && got 200 processes &&
    has '[.processes[] | select(.node == "one")] | sort_by(.stream) |
      map([.stream, .pid, .state, .events, .parts]) ==
        [["s-1", 42, "running", 10, 2], ["s-2", null, "unknown", null, null]]'
}
ok "the processes are listed, with the facts that are valid" within 60 listed
printed() {
  report 200 one @one.report && run eventring ps --hub "$read" && exits 0 &&
    out_has '^one  *42  *running  */bin/x  *10  *1  *[0-9]*s  *s-1$'
}
ok "ps --hub prints them" within 60 printed
run env EVENTRING_HUB="$read" "$EVENTRING_BIN" ps --json
ok "ps with EVENTRING_HUB prints JSON" \
  eval 'jq -e ".processes | length == 3" out'
run eventring ps --hub "$read" --pids
ok "ps --hub --pids is refused" refused 2 'excludes'
run eventring ps --hub "${read%@*}"
ok "an address without a fingerprint is refused" refused 2 'fingerprint'
run eventring ps --hub "$base@$fingerprint"
ok "an address without a token is refused" refused 2 'without the token'
run eventring ps --hub "$base#$reader@$(echo "$fingerprint" | tr 0-9a-f a-f0-9)"
ok "a hub with another key gets no request" refused 3 'is not the hub'
run eventring ps --hub "$join"
ok "the token of an agent is refused" refused 3 'token of readers'
run eventring events --hub "$read" one/42
ok "parts that are no recording are refused" refused 3 'no recording one/s-1'
run eventring events --hub "$read" one/43
ok "a process that does not exist is refused" refused 3 'no events of process 43'
run eventring events --hub "$read" 42
ok "a process without a node is refused" refused 2 'NODE/PID'
run eventring events --hub "$read" ../x/42
ok "a path is refused" refused 2 'NODE/PID'
run eventring events --hub "$read"
ok "without a process, the command says how to find one" refused 2 'missing process'
for path in recordings/one recordings/../s-1 recordings/one/../s-1 \
            recordings/.one/s-1 recordings/one/S recordings//s-1; do
  ok "the path $path is refused" answers_raw 400 \
    -H "Authorization: Bearer $reader" "$base/fleet/$path"
done
ok "an unknown path is refused" got 404 secrets
ok "another method is refused" answers 405 -X DELETE "$base/fleet/nodes"

# Reports in turn

# report_one STREAM EVENTS TURN [BOOT]: a report of two with one stream of TURN
report_one() {
  report 200 two "{\"boot_id\": \"${4:-b}\", \"reports_in_turn\": $3,
    \"streams\": [{\"stream\": \"$1\", \"pid\": 7, \"state\": \"running\",
      \"events\": $2}]}"
}
# turn_has EVENTS1 EVENTS2: both streams run, with these events
turn_has() {
  got 200 processes && has "[.processes[] | select(.stream[:2] == \"m-\")] |
    sort_by(.stream) | map([.state, .events]) ==
      [[\"running\", $1], [\"running\", $2]]"
}
only() {
  got 200 processes &&
    has "[.processes[] | .stream | select(.[:2] == \"m-\")] == [\"$1\"]"
}
report_one m-1 10 2
report_one m-2 20 2
ok "a stream of the report before still runs" turn_has 10 20
report_one m-1 30 2
ok "numbers are of the newest report" turn_has 30 20
i=0
while [ $((i += 1)) -lt 12 ]; do report_one m-1 $i 2; done
ok "a stream is kept for a turn and some reports more" turn_has 11 20
report_one m-1 40 2
ok "and no longer" only m-1
report_one m-2 50 1
ok "an agent that reports all at once has no other stream" only m-2
report_one m-1 60 2 c
ok "nothing is kept of another boot" only m-1
report_one m-1 70 9223372036854775807
report_one m-2 80 9223372036854775807
ok "a turn of any length is taken" turn_has 70 80
many_streams() {
  jq -n -c --arg from "$1" '{boot_id: "b", reports_in_turn: 99, streams:
    [range(0; 9000) | {stream: "m-\($from)-\(.)", state: "running"}]}'
}
for i in 1 2 3 4; do many_streams $i >many.$i; done
ok "the streams that are kept are at most 20000" eval \
  'for i in 1 2 3 4; do report 200 two @many.$i || exit 1; done
   got 200 processes && has "[.processes[] | select(.node == \"two\")] |
     length > 19000 and length < 20010"'
report 200 two '{"streams": []}'

# Restart and forgetting

before=$(cd store/nodes && find . -type f ! -name '*.json' -exec sha256sum {} + |
         sort)
old=$base
end_hub
ok "SIGTERM ends the hub, which prints totals" \
  eval 'exits 0 && grep -q "agents joined" hub.err'
start_hub
ok "a restart keeps the parts" [ "$before" = "$(cd store/nodes && find . -type f \
  ! -name '*.json' -exec sha256sum {} + | sort)" ]
ok "and the key and the token of readers" eval \
  '[ "$read" = "$base#$reader@$fingerprint" ] && got 200 nodes'
ok "an agent goes on after a restart" eval \
  'put 200 one "s-1/3?offset=1048576" bytes && has ".size == 1048582"'
kill -KILL "$hub"
start_hub
ok "and after the hub was killed" eval \
  'put 200 one "s-1/3?offset=1048582&last=1" bytes &&
        has ".size == 1048588"'
run eventring hub --store "$tmp/store" --forget nobody
ok "a name that is free cannot be forgotten" refused 3 'no agent has this name'
run eventring hub --store "$tmp/store" --forget ../one
ok "a path cannot be forgotten" refused 3 'not the name of a node'
run eventring hub --store "$tmp/store" --forget one
ok "a node is forgotten" eval 'exits 0 && silent'
ok "its agent is refused" put 403 one 's-1/4?offset=0' bytes
cp three.pub one.pub
ok "and another agent gets the name" join one
end_hub

# Retention

cp one.pub.kept one.pub
start_hub --max-bytes 1M
third=$(token_of "$(eventring hub --store "$tmp/store" --new-token)")
new_key four
ok "an agent joins a hub with a limit" join four
gone() { [ ! -e store/nodes/one/s-1 ]; }
ok "complete parts beyond the limit go, and the folder of their stream" \
  within 60 gone
ok "an incomplete part stays" [ -e store/nodes/two/s-1/1.evr ]
head -c 300000 /dev/urandom >large
for i in 1 2 3 4 5; do within 60 put 200 four "t-1/$i?offset=0&last=1" large
done >/dev/null
ok "a full store removes its oldest complete parts" eval \
  '[ ! -e store/nodes/four/t-1/1.evr ] && [ -e store/nodes/four/t-1/5.evr ] ||
   { ls -l store/nodes/*/*; false; }'
ok "and stays below its limit" eval \
  '[ "$(find store/nodes -name "*.evr" -printf "%s\n" |
        awk "{ s += \$1 } END { print s + 0 }")" -lt 1048576 ]'
rm -rf store/nodes/*/[st]-*
end_hub
start_hub --max-bytes 400K
put 200 four 'u-1/1?offset=0' large >/dev/null
sleep 1.1
ok "incomplete parts stay: the store is full" eval \
  'put 507 four "v-1/1?offset=0" large && has ".error | contains(\"limit\")"'
end_hub
start_hub --max-age 2s
ok "parts that are too old go" within 60 [ ! -e store/nodes/four/u-1 ]
end_hub

# A part that goes gives back all the space that the store had counted for it.
start_hub --max-bytes 200K
echo x >small
for i in $(seq 1 26); do
  within 60 put 200 four "w-1/$i?offset=0&last=1" small
done >/dev/null
ok "a store full of small parts keeps most of them" \
  [ "$(find store/nodes/four/w-1 -name '*.evr' | wc -l)" -ge 20 ]
end_hub
rm -rf store/nodes/four/w-1

# A full disk

disk=$tmp/disk
mkdir disk
unmount() { umount "$disk" 2>/dev/null; clean_up; }
if mount -t tmpfs -o size=400k eventring-test "$disk" 2>/dev/null; then
  trap unmount EXIT
  store=$disk/store
  start_hub
  cat large large >larger
  new_key five
  ok "an agent joins with a small disk" join five
  ok "a part is stored on it" put 200 five 's-1/1?offset=0' bytes
  ok "a part for which it has no room is refused" \
    put 507 five 's-1/1?offset=6' larger
  ok "and leaves the confirmed bytes" cmp "$store/nodes/five/s-1/1.evr" bytes
  ok "the part goes on when there is room" eval \
    'put 200 five "s-1/1?offset=6" bytes && has ".size == 12"'
  ok "the hub says that the disk is full" grep -q 'No space left' hub.err
  head -c 500000 /dev/zero >"$disk/filler" 2>/dev/null
  ok "a report is refused when there is no room" report 507 five \
    "{\"streams\": [], \"version\": \"$(printf '%04000d' 0)\", \"boot_id\": \"$(
      printf '%04000d' 0)\"}"
  new_key six
  third=$(token_of "$(eventring hub --store "$store" --new-token)")
  ok "a node that cannot join for lack of room is not listed" eval \
    'join six "$third" 507 && got 200 nodes &&
     has "[.nodes[] | .node] == [\"five\"]"'
  rm "$disk/filler"
  ok "and joins with the same token when there is room" join six "$third"
  end_hub
  umount "$disk"
else
  skip "a full disk" "cannot mount a small disk"
fi

finish
