#!/bin/sh
# events, stat, latency and diagnose with --all: every process of a recording or
# of the machine, merged by time, each with its events, losses and damage.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile many
mkdir ended

# Three programs pass a number on from one to the next: the numbers in their
# events are the true order.
mkfifo a b c
ring_of_programs() {
  for program in "a b 0" "b c" "c a"; do
    set -- $program
    OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/ended \
      OCAML_EVENTRING_KEEP=1 ./many 300 $3 <>$1 >$2 &
  done
  wait
}
ring_of_programs
for ring in ended/*.eventring; do
  run eventring dump $ring -o $ring.evr
  ok "a recording is made of each program" exits 0
done
run eventring merge ended/*.evr -o all.evr
ok "the recordings are merged" exits 0

in_steps() { jq -se '[.[] | .value] == [range(300)]' out; }
run eventring events --all --json --name=step all.evr
ok "events --all has the events of all processes in their true order" in_steps
ok "events --all exits with 0 and prints no note" eval "exits 0 && [ ! -s err ]"
ok "--json has the pid, the program and the node of each event" jq -se \
  "map(.pid) as \$p | (\$p | unique | length) == 3 and \$p[0] == \$p[3]
   and all(.[]; .program == \"many\" and .node == \"$(uname -n)\")" out
run eventring events --all --json --name=step ended/*.eventring
ok "events --all of several files has the same order" in_steps

eventring events --all --json all.evr >merged.json
ok "times do not decrease" jq -se '[.[].ns] | . == sort' merged.json
for n in 1 2 3; do
  eventring events --json all.evr:$n |
    jq -c 'del(.ns)' >single.json
  pid=$(eventring stat --json all.evr:$n | jq .process.pid)
  jq -c "select(.pid == $pid) | del(.ns, .pid, .program, .node)" merged.json \
    >part.json
  ok "process $n has the same events as alone" cmp single.json part.json
done

run eventring events --all --json all.evr all.evr all.evr:2 all.evr all.evr
ok "the processes of five operands are in the order of time" eval \
  "jq -se '[.[].ns] | . == sort' out &&
   [ \$(jq -s '[.[] | select(.name == \"step\")] | length' out) = 1300 ]"

run eventring events --all all.evr
pids=$(jq -s 'map(.pid) | unique | .[]' merged.json)
for pid in $pids; do
  ok "the text has the process of each event" \
    out_has "^[0-9.]*  *$pid many  domain "
done
ok "the text has no node when there is only one" eval "! out_has '$(uname -n)'"
run eventring events --all --raw all.evr
ok "--raw ends with pid, program and node" eval "[ \"\$(cut -f 11-12 out |
  sort -u)\" = \"many	$(uname -n)\" ] && [ \$(cut -f 10 out | sort -u |
  wc -l) = 3 ]"

# The total is the sum over the processes.
sum() {
  for n in 1 2 3; do eventring "$@" all.evr:$n; done | jq -s "$filter" >sum
}
filter='map(.events) | add'
sum events --count --json
run eventring events --all --count --json all.evr
ok "--count has a line for each process and one for all" out_lines 4
ok "--count has as many events as all processes together" eval \
  "[ \$(jq -s '.[3].events' out) = \$(cat sum) ] &&
   [ \$(jq -s '[.[:3][].events] | add' out) = \$(cat sum) ]"
ok "--count has the names of all processes, added up" jq -se \
  '.[3].processes == 3 and
   (.[3].names[] | select(.name == "step") | .events) == 300' out
run eventring events --all --count all.evr
ok "--count prints the total as text" out_has '^ *600  turn$'

filter='[map(.total.events), map(.total.minor_collections),
  map(.total.pauses.any.count), map(.lost_events)] | map(add)'
sum stat --json
run eventring stat --all --json all.evr
ok "stat --all adds up events, collections, pauses and losses" eval \
  "jq -sc '.[-1] | [.total.events, .total.minor_collections,
    .total.pauses.any.count, .lost_events]' out >mine; jq -c . sum | cmp - mine"
ok "stat --all --json has a line for each process and one for all" out_lines 4
for n in 1 2 3; do
  eventring stat --json all.evr:$n | jq -S 'del(.node)' >single.json
  jq -sS ".[$n - 1] | del(.pid, .program, .node)" out >part.json
  ok "stat --all has process $n as stat alone" cmp single.json part.json
done
run eventring stat --all all.evr
ok "stat --all prints each process and the total" eval \
  "[ \$(grep -c '^process ' out) = 3 ] && out_has '^all 3 processes: .* 0 lost$'"

filter='map(.distributions[0].count) | add'
sum latency --span=turn --json
run eventring latency --all --span=turn --json all.evr
ok "latency --all adds up the durations" eval \
  "[ \$(jq -s '.[-1].distributions[0].count' out) = \$(cat sum) ] &&
   [ \$(cat sum) = 300 ]"
run eventring latency --all --span=turn all.evr
ok "latency --all prints each process and the total" eval \
  "[ \$(grep -c '^process ' out) = 3 ] && out_has '^all 3 processes'"
sum latency --between=step --and='turn form=end' --json
run eventring latency --all --between=step --and='turn form=end' --json all.evr
ok "latency --all --between pairs the events of each process" eval \
  "[ \$(jq -s '.[-1].distributions[0].count' out) = \$(cat sum) ] &&
   [ \$(cat sum) = 300 ]"
run eventring latency --all --span=turn --hgrm all.evr
ok "latency --all --hgrm prints one distribution, of all" \
  out_has 'Total count *= *300'

run eventring diagnose --all --json all.evr
ok "diagnose --all judges each process" jq -se \
  'length == 3 and all(.[]; .not_judged | length > 0)
   and (map(.pid) | unique | length) == 3' out
run eventring diagnose --all all.evr
ok "diagnose --all prints each process" eval "[ \$(grep -c '^process ' out) = 3 ]"

# Times count from the first start of tracing.
run eventring events --all --json --name=step --from=1ms all.evr
jq -c 'select(.name == "step" and .ns >= 1000000)' merged.json >later.json
ok "--from counts from the earliest start" cmp out later.json
run eventring events --all --json --name=step --to=10ms all.evr
jq -c 'select(.name == "step" and .ns <= 10000000)' merged.json >earlier.json
ok "--to counts from the earliest start" cmp out earlier.json

# Nodes, and clocks that nobody compared.
make_ring plain
make_ring elsewhere
run eventring events --all plain.eventring plain.eventring
ok "processes of one clock get no note" [ ! -s err ]
run eventring events --all --json plain.eventring elsewhere.eventring
ok "one line says that the order between machines is not certain" eval \
  "exits 0 && [ \$(wc -l <err) = 1 ] && err_has 'their order is not certain'"
ok "the wall clocks put machines in order" jq -se \
  '[.[] | select(.name == "ring_start") | .ns] == [0, 3000000000]' out
if unshare --uts true 2>/dev/null; then
  first=$(ls ended/*.eventring | head -1)
  unshare --uts sh -c 'hostname other.example
    exec "$@"' sh "$EVENTRING_BIN" dump "$first" -o other.evr \
    2>/dev/null
  run eventring events --all other.evr all.evr:2
  ok "a column has the nodes when there are several" eval \
    "out_has '^[0-9.]*  *other.example  [0-9]* many  domain' &&
     out_has \"^[0-9.]*  *$(uname -n)  *[0-9]* many  domain\""
  run eventring stat --all other.evr all.evr:2
  ok "stat --all prints the node of each process" out_has '^node other.example$'
  ok "one boot is one clock, whatever the name of the node" [ ! -s err ]
else
  skip "a column has the nodes when there are several" "no unshare"
  skip "stat --all prints the node of each process" "no unshare"
  skip "one boot is one clock, whatever the name of the node" "no unshare"
fi

# Losses and damage belong to a process.
make_ring lost
make_ring damaged
run eventring events --all plain.eventring lost.eventring
ok "a note has the process of lost events" \
  err_has '^eventring: lost.eventring: process [0-9]* program: 504 events were'
run eventring stat --all --json plain.eventring lost.eventring
ok "losses of all processes are added up" jq -se '.[-1].lost_events == 504' out
for command in events stat latency diagnose; do
  run eventring $command --all damaged.eventring plain.eventring
  ok "$command --all goes on after damage and exits with 3" eval \
    "exits 3 && err_has 'damaged.eventring: process [0-9]* program: 1 damaged' &&
     [ \$(wc -l <err) = 1 ] && [ -s out ]"
done
run eventring events --all --count --json damaged.eventring plain.eventring
eventring events --count --json plain.eventring >plain.json
ok "the processes after a damaged one are whole" eval \
  "[ \$(jq -s '.[1].events' out) = \$(jq .events plain.json) ]"
head -c $(($(wc -c <all.evr) * 2 / 3)) all.evr >cut.evr
for command in events stat latency diagnose; do
  run eventring $command --all cut.evr
  ok "$command --all of a file that is cut: one line, and the code is 3" eval \
    "exits 3 && [ \$(wc -l <err) = 1 ] && err_has '^eventring: cut.evr: cut or' &&
     [ -s out ]"
done
make_ring hostile
make_ring crossing
for command in "events" "events --json" "events --raw" "events --count" stat \
  "stat --json" latency "latency --json" diagnose "diagnose --json"; do
  run eventring $command --all hostile.eventring crossing.eventring
  ok "$command --all of hostile files ends in order" eval \
    "[ $status = 0 ] && [ -s out ] &&
     ! LC_ALL=C grep -q \"\$(printf '[\\001-\\010\\013-\\037\\177]')\" out"
done

# Wrong arguments.
run eventring events --all nothing.evr
ok "a file that does not exist is refused" refused 3 'nothing.evr'
run eventring events --all all.evr:4
ok "a process that the file does not have is refused" refused 3 ''
for command in events stat latency diagnose; do
  run eventring $command --all -
  ok "$command --all refuses a stream" refused 3 'a stream has one process'
done
run eventring stat --all --interval=1s all.evr
ok "stat refuses --all with --interval" refused 2 'exclude each other'
run eventring events --all --categories=nothing all.evr
ok "a category that no process has is refused" refused 2 'nothing'
mkdir empty
run eventring events --all --dir=empty
ok "no traced process is one line" refused 3 'no traced process'

# Processes that run.
mkfifo d e f
live_ring() {
  for program in "d e" "e f" "f d"; do
    set -- $program
    OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings \
      ./many 15000 <>$1 >$2 &
    started="$started $!"
  done
}
live_ring
three() { [ "$(eventring ps --dir rings --pids | wc -l)" = 3 ]; }
ok "three programs run" within 60 three
run eventring stat --all --json --dir rings
ok "stat --all has the processes that run" jq -se \
  '.[-1].processes == 3 and (map(select(.pid)) | length) == 3' out
run eventring latency --all --dir rings
ok "latency --all has the processes that run" exits 0
run eventring diagnose --all --dir rings
ok "diagnose --all has the processes that run" exits 0
"$EVENTRING_BIN" events --all --follow --json --name=step --dir rings >out \
  2>err &
reader=$!
started="$started $reader"
"$EVENTRING_BIN" stat --all --follow --json --dir rings >stat.json 2>/dev/null &
counter=$!
started="$started $counter"
reads_all() {
  for of in $reader $counter; do
    files=$(grep -o '[0-9]*\.eventring$' "/proc/$of/maps" | sort -u | wc -l)
    [ "$files" = 3 ] || return 1
  done
}
within 60 reads_all
echo 600 >d
wait $reader
status=$?
ok "events --all --follow has all events" \
  jq -se '[.[] | .value] | sort == [range(600; 15000)]' out
ok "events --all --follow has them in the order of their times" \
  jq -se '[.[] | .ns] | . == sort' out
ok "events --all --follow ends with the processes" exits 0
wait $counter
ok "stat --all --follow counts all processes to their end" jq -se \
  'length == 4 and ([.[:3][].spans[] | select(.name == "turn") | .count] | add)
   == 14400' stat.json

finish
