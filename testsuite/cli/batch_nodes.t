#!/bin/sh
# Only in make check-long: it takes a minute of the processor.
# eventring batch --on: runs on nodes, by a backend that runs commands on this machine,
# with folders of its own for each node.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile batch
export EVENTRING_STORE="$tmp/store" TMPDIR="$tmp/tmp"
mkdir tmp nodes
unset OPAM_SWITCH_PREFIX
schema=$EVENTRING_TOP/doc/manifest.schema.json
version=$("$EVENTRING_BIN" --version)

# runs FILTER FOLDER: FILTER of jq for the member run of each run
runs() { jq -r ".run | $1" "$2"/[0-9]*.json; }
numbers() { runs .number "$1" | tr '\n' ' '; }
counts() { [ "$(ls "$1" | grep -c '^[0-9]*\.json$')" = "$2" ]; }
one_line() { exits "$1" && [ "$(wc -l <"$tmp/err")" -eq 1 ] && err_has "$2"; }
clean() { ! [ -e "$1/.making" ] && [ -z "$(find tmp nodes/*/tmp -mindepth 1)" ]; }
batch() { run eventring batch -q "$@"; }

# The backend.  $NODES has its nodes; files in the folders of nodes say how they behave.
cat >backend <<END
#!/bin/sh
home=$tmp/nodes/\$2
case \$1 in
nodes)
  printf '%b\n' "\${NODES-one two}"
  exit
  ;;
run)
  mkdir -p "\$home/tmp"
  export HOME="\$home" TMPDIR="\$home/tmp"
  ;;
esac
[ -e "\$home/down" ] && { echo "no route to \$2" >&2; exit 255; }
[ -e "\$home/silent" ] && exit 7
[ -e "\$home/answer" ] && { . "\$home/answer"; exit; }
[ -e "\$home/path" ] && PATH=\$home/path:\$PATH
shift 3
exec "\$@"
END
chmod +x backend
export NODES='one\ntwo'

# The ordinary case

batch --on ./backend --runs 5 --seed 7 -o two -- ./batch 100000 -- ./batch 1000
ok "a batch on two nodes makes all runs" eval 'exits 0 && counts two 10'
ok "nodes make whole rounds, in turn" [ "$(runs '"\(.round) \(.node)"' two |
  uniq -c | awk '{ print $1, $2, $3 }' | tr '\n' ,)" = \
  '2 1 one,2 2 two,2 3 one,2 4 two,2 5 one,' ]
ok "each round has each command once" [ "$(runs '"\(.round) \(.command)"' two |
  sort | uniq | wc -l)" = 10 ]
run eventring list two
ok "list has the node of each run" [ "$(awk 'NR > 1 { print $NF }' out | uniq -c |
  awk '{ print $1, $2 }' | tr '\n' ,)" = '2 one,2 two,2 one,2 two,2 one,' ]
