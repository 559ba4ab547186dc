# Read by tests of streams, after tap.sh: a traced program, ./stream, and commands
# in the background.

mkfifo stop

# begin_program: started, traced as $pid, until end_program, which sets $rounds.
begin_program() {
  sleep 300 >stop &
  started="$started $!" stopper=$!
  OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings \
    OCAML_EVENTRING_KEEP=1 ./stream <stop >rounds &
  pid=$!
  started="$started $pid"
  ring=$tmp/rings/$pid.eventring
  within 60 traced
}
end_program() {
  kill "$stopper"
  wait "$pid"
  rounds=$(cat rounds)
}
# background NAME COMMAND...: its output in NAME.out, its status in NAME.status,
# its process id in NAME.pid
background() {
  name=$1
  shift
  rm -f "$name.pid" "$name.status"
  ("$@" >"$name.out" 2>"$name.err" & echo $! >"$name.pid"; wait $!
   echo $? >"$name.status") &
  started="$started $!"
  within 60 [ -s "$name.pid" ]
  started="$started $(cat "$name.pid")"
}
ends_with() { within 60 [ -s "$1.status" ] && [ "$(cat "$1.status")" = "$2" ]; }
# connected N: at least N receivers are connected to the socket of $tmp/socket
connected() {
  [ "$(grep -c " 03 .*$tmp/socket\$" /proc/net/unix)" -ge "$1" ]
}
address() { sed -n 's/.* connect to //p' "$1.err" 2>/dev/null; }
has_address() { [ -n "$(address "$1")" ]; }
