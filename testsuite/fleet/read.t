#!/bin/sh
# Recordings of a real program in parts at a hub, read with --hub, are the same as
# the local files.
. "$(dirname "$0")/hub.sh"
TMPDIR=$tmp/temporary
export TMPDIR
mkdir "$TMPDIR" parts
compile rounds

start_hub
new_key node
ok "an agent joins" join node

mkfifo stop
sleep 60 >stop &
stopper=$!
started="$started $stopper"
# The rings are large: recorders that do not get a processor lose nothing.
OCAMLRUNPARAM=e=19 OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings \
  OCAML_EVENTRING_KEEP=1 ./rounds <stop >rounds.out &
pid=$!
started="$started $pid"
ring=$tmp/rings/$pid.eventring
within 60 traced
eventring record "$pid" -o whole.evr 2>whole.err &
whole=$!
eventring record "$pid" -o parts/p.evr --max-size 20K --flush-interval 50ms \
  2>parts.err &
parts=$!
started="$started $whole $parts"
several() { [ "$(ls parts | wc -l)" -ge 4 ]; }
ok "a program is recorded in files" within 60 several
kill "$stopper"
wait "$pid"; wait "$whole"; wait "$parts"
ls -v parts/*.evr >files
eventring cat $(cat files) -o all.evr

# send FILE STREAM N: in bodies that overlap and are repeated
send() {
  size=$(stat -c %s "$1")
  from=0
  while [ "$from" -lt "$size" ]; do
    dd if="$1" of=body bs=1 skip="$from" count=7001 2>/dev/null
    put 200 node "$2/$3?offset=$from" body || return 1
    put 200 node "$2/$3?offset=$from" body || return 1
    from=$((from + 5003))
  done
  : >body
  put 200 node "$2/$3?offset=$size&last=1" body
}
send_all() {
  n=0
  while read -r file; do
    n=$((n + 1))
    send "$file" s-1 $n || return 1
  done <files
}
ok "its files are sent" send_all
ok "the store has the same bytes" eval \
  'n=0; for f in $(cat files); do n=$((n + 1))
     cmp "$f" store/nodes/node/s-1/$n.evr || exit 1; done'
ok "a report names the process" report 200 node "{\"streams\": [{
  \"stream\": \"s-1\", \"pid\": $pid, \"program\": \"rounds\",
  \"state\": \"ended\", \"events\": 1, \"lost\": 0}]}"

# same COMMAND...: the output is the same as of the local file
same() {
  eventring "$@" all.evr >local.out 2>local.err || return 1
  eventring "$@" --hub "$read" node/$pid >hub.out2 2>hub.err2 || return 1
  sed -i "s,/proc/self/fd/[0-9]*,all.evr,g" hub.out2
  [ -s local.out ] && cmp local.out hub.out2 && cat hub.err2 >&2 &&
    cmp local.err hub.err2
}
ok "events --json is the same" same events --json
ok "events is the same" same events
ok "stat is the same" same stat
ok "stat --json is the same" same stat --json
ok "latency is the same" same latency
ok "diagnose is the same" same diagnose
ok "get is the same" same get
run eventring get --hub "$read" node/$pid process.pid
ok "get prints one figure" [ "$(cat out)" = "$pid" ]
run eventring get --hub "$read" node/$pid points.queue
ok "points need the address for control: the message says so" eval \
  'exits 3 && [ "$(grep -c . err)" = 1 ] && err_has "this address is for reading"'
ok "metrics is the same" same metrics
# raw ARG...: the events with their ticks, without times and durations in ns,
# which each recording computes anew
raw() { eventring events --raw "$@" | cut -f 2-8; }
ok "so are the events of a recording in one file" eval \
  'raw whole.evr >whole.raw && [ -s whole.raw ] &&
   raw --hub "$read" node/s-1 >hub.raw && cmp whole.raw hub.raw'
ok "no event is missing: the spans are those that the program made" \
  [ "$(eventring events --hub "$read" node/$pid --name round --form begin |
       wc -l)" = "$(cat rounds.out)" ]
run eventring trace --hub "$read" node/$pid -o hub.json
ok "trace writes a file" eval 'exits 0 && eventring trace all.evr -o all.json &&
  cmp all.json hub.json'
run env EVENTRING_HUB="$read" "$EVENTRING_BIN" events --json node/$pid
ok "EVENTRING_HUB does as --hub" eval 'exits 0 &&
  eventring events --json all.evr | cmp - out'
run env EVENTRING_HUB="$read" "$EVENTRING_BIN" events --json all.evr
ok "with EVENTRING_HUB, a file is a file" exits 0
run env EVENTRING_HUB="$read" "$EVENTRING_BIN" events "$pid" --dir "$tmp/rings"
ok "and a pid is a process of this machine" exits 0

run eventring stat --all --hub "$read" --dir "$tmp/rings"
ok "--hub does not mean the processes of this machine" \
  refused 2 'missing processes'

# Parts of an agent that was killed, and of one that lies.

first=$(head -n 1 files)
head -c $(($(stat -c %s "$first") / 2 + 3)) "$first" >half.evr
put 200 node 'k-1/1?offset=0' half.evr
n=1
sed 1d files | while read -r file; do
  n=$((n + 1))
  put 200 node "k-1/$n?offset=0&last=1" "$file"
done
ok "a part without its end is joined as eventring cat does" eval \
  '{ eventring cat half.evr $(sed 1d files) -o cut.evr; [ $? = 3 ]; } &&
   raw cut.evr >cut.raw && raw --hub "$read" node/k-1 >hub.raw &&
   cmp cut.raw hub.raw'
lost=$(eventring events --raw --hub "$read" node/k-1 2>/dev/null | grep -P '\tlost\t' |
  cut -f 9)
run eventring events --hub "$read" node/k-1
ok "a message about them names the process at the hub" \
  err_has '^eventring: node/k-1: [0-9]* events were overwritten'
have() { grep -c -v -P '\tlost\t' "$1"; }
ok "events between parts are counted as lost, exactly" eval \
  'echo "lost: 0x$lost, there: $(have hub.raw), whole: $(have whole.raw)"
   [ $((0x$lost)) -gt 0 ] &&
   [ "$((0x$lost + $(have hub.raw)))" = "$(have whole.raw)" ]'
OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings OCAML_EVENTRING_KEEP=1 \
  ./rounds </dev/null >/dev/null
other=$(ls -t rings/*.eventring | head -n 1)
eventring dump "$other" -o other.evr 2>dump.err
n=$(wc -l <files)
printf 'garbage' >garbage
put 200 node "s-1/$((n + 1))?offset=0&last=1" garbage
put 200 node "s-1/$((n + 2))?offset=0&last=1" other.evr
head -c 40 "$first" >start.evr
put 200 node "s-1/$((n + 3))?offset=0" start.evr
{ head -c 60 "$first"; head -c 3000 /dev/zero; } >damaged.evr
put 200 node "s-1/$((n + 4))?offset=0" damaged.evr
run eventring events --raw --hub "$read" node/s-1
ok "parts that are not of the process are left out, and counted" eval \
  'exits 0 && cut -f 2-8 out | cmp whole.raw - &&
   err_has "node/s-1: 4 parts cannot be read, and are left out"'
run eventring trace --hub "$read" node/s-1 node/k-1 -o two.json --force
ok "trace takes several processes" exits 0
ok "nothing is left in the folder for temporary files" [ -z "$(ls "$TMPDIR")" ]
ok "nor in the store" [ -z "$(find store -name 'merge*')" ]
end_hub
run eventring events --hub "$read" node/s-1
ok "a hub that is away is reported" refused 3 'hub 127.0.0.1:[0-9]*: .*connect'
finish