run eventring check two/*[0-9].json
ok "runs come with their recordings, as they were written" eval \
  'exits 0 && [ "$(ls two/*.evr | wc -l)" = 10 ]'
ok "the node is in the manifest" [ "$(jq -r '.manifest |
  "\(.node) \(.environment.TMPDIR)"' two/00000[13].json)" = "one $tmp/nodes/one/tmp
two $tmp/nodes/two/tmp" ]
ok "the plan has the nodes, with a seed and the facts of each" eval 'jq -e "
  .on == \"$tmp/backend\" and (.nodes | map(.name) == [\"one\", \"two\"]) and
  .nodes[0].seed != .nodes[1].seed and
  (.nodes | map(.machine.key, .commands[0].program.executable.xxh64) |
    all(length == 16))" two/batch.json'
ok "neither the batch nor a node leaves temporary files" clean two
ok "files of a batch are for their owner only" [ -z "$(find two -perm /077)" ]
batch --on ./backend --runs 5 --seed 7 -o again -- ./batch 9 -- ./batch 8
ok "the same seed gives the same order" \
  [ "$(runs .command two | tr -d '\n')" = "$(runs .command again | tr -d '\n')" ]
ok "the seeds of nodes come from that of the batch and their names" \
  [ "$(jq -c '[.nodes[].seed]' two/batch.json)" = \
    "$(jq -c '[.nodes[].seed]' again/batch.json)" ]
batch --on ./backend --runs 5 --seed 8 -o other -- ./batch 9 -- ./batch 8
ok "another seed gives another order" \
  [ "$(runs .command two | tr -d '\n')" != "$(runs .command other | tr -d '\n')" ]
batch --continue=two --runs 7
ok "a batch on nodes goes on with more runs" eval 'exits 0 && counts two 14 &&
  [ "$(numbers two)" = "$(seq -s " " 14) " ]'
batch --continue=two
ok "a batch that is complete stays as it is" eval 'exits 0 && counts two 14'
batch --on ./backend --precision 50 --runs 100 -o precise -- true
ok "each node makes six runs for a precision" eval 'exits 0 && [ "$(runs .node precise |
  sort | uniq -c | awk "\$1 >= 6" | wc -l)" = 2 ]'
batch --on=local --runs 1 -o local -- ./batch 9
ok "--on=local is this machine" eval 'exits 0 &&
  [ "$(jq -c "[.nodes, .on]" local/batch.json)" = "[null,null]" ]'
run eventring batch --on ./backend --runs 2 --program-output -o output -- \
  sh -c 'echo "home $HOME"; echo error >&2'
ok "--program-output says of which node an output is" eval 'exits 0 &&
  err_has "^eventring: node one: home $tmp/nodes/one$" &&
  err_has "^eventring: node two: error$" && ! out_has home'
if python3 -c 'import jsonschema' 2>/dev/null; then
  ok "each run is as the schema says" python3 \
    "$here/batch_schema.py" "$schema" two/[0-9]*.json local/[0-9]*.json
else
  skip "each run is as the schema says" "there is no jsonschema"
fi

# Words

cat >words.sh <<'END'
#!/bin/sh
printf '<%s>' "$PWD" "$VARIABLE" "$@" >>"$HOME/words"
END
chmod +x words.sh
odd="it's \"\$(touch touched)\" \$HOME \`touch touched\` \\ \\' ! & ; * ~ é #"
mkdir "$odd"
cd "$odd" || exit 1
batch --on "$tmp/backend" --runs 1 --warm-up 0 -o "$tmp/words" -- \
  VARIABLE="$odd" ../words.sh "$odd" '' '
'
cd "$tmp" || exit 1
printf '<%s>' "$tmp/$odd" "$odd" "$odd" '' '
' >expected
ok "arguments, variables and folders get to a node as they are" eval \
  'cmp nodes/one/words expected && [ -z "$(find . -name touched)" ] && counts words 1'

# The shell of the other machine gets the command line of ssh.
mkdir bin
cat >bin/ssh <<END
#!/bin/sh
while [ "\$1" != -- ]; do echo "\$1" >>"$tmp/options"; shift; done
home=$tmp/nodes/\$2
mkdir -p "\$home/tmp"
export HOME="\$home" TMPDIR="\$home/tmp"
[ \$# = 3 ] && cd "\$home" && exec sh -c "\$3"
END
chmod +x bin/ssh
cd "$odd" || exit 1
with_ssh() { PATH=$tmp/bin:$PATH eventring "$@"; }
run with_ssh batch -q --warm-up 0 --runs 2 --on ssh:user@there,10.0.0.1 \
  -o "$tmp/shells" -- ../words.sh "$odd"
cd "$tmp" || exit 1
printf '<%s>' "$tmp/$odd" '' "$odd" >expected
ok "through the shell of ssh, too" eval 'exits 0 && counts shells 2 &&
  cmp nodes/user@there/words expected && cmp nodes/10.0.0.1/words expected &&
  [ -z "$(find . -name touched)" ]'
ok "ssh asks for no password" grep -q '^BatchMode=yes$' options

# Names of nodes

refuses_name() {
  NODES=$1 eventring batch --on ./backend -o none -- true >"$tmp/out" 2>"$tmp/err"
  status=$?
}
for name in '-oProxyCommand=touch$IFS.touched' 'a b' '$(touch touched)' "it's" \
  '\033[2Jx' 'ö' 'one\n;touch touched' . .. ../one one/../two; do
  refuses_name "$name"
  ok "a node named '$(printf %s "$name" | tr -d '\\')' is refused" eval \
    'refused 3 "is no name of a node" && ! [ -e none ] && ! [ -e touched ]'
done
refuses_name ''
ok "no node is refused" refused 3 'there is no node'
refuses_name 'one\0000two'
ok "a NUL in a list of nodes is refused" refused 3 'has a NUL character'
refuses_name "$(seq -s '\n' 257)"
ok "the 257th node is refused" refused 3 "node '257' is one too many: .* at most 256"
printf '#!/bin/sh\nyes one\n' >endless
chmod +x endless
run eventring batch --on ./endless -o none -- true
ok "an endless list of nodes is refused" refused 3 'longer than 1 MiB'
# A process of another session has the output of the program until a FIFO is opened.
mkfifo listed never
cat >lists <<END
#!/bin/sh
setsid sh -c 'read -r line <"$tmp/listed"' &
echo -one
END
cat >waits <<END
#!/bin/sh
trap 'touch "$tmp/was_told"; exit' TERM
read -r line <"$tmp/never" &
touch "$tmp/is_asked"
wait
END
chmod +x lists waits
run eventring batch --on ./lists -o none -- true
ok "a list of nodes ends with its program" refused 3 "'-one' is no name of a node"
: >listed
"$EVENTRING_BIN" batch --on ./waits -o none -- true >out 2>err &
batch=$!
within 60 test -e is_asked
kill -TERM $batch
wait $batch 2>/dev/null
status=$?
ok "SIGTERM ends a batch that waits for the list of nodes, and its program" eval \
  'exits 143 && silent && [ -e was_told ] && ! [ -e none ]'
: >never
run eventring batch --on ssh:-oProxyCommand=x -o none -- true
ok "a host that looks like an option is refused" refused 3 'is no name of a node'
for on in nowhere ssh ./none ./nodes; do
  run eventring batch --on $on -o none -- true
  ok "--on $on is refused" refused 2 'neither local, ssh:HOST,'
done
run eventring batch --on ./backend --commits HEAD --build true -- true
ok "--on and --commits exclude each other" refused 2 'only one of --on and --commits'
run eventring batch --on ./backend --continue=two
ok "--continue takes the nodes from the batch" refused 2 '--continue goes with'
no_plan() { eventring batch --continue=- </dev/null; }
run no_plan
ok "a part without a plan is refused" refused 3 'standard input has no part of a batch'

# A command that ends its part, but stays, ignores SIGTERM and does not read its input.
# It is killed after a while; the end of this test waits for the batch.
mkfifo stays_for
cat >stays <<END
#!/bin/sh
[ "\$1" = nodes ] && { echo staying; exit; }
trap '' TERM
echo "$version"
read -r plan
echo end 1
read -r line <"$tmp/stays_for"
END
chmod +x stays
"$EVENTRING_BIN" batch -q --on ./stays -o staying -- true >staying.out 2>&1 &
staying=$!
started="$started $staying"

# Nodes that fail

mkdir -p nodes/three/tmp
touch nodes/three/down
NODES='one\nthree'
batch --on ./backend --runs 4 --seed 7 -o down -- ./batch 9 -- true
ok "a node that is not reached: its messages, and one line with its exit code" eval \
  'exits 3 && [ "$(wc -l <err)" = 2 ] &&
   err_has "^eventring: node three: no route to three$" &&
   err_has "^eventring: node three: it ended too early: exit code 255; .*/down makes"'
