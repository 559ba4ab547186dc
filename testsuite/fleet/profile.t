#!/bin/sh
# The profile of all processes of a hub: sums of the profiles of each.
. "$(dirname "$0")/hub.sh"
TMPDIR=$tmp/temporary
export TMPDIR
mkdir "$TMPDIR" sources
cp "$here/busy.ml" "$here/rounds.ml" sources/
here=$tmp/sources
export OCAMLPARAM=_,g=1
compile busy
mv busy first
sed -i 's/300_000/200_000/; s/100_000/200_000/' sources/busy.ml
compile busy
mv busy second
compile rounds

# recorded PROGRAM FILE: runs PROGRAM, and keeps its recording
recorded() {
  rm -rf rings
  mkdir rings
  OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings \
    OCAML_EVENTRING_KEEP=1 "./$1" </dev/null >/dev/null &&
    eventring dump rings/*.eventring -o "$2" 2>dump.err
}
sampled() {
  OCAML_EVENTRING_PROFILE=200 recorded "$1" "$2" &&
    [ "$(eventring profile --json "$2" | jq .samples)" -gt 9 ]
}
start_hub
for node in a b; do
  new_key $node
  join $node "$(token_of "$(eventring hub --store "$store" --new-token)")"
done
sampled first one.evr && sampled first two.evr && sampled second three.evr ||
  { skip "profiles of a hub" "no samples on this machine"; finish; }
recorded rounds idle.evr
ok "two nodes send recordings" eval '
  put 200 a "s-1/1?offset=0&last=1" one.evr &&
  put 200 a "s-2/1?offset=0&last=1" idle.evr &&
  put 200 b "s-1/1?offset=0&last=1" two.evr &&
  put 200 b "s-3/1?offset=0&last=1" three.evr'

# sum MEMBER FILE...: the sum of a member of their profiles
sum() {
  member=$1
  shift
  for file; do eventring profile --json "$file"; done |
    jq -s "[.[] | $member] | add"
}
# merged FILTER: of the merged profile in ./out
merged() { jq "$1" out; }
# time_of NAME: its own time, of all builds, as a filter
time_of() { echo "[.functions[] | select(.function == \"Busy.$1\") | .self_ns] | add"; }
all="one.evr two.evr three.evr"

run eventring profile --hub "$read" --json
ok "profile --hub without a process merges all" exits 0
ok "it has the samples of all processes" \
  [ "$(merged .samples)" = "$(sum .samples $all)" ]
ok "and their processor time" [ "$(merged .cpu_ns)" = "$(sum .cpu_ns $all)" ]
for name in hot cold; do
  ok "$name has the time that it has in all of them" \
    [ "$(merged "$(time_of $name)")" = "$(sum "$(time_of $name)" $all)" ]
done
ok "the totals of functions are those of all of them" \
  [ "$(merged '[.functions[].total_ns] | add')" = \
    "$(sum '[.functions[].total_ns] | add' $all)" ]
ok "a function has an entry for each build" [ "$(merged \
  '[.functions[] | select(.function == "Busy.hot") | .build_id] | unique |
   length')" = 2 ]
ok "its own time in the first build is that of the first two processes" \
  [ "$(merged '[.functions[] | select(.function == "Busy.hot")] |
       max_by(.self_ns).self_ns')" = \
    "$(sum "$(time_of hot)" one.evr two.evr)" ]
ok "stacks at different addresses are the same stack" eval \
  '[ "$(merged ".stacks | length")" -lt "$(sum ".stacks | length" $all)" ]'
ok "it counts processes and nodes" [ "$(merged \
  '"\(.processes) \(.nodes) \(.processes_without_samples)"')" = '"3 2 1"' ]

run eventring profile --hub "$read"
ok "the text begins with processes and nodes" \
  out_has '^3 processes on 2 nodes: .* of processor time\( by ticks\)\{0,1\} in [0-9]* samples$'
ok "rows of a function in two builds name the build" eval \
  '[ "$(grep -c "Busy.hot .*\[\(first\|second\) [0-9a-f]\{8\}\]" out)" = 2 ]'
EVENTRING_HUB=$read run eventring profile --all
ok "EVENTRING_HUB with --all does the same" eval 'exits 0 && out_has "^3 proc"'

run eventring profile --hub "$read" a/ --json
ok "NODE/ takes the processes of a node" eval \
  'exits 0 && [ "$(merged .samples)" = "$(sum .samples one.evr)" ] &&
   [ "$(merged .nodes)" = 1 ]'
run eventring profile --hub "$read" a/ b/ --json
ok "several nodes are merged" [ "$(merged .samples)" = "$(sum .samples $all)" ]
run eventring profile --hub "$read" a/ b/s-1
ok "a node with a process is refused" refused 2 'nodes, NODE/, or one process'

build_of() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
short=$(build_of first | cut -c 1-10)
run eventring profile --hub "$read" --version="$short" --json
ok "--version takes the programs of a build" eval \
  '[ "$(merged .samples)" = "$(sum .samples one.evr two.evr)" ]'
run eventring profile --hub "$read" --version="$(build_of second)"
ok "the text names the version" out_has "^1 process on 1 node, version $(build_of second): "
run eventring profile --hub "$read" --version=0000000000
ok "a version that nothing has: the message says so" eval \
  'exits 0 && err_has "build id with the prefix 0000000000"'
run eventring profile --hub "$read" nonode/
ok "a node that is not there is refused" \
  refused 3 'the hub has no node nonode;'
run eventring profile --hub "$read" --version=v1.2
ok "a version that is no build id is refused" refused 2 'build id'
run eventring profile --hub "$read" --dir "$tmp"
ok "--hub with --dir is refused" refused 2 '--hub excludes --dir'
run eventring profile --version=12 one.evr
ok "--version of one process is refused" refused 2 'goes with --all'

eventring profile --hub "$read" --folded >folded
ok "--folded has the processor time" [ "$(awk '{ s += $NF } END { print s }' \
  folded)" = "$(sum .cpu_ns $all)" ]
run eventring profile --hub "$read" --tree --inverted
ok "--tree has it" out_has '100.00%.* all$'
run eventring profile --hub "$read" --diff b/s-3
ok "--diff adds up the builds" eval \
  'exits 0 && [ "$(grep -c Busy.hot out)" = 1 ]'
run eventring profile --hub "$read" --annotate Busy.hot
ok "--annotate has its lines" out_has 'busy.ml:$'
run eventring profile --hub "$read" --flame all.html
ok "--flame has the numbers of processes and nodes" eval \
  'exits 0 && grep -q "processes: 3, nodes: 2" all.html'
run eventring profile --hub "$read" --pprof all.pb.gz
if command -v protoc >/dev/null; then
  zcat all.pb.gz | protoc --decode=perftools.profiles.Profile \
    -I "$EVENTRING_TOP/testsuite/profile" profile.proto >decoded
  ok "--pprof has a mapping for each build" eval '
    for program in first second; do
      grep -c "\"$(build_of $program)\"" decoded | grep -qx 1 || exit 1
    done'
  ok "and the samples" [ "$(awk '/^sample \{/ { s = 1 } s && /value:/ {
    n += $2; s = 0 } END { print n }' decoded)" = "$(sum .samples $all)" ]
else
  skip "--pprof has a mapping for each build" "no protoc"
fi

run eventring profile --all one.evr two.evr three.evr --json
ok "--all merges files as well" eval \
  'exits 0 && [ "$(merged .samples)" = "$(sum .samples $all)" ]'

printf garbage >garbage
put 200 b "s-9/1?offset=0&last=1" garbage
run eventring profile --hub "$read" --json
# A sample may be in code of the standard library, which a note is on.
ok "a recording that cannot be read costs one line" eval \
  'exits 3 && [ "$(grep -vc "compiled without -g" err)" = 1 ] && err_has "^eventring: b/s-9: "'
ok "the others are there" [ "$(merged .samples)" = "$(sum .samples $all)" ]
ok "nothing is left in the folder for temporary files" [ -z "$(ls "$TMPDIR")" ]
end_hub
run eventring profile --hub "$read"
ok "a hub that is away is reported" refused 3 'hub 127.0.0.1:[0-9]*: .*connect'
finish
