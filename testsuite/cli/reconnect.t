#!/bin/sh
# Receivers of streams connect again when their connection breaks, and go on
# where they stopped: no event comes twice, and all that are missing are counted.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile stream
. "$here/streams.sh"
grows() { [ "$(stat -c %s "$1")" -gt "$2" ]; }
more() { within 60 grows "$1" "$(stat -c %s "$1")"; }
aligned() { python3 "$here/aligned.py" "$@" >counts; }

run eventring events unix:none --reconnect=soon
ok "--reconnect needs a time" refused 2 'soon is not a time'

# A proxy breaks five connections in the middle.
begin_program
background whole "$EVENTRING_BIN" record "$pid" -o whole.evr
background server "$EVENTRING_BIN" record "$pid" -o "unix:$tmp/source"
within 60 [ -S source ]
python3 "$here/proxy.py" "$tmp/proxy" "$tmp/source" 5 60000 &
started="$started $!"
within 60 [ -S proxy ]
background again "$EVENTRING_BIN" events --raw --reconnect=30s "unix:$tmp/proxy"
background counted "$EVENTRING_BIN" stat --json --reconnect=30s \
  "unix:$tmp/proxy"
background once "$EVENTRING_BIN" events --raw "unix:$tmp/proxy"
breaks() {
  [ "$(cat again.err counted.err once.err | grep -c 'the connection broke')" \
    -ge 4 ] && [ -s once.status ]
}
ok "connections that break are made again" within 60 breaks
more again.out
end_program
for name in whole server again counted; do
  ok "$name: ends with 0" ends_with "$name" 0
done
ok "without --reconnect, a connection that breaks ends the command" \
  ends_with once 3
ok "each break is one line on standard error" \
  [ -z "$(grep -v 'the connection broke; connecting again' again.err)" ]
eventring events --raw whole.evr >whole.raw
ok "events: each event came once, over all connections" \
  aligned whole.raw again.out
ok "events: none are lost" grep -q '^[0-9]* 0$' counts
ok "stat: none are lost" [ "$(jq .lost_events counted.out)" = 0 ]

# A connection breaks before the first events; and a receiver sends its place in
# pieces, and much more after it.
rm -f proxy
begin_program
background server "$EVENTRING_BIN" record "$pid" -o "unix:$tmp/source"
within 60 [ -S source ]
for bytes in 500 3000; do
  python3 "$here/proxy.py" "$tmp/proxy$bytes" "$tmp/source" 1 $bytes &
  started="$started $!"
  within 60 [ -S "proxy$bytes" ]
  background "early$bytes" "$EVENTRING_BIN" events --raw --reconnect=30s \
    "unix:$tmp/proxy$bytes"
  ok "a connection that breaks after $bytes bytes is made again" \
    within 60 [ -s "early$bytes.out" ]
done
pieces() {
  python3 - source <<'END'
import socket, struct, sys, time
peer = socket.socket(socket.AF_UNIX)
peer.connect(sys.argv[1])
peer.send(b"Eventring place\n" + struct.pack("=II", 1152, 128) + bytes(400))
time.sleep(0.05)
try:
    peer.sendall(bytes(200000))
except OSError:
    pass
END
}
ok "a place in pieces is sent" pieces
more early500.out
end_program
for name in server early500 early3000; do
  ok "$name: ends with 0" ends_with "$name" 0
done

# The recorder is killed, and another one takes its place.
rm -f proxy
begin_program
background whole "$EVENTRING_BIN" record "$pid" -o whole2.evr
background server "$EVENTRING_BIN" record "$pid" -o "unix:$tmp/source"
within 60 [ -S source ]
background again "$EVENTRING_BIN" events --raw --reconnect=30s \
  "unix:$tmp/source"
within 60 [ -s again.out ]
kill -9 "$(cat server.pid)"
broke() { grep -q 'the connection broke' again.err; }
ok "a recorder that is killed breaks the connection" within 60 broke
background server "$EVENTRING_BIN" record "$pid" -o "unix:$tmp/source"
more again.out
end_program
for name in whole server again; do
  ok "$name: ends with 0" ends_with "$name" 0
done
eventring events --raw whole2.evr >whole.raw
ok "another recorder: each event came once or is counted as lost" \
  aligned whole.raw again.out

# Nobody sends there any more, or another process does.
begin_program
background server "$EVENTRING_BIN" record "$pid" -o "unix:$tmp/source"
within 60 [ -S source ]
background gone "$EVENTRING_BIN" events --raw --reconnect=1s "unix:$tmp/source"
background other "$EVENTRING_BIN" events --raw --reconnect=30s \
  "unix:$tmp/source"
within 60 [ -s gone.out ] && within 60 [ -s other.out ]
kill -9 "$(cat server.pid)"
ok "when the time of --reconnect is over, the command ends" ends_with gone 3
ok "the reason is said" grep -q 'cannot connect to unix:' gone.err
end_program
begin_program
background server "$EVENTRING_BIN" record "$pid" -o "unix:$tmp/source"
ok "the stream of another process is not taken for the same" ends_with other 3
end_program
ends_with server 0
finish