ok "the runs of the other node are kept" [ "$(numbers down)" = '1 2 5 6 ' ]
rm nodes/three/down
batch --continue=down
ok "its runs are made when it is there again" eval 'exits 0 && ! [ -s err ] &&
  [ "$(numbers down)" = "$(seq -s " " 8) " ]'
touch nodes/three/silent
batch --on ./backend --runs 2 -o mute -- true
ok "a node that says nothing, too" \
  one_line 3 'node three: it ended too early: exit code 7;'
rm nodes/three/silent
mkdir nodes/three/path
printf '#!/bin/sh\necho eventring 0.0.1\n' >nodes/three/path/eventring
chmod +x nodes/three/path/eventring
batch --on ./backend --runs 2 -o old -- true
ok "a node with another version: one line with both" eval 'counts old 1 &&
  one_line 3 "node three: it has .eventring 0.0.1., and this is .$version.; install"'
rm -r nodes/three/path
cat >one_only.sh <<'END'
#!/bin/sh
[ "${HOME##*/}" = one ]
END
chmod +x one_only.sh
batch --on ./backend --runs 4 --warm-up 0 -o failing -- ./one_only.sh
ok "a program that fails on one node ends its part" eval \
  'one_line 1 "node three: run 2 of one_only.sh failed: exit code 1; --keep-going" &&
   [ "$(numbers failing)" = "1 2 3 " ]'
