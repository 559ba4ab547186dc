#!/bin/sh
# eventring batch, compare and list with stores that another program has made or
# damaged, and with signals at moments that a terminal can send them.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile batch
export EVENTRING_STORE="$tmp/store" TMPDIR="$tmp/tmp"
mkdir tmp
unset OPAM_SWITCH_PREFIX

one_line() { exits "$1" && [ "$(wc -l <err)" -eq 1 ] && err_has "$2"; }
counts() { [ "$(ls "$1" | grep -c '^[0-9]*\.json$')" = "$2" ]; }
eventring batch -q --runs 3 --warm-up 0 -o whole -- ./batch 9 -- ./batch 8

# damage NAME FILTER: a copy of the batch with another plan
damage() {
  rm -rf "$1" && cp -r whole "$1" && rm "$1"/000005.* &&
    jq "$2" whole/batch.json >"$1/batch.json"
}

# Plans

for case in '.commands[0] = null' 'del(.commands[0].label)' \
  '.commands[1].argv = ["x", null]' 'del(.commands[0].directory)' \
  '.commits = {}' '.commits = null'; do
  damage damaged "$case"
  run eventring batch --continue=damaged
  ok "a plan with $case is refused" one_line 3 'has a damaged batch.json'
done
mkdir precious && echo keep >precious/it
worktree='.commits = {build: "true", repository: "/", prefix: "", failed: []}
  | .commands[].commit = "1111111111111111111111111111111111111111"'
damage outside "$worktree | .commands[0] |= (del(.program)
                          | .commit = \"../../precious\")"
run eventring batch --continue=outside
ok "a commit that is no hash removes no folder" eval \
  'one_line 3 "has a damaged batch.json" && [ "$(cat precious/it)" = keep ]'
damage outside "$worktree | .commits.prefix = \"a/../../..\""
run eventring batch --continue=outside
ok "a subdirectory outside of the worktree is refused" \
  one_line 3 'has a damaged batch.json'
damage link .
ln -s ../precious link/.making
run eventring batch --continue=link
ok "a link for the folder of the run that is being made is not followed" \
  eval 'one_line 4 "cannot create .*/.making" && [ "$(cat precious/it)" = keep ]'
if can_be_nobody; then
  damage other .
  chown 65534 other
  run eventring batch --continue=other
  ok "the commands of another user are not run" \
    one_line 3 'belongs to another user'
else
  skip "the commands of another user are not run" "not root"
fi
damage copied .
mkdir tmp/eventring-0badcafe && printf %s "$tmp/tmp/eventring-0badcafe" \
  >copied/.lock
run eventring batch -q --continue=copied
ok "a copy of a batch leaves the ring folder of the other batch alone" \
  eval 'exits 0 && [ -d tmp/eventring-0badcafe ]'
