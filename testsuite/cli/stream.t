#!/bin/sh
# Recordings on the move: through pipes, commands and sockets.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile stream
cc -shared -fPIC -o longest_sleep.so "$here/longest_sleep.c" -ldl
. "$here/streams.sh"
spans_of() { jq '.spans[] | select(.name == "round") | .count' "$1"; }

# Through a pipe, and to a file.
begin_program
mkfifo pipe
background sent "$EVENTRING_BIN" record "$pid" -o -
background file "$EVENTRING_BIN" record "$pid" -o file.evr
background command "$EVENTRING_BIN" record "$pid" -o 'exec:cat >command.evr'
background server "$EVENTRING_BIN" record "$pid" -o "unix:$tmp/socket"
ok "a socket is made" within 60 [ -S socket ]
ok "the socket is for its owner only" [ "$(stat -c %a socket)" = 600 ]
background early "$EVENTRING_BIN" stat --json "unix:$tmp/socket"
background tcp "$EVENTRING_BIN" record "$pid" -o tcp:127.0.0.1:0
ok "record prints the address of its port" within 60 has_address tcp
address=$(address tcp)
background port "$EVENTRING_BIN" events --count "$address"
run eventring events "${address%#*}"
ok "without the token, a receiver is refused" refused 3 'without the token'
case $address in
  *00) other=${address%??}11 ;;
  *) other=${address%??}00 ;;
esac
run eventring events "$other"
ok "with another token, nothing is sent" refused 3 'ended without a recording'
run eventring record "$pid" -o tcp:192.0.2.1:4000
ok "an address of another machine is refused: nothing is encrypted" \
  refused 4 'not encrypted'
if can_be_nobody; then
  chmod 777 socket
  run as_nobody events "unix:$tmp/socket"
  ok "another user gets nothing, even if the mode allows it to connect" \
    refused 3 'ended without a recording'
  chmod 600 socket
else
  skip "another user gets nothing, even if the mode allows it" "not root"
fi
within 60 connected 1
sleep 0.3
background late "$EVENTRING_BIN" stat --json "unix:$tmp/socket"
background watched env LD_PRELOAD="$tmp/longest_sleep.so" \
  LONGEST_SLEEP="$tmp/longest" "$EVENTRING_BIN" events --count \
  "unix:$tmp/socket"
within 60 connected 3
sleep 0.3
end_program

for name in sent file command server early tcp port late watched; do
  ok "$name: ends with 0" ends_with "$name" 0
done
ok "the socket is removed" [ ! -e socket ]
run eventring check sent.out
ok "what standard output got is a whole recording" out_has 'balanced$'
run eventring check command.evr
ok "what the command got is a whole recording" out_has 'balanced$'
eventring events --raw file.evr >file.raw
ok "the file has all events" [ "$(grep -c . file.raw)" -gt "$rounds" ]
for name in sent.out command.evr; do
  eventring events --raw "$name" >other.raw
  ok "$name has the events of the file" cmp file.raw other.raw
done
# Times differ by the measurement of the clock, since a stream ends later.
ok "events - reads a recording from a pipe" \
  eval 'cut -f 2-5 file.raw >ticks; cat file.evr | eventring events --raw - |
   cut -f 2-5 | diff - ticks'
ok "a receiver never sleeps for longer than 10 ms" \
  eval '[ "$(cat longest)" -gt 0 ] && [ "$(cat longest)" -le 10000000 ]'
counts() { jq '.. | .count?, .events? | select(. != null)'; }
eventring stat --json file.evr | counts >file.counts
ok "stat - counts as stat of the file does" eval \
  'cat file.evr | eventring stat --json - | counts | diff file.counts -'
ok "a file has each span" \
  [ "$(eventring stat --json file.evr | spans_of /dev/stdin)" = "$rounds" ]
ok "an early receiver has more spans than a late one" \
  [ "$(spans_of early.out)" -gt "$(spans_of late.out)" ]
ok "a late receiver has spans, by their names" [ "$(spans_of late.out)" -gt 0 ]
ok "a late receiver has not those from before" \
  [ "$(spans_of late.out)" -lt "$rounds" ]
ok "what was before does not count as lost" \
  [ "$(jq .lost_events late.out)" = 0 ]
ok "the receiver of a port has spans" \
  eval 'grep -q "^ *[1-9][0-9]* .*round" port.out'

# A receiver that stops reading, while events come fast.
OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings \
  OCAML_EVENTRING_KEEP=1 \
  "$tmp/stream" <stop >rounds &
pid=$!
sleep 60 >stop &
started="$started $! $pid" stopper=$!
ring=$tmp/rings/$pid.eventring
within 60 traced
background server2 "$EVENTRING_BIN" record "$pid" -o "unix:$tmp/socket"
within 60 [ -S socket ]
"$EVENTRING_BIN" stat --json "unix:$tmp/socket" >slow.out 2>slow.err &
slow=$!
started="$started $slow"
within 60 connected 1
sleep 0.3
kill -STOP "$slow"
sleep 0.5
end_program
kill -CONT "$slow"
wait "$slow"
ok "a receiver that was stopped for a while goes on" \
  [ "$(spans_of slow.out)" -gt 0 ]
ok "the sender ends" ends_with server2 0