batch --on ./backend --runs 4 --keep-going -o kept -- ./one_only.sh
ok "--keep-going goes on" eval 'exits 1 && counts kept 4 &&
  [ "$(runs .failed kept | tr "\n" " ")" = "false true false true " ]'
mkdir gone
(cd gone && eventring batch -q --on ../backend --runs 2 -o ../went -- true) >/dev/null
rmdir gone
batch --continue=went --runs 4
ok "a folder that is not there: a line for each node" eval 'exits 3 &&
  [ "$(grep -c "node [onethr]*: .*cd.*gone" err)" = 2 ] &&
  [ "$(grep -c "node [onethr]*: it ended too early: exit code" err)" = 2 ]'
cp batch changing
batch --on ./backend --runs 2 -o changed -- ./changing 9
printf x >>changing
batch --continue=changed --runs 4
ok "a program that changed since the batch began is refused by each node" eval \
  'exits 3 && [ "$(grep -c "changing is not the file with which" err)" = 2 ]'
jq '.nodes[0].machine.key = "0123456789abcdef"' changed/batch.json >edited
mkdir moved && cp edited moved/batch.json
cp batch changing
batch --continue=moved
ok "a node that is another machine by now is refused" \
  one_line 3 'node one: the batch was begun on a machine with another processor'
jq '.nodes[0].name = "-x"' changed/batch.json >moved/batch.json
batch --continue=moved
ok "a plan with a wrong name of a node is refused" one_line 3 'has a damaged batch.json'
for damage in '.nodes[1].name = .nodes[0].name' '.nodes[0].seed = "7"' \
  '.nodes[0].machine = []' '.nodes[0].commands = []' '.nodes[0].commands = {}'; do
  jq "$damage" changed/batch.json >moved/batch.json
  batch --continue=moved
  ok "a plan with $damage is refused" one_line 3 'has a damaged batch.json'
done
cat >kills.sh <<'END'
#!/bin/sh
# On node three, the first time, it kills the part, the parent of its parent.
[ "${HOME##*/}" = three ] && ! [ -e "$HOME/killed" ] && touch "$HOME/killed" &&
  kill -KILL "$(cut -d ' ' -f 4 "/proc/$PPID/stat")"
true
END
chmod +x kills.sh
batch --on ./backend --runs 4 --warm-up 0 -o part -- ./kills.sh
ok "a part that is killed: one line, and the other part is made" eval \
  '[ "$(numbers part)" = "1 3 " ] &&
   one_line 3 "node three: it ended too early: signal 9;"'
batch --continue=part
ok "it goes on" eval 'exits 0 && counts part 4'
rm -r nodes/three/tmp

# Processes and pipes that stay

# lasting FIFO ANSWER: a batch with the node lasting, which begins with a process of
# another session that has its output until FIFO is opened for writing
mkfifo held held_killed held_stopped plan_wanted message_shown
mkdir -p nodes/lasting/tmp
NODES='one\nlasting'
lasting() {
  printf 'setsid sh -c "read -r line <%s" &\n%s\n' "$tmp/$1" "$2" \
    >nodes/lasting/answer
  shift 2
  "$EVENTRING_BIN" batch -q --on ./backend --runs 2 --warm-up 0 "$@" >out 2>err
  status=$?
}
lasting held 'shift 3; exec "$@"' -o held_batch -- true
ok "a batch ends when another process has the output of a node" eval \
  'exits 0 && ! [ -s err ] && counts held_batch 2'
: >held
lasting held_killed 'kill -KILL $$' -o killed_command -- true
ok "a command that is killed ends, too" eval 'counts killed_command 1 &&
  one_line 3 "node lasting: it ended too early: signal 9;"'
: >held_killed
cat >stops.sh <<'END'
# The part is the parent of the parent, and the batch is the parent of the part.
part=$(cut -d ' ' -f 4 "/proc/$PPID/stat")
kill -TERM "$(cut -d ' ' -f 4 "/proc/$part/stat")"
END
lasting held_stopped 'shift 3; exec "$@"' -o stopped_batch --no-trace -- sh stops.sh
ok "SIGTERM ends the batch, too" eval 'exits 143 && err_has "interrupted"'
: >held_stopped

