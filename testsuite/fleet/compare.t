#!/bin/sh
# Processes and nodes of a hub compared: eventring compare --hub.
. "$(dirname "$0")/hub.sh"
TMPDIR=$tmp/temporary
export TMPDIR
mkdir "$TMPDIR"
compile rounds
recorded() { # FILE
  rm -rf rings
  mkdir rings
  OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings \
    OCAML_EVENTRING_KEEP=1 ./rounds 500 </dev/null >/dev/null &&
    eventring dump rings/*.eventring -o "$1" 2>dump.err
}
start_hub
for node in a b c; do
  new_key $node
  join $node "$(token_of "$(eventring hub --store "$store" --new-token)")"
done
for name in one two three; do
  [ $name != three ] || export OCAMLRUNPARAM=s=64k
  recorded $name.evr
done
unset OCAMLRUNPARAM
pid_of() { eventring get "$1" process.pid; }
one=$(pid_of one.evr) two=$(pid_of two.evr) three=$(pid_of three.evr)
process() { # NODE STREAM PID
  report 200 "$1" "{\"streams\": [{\"stream\": \"$2\", \"pid\": $3,
    \"program\": \"rounds\", \"state\": \"ended\", \"events\": 9, \"lost\": 0,
    \"parts_dropped\": 0}]}"
}
ok "two nodes send three recordings" eval '
  put 200 a "s-1/1?offset=0&last=1" one.evr && process a s-1 $one &&
  put 200 a "s-2/1?offset=0&last=1" two.evr && process a s-2 $two &&
  put 200 b "s-3/1?offset=0&last=1" three.evr && process b s-3 $three'

run eventring compare --hub "$read" a/$one b/$three
ok "two processes of two nodes are compared" eval 'exits 0 && ! [ -s err ] &&
  out_has "^b/$three (1 process) against a/$one (1 process)"'
ok "the main figures are there, amounts by second" \
  eval 'out_has "^total.gc_ns/s " && out_has "^total.allocated_words/s " &&
    out_has "^total.pauses.any.p99_ns "'
ok "the differences of the manifests are there" out_has "^node  *a  *b"
ok "another node is a warning" out_has \
  "^warning: b/$three ran on another node than a/$one"
ok "so is that they did not run in turn" out_has "^warning: .*not run in turn"
ok "and that there are too few" out_has "^warning: .*too few processes: 1 and 1"

by_second() { # FILE MEMBER
  eventring stat --json "$1" |
    jq ".total.$2 / ((.last_ns - .first_ns) / 1e9)"
}
figure() { # NAME SIDE
  jq ".comparisons[0].figures[] | select(.name == \"$1\") | .$2.median" out
}
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && a >= b * 0.999 && a <= b * 1.001) }'; }
run eventring compare --hub "$read" --json --all-figures a/$one b/$three
ok "an amount is that of stat, by second" eval '
  near "$(figure total.allocated_words/s base)" \
    "$(by_second one.evr allocated_words)" &&
  near "$(figure total.allocated_words/s this)" \
    "$(by_second three.evr allocated_words)"'
ok "a duration is that of stat" eval '
  near "$(figure spans.round.p50_ns this)" "$(eventring stat --json three.evr |
    jq ".spans[] | select(.name == \"round\") | .p50_ns")"'
ok "figures of processes that nobody measured are left out" \
  [ -z "$(figure wall_ns base)" ]

run eventring compare --hub "$read" --json a/ b/
ok "nodes are compared, with all processes" eval 'exits 0 &&
  [ "$(jq -c "[.groups[].runs]" out)" = "[2,1]" ]'
run eventring compare --hub "$read" --html page.html a/ b/s-3
ok "--html writes a page" eval 'exits 0 && grep -q "a/" page.html'
run env EVENTRING_HUB="$read" "$EVENTRING_BIN" compare a/$one b/$three
ok "EVENTRING_HUB does as --hub" exits 0

run eventring compare --hub "$read" a/$one
ok "one process is refused" refused 3 'give another one'
run eventring compare --hub "$read" a/$one a/$one
ok "the same process twice is refused" refused 3 'given twice'
run eventring compare --hub "$read" a/$one a/1
ok "a process that is not there is refused" refused 3 'no events of process 1'
run eventring compare --hub "$read" a/ d/
ok "so is a node" refused 3 'the hub has no node d;'
run eventring compare --hub "$read" a/ c/
ok "and a node without a recording" refused 3 'c/ has no .* that can be compared'
run eventring compare --hub "$read" a/$one one
ok "an operand of another kind is refused" refused 2 'NODE/PID'
ok "nothing is left in the folder for temporary files" [ -z "$(ls "$TMPDIR")" ]
finish
