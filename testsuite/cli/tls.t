#!/bin/sh
# Streams by TLS: record -o tls:HOST:PORT, and readers of its address.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile stream
export XDG_STATE_HOME="$tmp/state"
. "$here/streams.sh"
begin_program

background whole "$EVENTRING_BIN" record "$pid" -o whole.evr
background server "$EVENTRING_BIN" record "$pid" -o tls:127.0.0.1:0
ok "record prints the address of its port" within 60 has_address server
address=$(address server)
rest=${address#tls:127.0.0.1:}
port=${rest%%#*} token=${rest#*#} print=${rest#*@}
token=${token%@*}
ok "the address has a token and a fingerprint" \
  eval 'echo "$address" | grep -Eqx "tls:127.0.0.1:[0-9]+#[0-9a-f]{32}@[0-9a-f]{64}"'
ok "the key is for its owner only" \
  [ "$(stat -c %a state/eventring/stream/key.pem)" = 600 ]
background reader "$EVENTRING_BIN" events --raw "$address"
background other "$EVENTRING_BIN" stat --json "$address"
ok "a reader gets events" within 60 [ -s reader.out ]

other_print=$(echo "$print" | tr 0-9a-f 1-9a-f0)
run eventring events "tls:127.0.0.1:$port#$token@$other_print"
ok "a sender with another key is refused" refused 3 'has another key'
other_token=$(echo "$token" | tr 0-9a-f 1-9a-f0)
run eventring events "tls:127.0.0.1:$port#$other_token@$print"
ok "with another token, nothing is sent" refused 3 'ended without a recording'
run eventring events "tls:127.0.0.1:$port"
ok "an address without token and fingerprint is refused" \
  refused 3 'expected tls:HOST:PORT#TOKEN@FINGERPRINT'
run eventring events "tls:127.0.0.1:$port#$token"
ok "an address without fingerprint is refused" \
  refused 3 'expected tls:HOST:PORT#TOKEN@FINGERPRINT'
run timeout 30 "$EVENTRING_BIN" events "tcp:127.0.0.1:$port#$token"
ok "a client without TLS gets nothing" refused 3 'not a recording\|ended without'
run python3 - "$port" "$token" <<'PY'
import socket
import sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 30) as s:
    s.sendall(sys.argv[2].encode() + b"x" * 10000)
    got = b""
    try:
        while data := s.recv(65536):
            got += data
    except OSError:
        pass
    print(b"Eventring record" in got, len(got) < 100)
PY
ok "no event is sent without TLS" out_has '^False True$'
run eventring record "$pid" -o "tls:127.0.0.1:0#$token"
ok "record makes the token itself" refused 4 'makes the token itself'
run eventring record "$pid" -o tls:127.0.0.1
ok "tls: without a port is refused" refused 4 'expected tls:HOST:PORT'
run env -u XDG_STATE_HOME HOME= "$EVENTRING_BIN" record "$pid" \
  -o tls:127.0.0.1:0
ok "without a folder for the key, record says so" refused 4 'there is no HOME'
mkdir -p broken/eventring/stream
echo none >broken/eventring/stream/key.pem
run env XDG_STATE_HOME="$tmp/broken" "$EVENTRING_BIN" record "$pid" \
  -o tls:127.0.0.1:0
ok "a key that is none is said" refused 4 'key.pem'

# Many clients that do not shake hands keep out no reader for ever.
python3 - "$port" 2>idle.err <<'PY' &
import socket
import sys
import time
idle = [socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        for _ in range(70)]
time.sleep(60)
PY
started="$started $!"
background late "$EVENTRING_BIN" events --raw "$address"
ok "clients that say nothing are dropped, and a reader is served" \
  within 60 [ -s late.out ]
background second "$EVENTRING_BIN" record "$pid" -o tls:127.0.0.1:0
within 60 has_address second
ok "the key is the same at the next start" \
  eval 'case $(address second) in *@"$print") ;; *) false;; esac'
ok "the token is another one" \
  eval 'case $(address second) in *"#$token@"*) false;; esac'
end_program
for name in whole server second reader other late; do
  ok "$name: ends with 0" ends_with "$name" 0
done
eventring events --raw whole.evr >whole.raw
ok "a reader has each event from its connection on" \
  python3 "$here/aligned.py" whole.raw reader.out
ok "a reader has lost none" [ "$(jq .lost_events other.out)" = 0 ]
finish