# Node one writes to plan_wanted when the batch has its first run.  Only then, the other
# node reads its plan, which is larger than a pipe.
cat >nodes/lasting/answer <<END
echo "$version"
read -r line <"$tmp/plan_wanted"
exec "$EVENTRING_BIN" batch --continue=-
END
cat >second.sh <<END
#!/bin/sh
echo >>"\$HOME/rounds"
[ "\${HOME##*/}" = one ] && [ "\$(wc -l <"\$HOME/rounds")" = 2 ] && : >plan_wanted
true
END
chmod +x second.sh
batch --on ./backend --runs 4 --warm-up 0 -o unread -- ./second.sh \
  "$(printf %0100000d 0)"
ok "a node that does not read its plan blocks no other node" eval \
  'exits 0 && counts unread 4'

cat >nodes/lasting/answer <<END
echo queued and waiting for resources >&2
read -r line <"$tmp/message_shown"; shift 3; exec "\$@"
END
"$EVENTRING_BIN" batch -q --on ./backend --runs 2 -o waiting -- true >out 2>err &
batch=$!
within 60 err_has 'node lasting: queued and waiting for resources$'
echo >message_shown
wait $batch
status=$?
ok "a message of a node is shown at once" eval 'exits 0 && counts waiting 2 &&
  [ "$(wc -l <err)" = 1 ]'

# Hostile nodes

# hostile NAME: a batch with a node that answers as standard input says
mkdir -p nodes/evil/tmp
NODES='one\nevil'
hostile() {
  { echo "printf '%s\n' '$version'; read -r plan"; cat; } >nodes/evil/answer
  batch --on ./backend --runs 2 --seed 1 --warm-up 0 -o "$1" -- true
}
only_first() { [ "$(cd "$1" && ls | tr '\n' ' ')" = "000001.json batch.json " ]; }
echo 'echo Welcome' >nodes/evil/answer
batch --on ./backend --runs 2 --seed 1 --warm-up 0 -o welcome -- true
ok "a shell that greets is an error in one line" eval 'only_first welcome &&
  one_line 3 "node evil: unexpected answer .Welcome.; before eventring runs there"'
n=0
for answer in "file ../000002.json 3" "file 000001.json 3" "file 000003.json 3" \
  "file 000004.json 3" "file 000002.01.evr 3" "file 0000002.evr 3" \
  "file 000002.1.evr 3" "file 000002.txt 3" "file .lock 3" "file batch.json 3" \
  "run 2" "run 1" "end 9" "plan {}" "hello"; do
  n=$((n + 1))
  hostile evil$n <<END
printf '%s\nabc' '$answer'; read -r line
END
  ok "a node that sends '$answer' is refused, and writes nothing" eval \
    'one_line 3 "node evil: unexpected answer" && only_first evil$n'
done
sent() {
  hostile "$1" <<END
printf 'file 000002.json %s\n' "\$(wc -c <"$tmp/sent")"
cat "$tmp/sent"; echo run 2; read -r line
END
}
jq -c '.run.node = "evil"' local/000001.json >sent
sent evil_run
ok "a node that sends another run is refused" eval 'only_first evil_run &&
  one_line 3 "node evil: run 2 cannot be kept: it is another run"'
# forged NAME FILTER: the node sends a run of its part that FILTER of jq has changed
forged() {
  jq -c '.run *= { node: "evil", number: 2, round: 2, label: "true" } |
    '"$2" local/000001.json >sent
  sent "$1"
}
forged evil_sum '.manifest.recordings = []'
ok "a run that arrives changed is not kept" eval 'only_first evil_sum &&
  one_line 3 "run 2 cannot be kept: the run.s own file was changed"'
for recording in ../x 000002.json 000003.evr 000002.1.evr; do
  forged "evil_${recording#*/}" ".manifest.recordings[0].file = \"$recording\""
  ok "a recording with the name $recording is not kept" eval \
    'only_first "evil_${recording#*/}" &&
     one_line 3 "run 2 cannot be kept: it has a recording of another name"'
done
forged evil_twice '.manifest.recordings = [range(2) | { file: "000002.10.evr" }]'
ok "a recording that is listed twice is not kept" eval 'only_first evil_twice &&
  one_line 3 "run 2 cannot be kept: it has a recording twice"'