# Streams that are cut, damaged, or none.
half=$(($(stat -c %s sent.out) / 2))
head -c $half sent.out >cut.evr
run sh -c 'cat cut.evr | "$1" events -' sh "$EVENTRING_BIN"
ok "a cut stream: exit status 3" exits 3
ok "a cut stream: one line says where it ends" \
  err_has '^eventring: standard input: cut or damaged from byte [0-9]* on'
ok "a cut stream: the events before are read" out_has ' round'
{ head -c $half sent.out; yes damaged | head -c $half; } >damaged.evr
run sh -c 'cat damaged.evr | "$1" stat -' sh "$EVENTRING_BIN"
ok "a damaged stream: exit status 3" exits 3
run sh -c 'echo text | "$1" events -' sh "$EVENTRING_BIN"
ok "a text is no recording" refused 3 'standard input: not a recording'
run sh -c 'head -c 100000 /dev/zero | "$1" events -' sh "$EVENTRING_BIN"
ok "zeros are no recording" refused 3 'standard input: not a recording'
run sh -c ': | "$1" events -' sh "$EVENTRING_BIN"
ok "an empty input is said" refused 3 'ended without a recording'
run sh -c 'cat file.evr file.evr | "$1" events --count -' sh "$EVENTRING_BIN"
ok "a recording behind the first one is not left out in silence" exits 3
ok "one line says where the second recording begins" err_has \
  "cut or damaged from byte $(stat -c %s file.evr) on"
ok "the first recording is read" out_has ' round'
run sh -c 'cat file.evr | "$1" trace --format chrome -o trace.json - -' \
  sh "$EVENTRING_BIN"
ok "standard input cannot be read twice" refused 3 'only once'
cp file.evr input.evr
run sh -c '"$1" trace - --format chrome --force -o input.evr <input.evr' \
  sh "$EVENTRING_BIN"
ok "a file that is standard input is not overwritten" \
  refused 4 'input.evr is read'
ok "a file that is standard input keeps its content" cmp file.evr input.evr
for command in check "cut -o x.evr --from 1ms" "merge -o x.evr" "cat -o x.evr" \
  serve; do
  run sh -c 'cat file.evr | timeout 20 "$1" $2 -' sh "$EVENTRING_BIN" "$command"
  ok "${command%% *} reads files only" refused 3 '^eventring: -: a stream'
done
eventring cut file.evr --from 100ms --to 200ms -o bounds.evr
run sh -c 'cat bounds.evr | "$1" events --count -' sh "$EVENTRING_BIN"
ok "a stream of a cut recording is not read as a whole one in silence" exits 3
ok "a stream of a cut recording: one line" err_has 'cut or damaged from byte'
run eventring events tcp:127.0.0.1:4000
ok "a port of four digits is not the number of a process" \
  refused 3 'without the token'
run eventring events "unix:$tmp/none"
ok "a socket that does not exist is said" refused 3 'No such file'
run eventring pause -
ok "a stream cannot be controlled" refused 3 'only a process can be controlled'

begin_program
run eventring record "$pid" -o 'exec:exit 7' --for 1s
ok "a command that fails is said, with its status" exits 4
ok "a command that fails: one line" err_has 'exit 7: ended with exit status 7'
run sh -c '"$1" record "$2" -o - | head -c 100 | wc -c' sh "$EVENTRING_BIN" \
  "$pid"
ok "a reader that has enough ends the recording" out_has '^100$'
# One signal for the process group.  timeout sends two to the recorder, of which
# the second ends it at once.
env --default-signal=INT setsid "$EVENTRING_BIN" record "$pid" \
  -o 'exec:cat >interrupted.evr' >out 2>err &
recorder=$!
started="$started $recorder"
within 60 [ -s interrupted.evr ]
kill -s INT -- "-$recorder"
wait "$recorder"
status=$?
ok "Ctrl-C, which the command gets too, ends the recording in order" exits 0
run eventring check interrupted.evr
ok "after Ctrl-C, the command has got a whole recording" exits 0
background first "$EVENTRING_BIN" record "$pid" -o "unix:$tmp/taken" --for 2s
within 60 [ -S taken ]
rm taken
touch taken
ok "a recorder whose socket was replaced ends" ends_with first 0
ok "a recorder does not remove a file that is not its socket" [ -e taken ]
touch file
run eventring record "$pid" -o "unix:$tmp/file"
ok "a socket does not replace a file" refused 4 'the file exists'
run eventring record "$pid" -o - --trigger minor
ok "--trigger goes with a file" refused 2 'go with a file'
run eventring record "$pid" -o exec: --for 1s
ok "exec: without a command is refused" refused 4 'without a command'
run eventring record "$pid" -o "unix:"
ok "unix: without a path is refused" refused 4 'a path has'
run eventring record "$pid" -o tcp:localhost
ok "tcp: without a port is refused" refused 4 'expected tcp:HOST:PORT'
end_program

# A merged recording: another process has its chunks behind the first one.
begin_program
background other "$EVENTRING_BIN" record "$pid" -o other.evr
within 60 [ -s other.evr ]
end_program
ends_with other 0
eventring merge file.evr other.evr -o merged.evr
eventring events --count file.evr >file.count
run sh -c 'cat merged.evr | "$1" events --count -' sh "$EVENTRING_BIN"
ok "a stream of two processes is no damage" exits 0
ok "the first process of a stream is read" cmp file.count out
ok "a note says that the second process was not read" \
  err_has 'has 2 processes, and only the first was read'
finish