rmdir tmp/eventring-0badcafe
damage held '.limits.runs = 1'
cat >hold.py <<'END_HOLD'
"""Holds the lock of a batch that --continue waits for, and changes its plan."""
import fcntl, json, subprocess, sys, time
lock = open("held/.lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
waiting = subprocess.Popen([sys.argv[1], "batch", "-q", "--continue=held"])
time.sleep(0.5)
plan = json.load(open("held/batch.json"))
plan["limits"]["runs"] = 4
json.dump(plan, open("held/batch.json", "w"))
fcntl.flock(lock, fcntl.LOCK_UN)
sys.exit(waiting.wait())
END_HOLD
run python3 hold.py "$EVENTRING_BIN"
ok "a plan that changes until the lock is free counts as changed" \
  eval 'exits 0 && counts held 8'
TMPDIR=$tmp/nowhere run eventring batch -o unbegun -- true
ok "a batch without a folder for ring files leaves nothing" eval \
  'one_line 4 "ring files in .*/nowhere: No such file" && ! [ -e unbegun ]'
mkdir gone && (cd gone && eventring batch -q --runs 1 -o ../homeless -- true) &&
  rmdir gone
run eventring batch --continue=homeless --runs 2
ok "a working directory that is not there is named" \
  eval 'exits 3 && err_has "cannot enter .*/gone: No such file"'

# The environment

mkdir untraced && cd untraced
OCAML_EVENTRING_START=1 OCAML_RUNTIME_EVENTS_START=1 \
  OCAML_RUNTIME_EVENTS_PRESERVE=1 OCAML_EVENTRING_KEEP=1 \
  run eventring batch -q --no-trace --runs 1 -o ../times -- ../batch 9
cd ..
ok "--no-trace traces nothing, whatever the environment says" \
  eval 'exits 0 && [ -z "$(ls -A untraced)" ]'
run eventring batch --categories=gc,-usr -o ../unknown -- ./batch 9
ok "an unknown category is refused" refused 2 'there is no category usr'
run eventring batch -q --categories=-all,gc, --runs 1 -o known -- ./batch 9
ok "known categories are recorded" [ "$(jq -c \
  '.manifest.recordings[0].categories' known/000001.json)" = '["gc"]' ]

# Runs

mkdir -p store/batches/pipe && mkfifo store/batches/pipe/batch.json
run timeout 20 "$EVENTRING_BIN" list --batches
ok "a pipe in place of batch.json does not stop the list" eval \
  'exits 0 && out_has "pipe .*not a regular file"'
rm -r store/batches/pipe
damage store/batches/nameless '.commands[0].label = 3'
run eventring list --batches
ok "a command without a label is listed" out_has 'nameless .* ?, '
rm -rf store/batches
damage long .
long_name=$(python3 -c 'print("a" + 300 * "é")')
python3 "$here/compare_runs.py" set "if .run.command == 2 then
  .manifest.packages = {\"$long_name\": \"1\"} else . end" long/[0-9]*.json
run eventring compare long
ok "the name of a fact that is cut inside of a character is shown" \
  out_has '^packages.aéé.*  *-  *1$'
python3 "$here/compare_runs.py" set ".summary.spans = [{name: \"$long_name\",
  user: true, count: 5, total_ns: 50, p50_ns: 10, p99_ns: 10, max_ns: 10}]" \
  long/[0-9]*.json
run eventring compare --all-figures long
ok "so is that of a figure" out_has '^spans.aéé.*\.p99_ns  '
damage lost .
python3 "$here/compare_runs.py" set '.manifest.recordings[0].lost_events = -1' \
  lost/000001.json
run eventring compare lost
ok "a number of lost events below 0 is none" eval '! out_has "lost .* events"'
damage twice .
cp twice/000001.json twice/0000001.json
run eventring list twice
ok "a second file for the number of a run is no run" out_lines 6

cp whole/000001.json renamed.json && cp whole/000001.evr .
run eventring check renamed.json
ok "a run with another name is checked" exits 0

# Signals

mkdir bin && printf '#!/bin/sh\nkill -INT $PPID\nsleep 1\nexit 1\n' \
  >bin/ocamlopt && chmod +x bin/ocamlopt
PATH=$tmp/bin:$PATH "$EVENTRING_BIN" batch --runs 1 -o early -- true 2>err >pause.out
status=$?
ok "Ctrl-C while the facts are found leaves no batch without them" \
  eval 'exits 130 && ! [ -e early ]'
cat >slow.sh <<'END_SLOW'
#!/bin/sh
touch begun
until [ -e go ]; do sleep 0.05; done
END_SLOW
chmod +x slow.sh
perl -e 'setpgrp; exec @ARGV' "$EVENTRING_BIN" batch --runs 1 --warm-up 0 \
  -o paused -- ./slow.sh >pause.out 2>&1 &
batch=$!
started="$started $batch"
to_group() { perl -e 'kill $ARGV[0], -$ARGV[1]' "$1" $batch; }
is_stopped() { grep -q '^State:.*T' /proc/$batch/status; }
within 60 test -e begun && to_group TSTP && within 60 is_stopped
touch go
ok "Ctrl-Z does not stop the measurement of a run that has begun" \
  eval 'within 60 test -e paused/000001.json && is_stopped'
to_group CONT
wait $batch
status=$?
ok "a batch goes on after Ctrl-Z" eval 'exits 0 && counts paused 1'

# Commits

mkdir repository && cd repository && git init -q -b trunk . &&
  git -c user.name=T -c user.email=t@t commit -q --allow-empty -m one
run eventring batch --commits=--all --build true -o ../all -- true
ok "an option of git is no commit" refused 2 'names no commits'
run eventring batch --commits=--format=../../precious --build true -- true
ok "an option of git that prints a path is no commit" \
  eval 'refused 2 "names no commits" && [ -e ../precious/it ]'
run eventring batch --keep-going --commits=HEAD --build false -o ../broken -- true
run eventring batch --continue=../broken
ok "a batch of which no commit can be built is still a batch" \
  eval 'exits 3 && err_has "no commit can be built"'
cd ..
finish