for member in number=1 round=1 'label="x"' command=2 'node="one"'; do
  forged "evil$member" ".run.$member"
  ok "a run with $member is not kept" eval 'only_first "evil$member" &&
    one_line 3 "run 2 cannot be kept: it is another run"'
done
printf '{' >sent
sent evil_json
ok "a run that cannot be read is not kept" eval 'only_first evil_json &&
  one_line 3 "run 2 cannot be kept: .*line 1"'
hostile evil_words <<'END'
printf '\033[2Jx\ny\n' >&2; echo 'end 0'
END
ok "messages of a node are printable text" eval 'exits 3 && only_first evil_words &&
  err_has "^eventring: node evil: .x1b.2Jx$" && err_has "^eventring: node evil: y$"'
ok "a part that ends without its runs has failed" err_has \
  "node evil: its part ended without 1 of its runs; .*/evil_words makes them"
hostile evil_end <<'END'
printf 'file 000002.json 99\nabc'
END
ok "a run that was not sent to its end is not kept" eval 'only_first evil_end &&
  one_line 3 "node evil: it ended too early"'

# Interruptions

NODES='one\ntwo'
cat >kills.sh <<'END'
#!/bin/sh
# On node one, the second and fifth time, it kills the batch: the part is the parent of
# its parent.
echo >>"$HOME/begun"
case ${HOME##*/}$(wc -l <"$HOME/begun") in
  one2 | one5)
    part=$(cut -d ' ' -f 4 "/proc/$PPID/stat")
    kill -KILL "$(cut -d ' ' -f 4 "/proc/$part/stat")"
    ;;
esac
END
batch --on ./backend --runs 9 --seed 3 --warm-up 0 -o killed -- ./kills.sh -- ./batch 9
kills=0
while [ "$status" = 137 ] && [ $kills -lt 9 ]; do
  kills=$((kills + 1))
  batch --continue=killed
done
ok "a batch on nodes goes on after SIGKILL" eval 'exits 0 && [ $kills = 2 ]'
ok "no run is lost or repeated" [ "$(numbers killed)" = "$(seq -s ' ' 18) " ]
batch --on ./backend --runs 9 --seed 3 --warm-up 0 -o whole -- true -- ./batch 9
ok "the order is that of a batch that was not interrupted" \
  [ "$(runs '"\(.command) \(.node)"' killed)" = "$(runs '"\(.command) \(.node)"' whole)" ]
run eventring check killed/*[0-9].json
ok "all runs and recordings are as they were written" exits 0
ok "the parts of killed batches end, and leave no temporary files" \
  within 60 clean killed
"$EVENTRING_BIN" batch --on ./backend --runs 99 --warm-up 0 -o signalled -- \
  ./batch 9 500 >out 2>err &
batch=$!
within 60 test -e signalled/000001.json
kill -TERM $batch
wait $batch 2>/dev/null
status=$?
ok "SIGTERM ends a batch on nodes" eval 'exits 143 &&
  err_has "interrupted; eventring batch --continue=.*/signalled goes on"'
ok "SIGTERM leaves whole runs only, and no temporary files" eval \
  'clean signalled && ! counts signalled 99'
run eventring check signalled/*[0-9].json
ok "the runs that were made are as they were written" exits 0
batch --continue=signalled --runs 3
ok "it goes on after SIGTERM" eval 'exits 0 && [ "$(numbers signalled | wc -w)" -ge 3 ]'

if unshare -m true 2>/dev/null; then
  mkdir disk
  cat >full.sh <<'END'
mount -t tmpfs -o size=200k none disk || exit 9
"$EVENTRING_BIN" batch -q --on ./backend --runs 30 --warm-up 0 -o disk/full -- \
  ./batch 1000000
echo $? >status
mount -o remount,size=16m disk
"$EVENTRING_BIN" batch -q --continue=disk/full >/dev/null 2>&1
echo $? >>status
cp -r disk/full full
END
  run unshare -m sh full.sh
  ok "a full disk: a line for each node, and the exit code 4" eval \
    '[ "$(head -n 1 status)" = 4 ] && [ "$(wc -l <err)" = 2 ] &&
     [ "$(grep -c "cannot write a run in .*/disk/full: No space" err)" = 2 ]'
  ok "a batch on nodes goes on when there is room" eval '[ "$(tail -n 1 status)" = 0 ] &&
    [ "$(numbers full)" = "$(seq -s " " 30) " ]'
else
  skip "a full disk: a line for each node, and the exit code 4" "no mount namespace"
fi

# Comparison

runs_py() { python3 "$here/compare_runs.py" "$@" || exit 1; }
row() { grep -q "^$1  .*  $2\$" out; }
warns() { grep -q "^warning: .*$1" out; }
# nodes_of FOLDER A B: gives the rounds by turns to the nodes A and B; B is 30 % slower
nodes_of() {
  runs_py set "(if .run.round % 2 == 1 then \"$2\" else \"$3\" end) as \$node |
    .run.node = \$node | .manifest.node = \$node |
    .manifest.machine.key = (if \$node == \"$3\" then \"00000000000000bb\" else
      \"00000000000000aa\" end) |
    .run.wall_ns *= (if \$node == \"$3\" then 1.3 else 1 end) | .run.wall_ns |= floor" \
    "$1"/[0-9]*.json
}
eventring batch -q --runs 1 --warm-up 0 -o template -- ./batch 3000000 >/dev/null
runs_py make template pairs 20 0.01 wall_ns=1.03
nodes_of pairs one two
run eventring compare pairs
ok "a difference of 3 % is found on nodes that differ by 30 %" eval 'exits 0 &&
  row wall_ns slower && ! out_has "^warning" &&
  out_has "^pairs:new (20 runs on 2 nodes) against pairs:old (20 runs on 2 nodes)$"'
run eventring compare --json pairs
ok "--json has the nodes" eval 'jq -e ".groups | map(.nodes) ==
  [[\"one\", \"two\"], [\"one\", \"two\"]]" out'
cp -r pairs wide
runs_py set 'if .run.node == "two" then .run.wall_ns *= 10 else . end' wide/[0-9]*.json
run eventring compare --html=page.html wide
# The labels of the axis of the drawing of the wall time.
axis() { tr '\n' ' ' <page.html | sed 's/.*<td[^>]*>wall_ns//; s/<\/svg>.*//' |
  grep -o '<text[^>]*>[0-9.]*' | sed 's/.*>//'; }
ok "the page compares runs with the base on the same node" eval 'exits 0 &&
  [ "$(axis | wc -l)" -gt 1 ] && axis | awk "\$1 < 0.7 || \$1 > 1.4 { exit 1 }"'
runs_py make template first 20 0.002
nodes_of first one two
cp -r first later
# Of the later batch, three of four runs of the first node are missing.
for round in 1 3 5 9 11 13 17; do
  rm "later/$(printf %06d $((2 * round - 1))).json"
done
run eventring compare --json first:old later:old
ok "batches with other shares of the nodes do not differ for that" eval 'exits 0 &&
  jq -e ".comparisons[0].figures[] | select(.name == \"wall_ns\") |
    .adjusted_p > 0.2 and .low < 1 and .high > 1 and
    .this.median / .base.median > .high" out'
cp -r later elsewhere
nodes_of elsewhere two three
run eventring compare first:old elsewhere:old
ok "the same node must be the same machine" one_line 3 \
  'node two was not one machine for all runs of first:old and elsewhere:old'
cp -r first apart
nodes_of apart three four
run eventring compare first:old apart:old
ok "batches on other nodes are refused" one_line 3 \
  'apart:old and first:old ran on no common node; --other-machines'
run eventring compare --other-machines first:old apart:old
ok "--other-machines compares them, with a warning" eval 'exits 0 &&
  warns "apart:old ran on another node than first:old"'
run eventring compare first:old template:batch
ok "runs on a node and on none are refused" \
  one_line 3 'ran on no common node; --other-machines'
runs_py set 'if .run.round > 10 then .run.node = "five" | .manifest.node = "five"
  else . end' later/[0-9]*.json
run eventring compare first:old later:old
ok "runs on nodes that one side does not have are left out, with a warning" \
  warns 'later:old: 7 runs on nodes that first:old does not have, and left out'
runs_py set 'if .run.node == "two" then
  .manifest.program.executable.xxh64 = "0123456789abcdef" else . end' pairs/[0-9]*.json
run eventring compare pairs
ok "a program that is another one on a node is a warning" \
  warns 'pairs:old: the program is not the same on all nodes'
wait "$staying"
status=$?
ok "a command that stays after its part is killed" eval 'exits 1 && ! [ -s staying.out ]'
finish
