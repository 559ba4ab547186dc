#!/bin/sh
# eventring run follows the processes that the program starts: each has a line in
# the summary and is a process of the recording, with every event.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile run_tree
mkdir here tmp && cd here || exit 1
TMPDIR=$tmp/tmp
export TMPDIR
nothing_left() { [ -z "$(ls -A "$tmp/tmp")" ] && [ -z "$(ls -A .)" ]; }

# tree ARG...: eventring run with a summary as JSON, a line each, in ../json
tree() {
  rm -f ../json
  run eventring run --force --json --summary ../json "$@"
}
processes() { jq -s 'map(select(.process)) | length' ../json; }
of_total() { jq -s "last.$1" ../json; }
# Sorted lines "PID MINORS": as the processes have printed them, and those of the
# summary or a recording that have collections.
printed() { sort "$tmp/out"; }
in_json() {
  jq -r 'select(.process and .total.minor_collections > 0)
         | "\(.process.pid) \(.total.minor_collections)"' "$1" | sort
}
counted() { [ -s "$tmp/out" ] && [ "$(in_json ../json)" = "$(printed)" ]; }
recorded() {
  eventring stat --all --json "$1" >../all
  [ "$(in_json ../all)" = "$(printed)" ] &&
    [ "$(jq -s 'map(.total.events) | last' ../all)" = "$(of_total total.events)" ]
}

# A server and its workers.  The rings hold all events, since the command may have
# to wait for a processor.
tree -o ../out.evr ../run_tree workers 100 120 100
ok "workers: each has its collections, as its runtime counts them" counted
ok "workers: all four processes are in the summary, and in the total" eval \
  '[ "$(processes)" = 4 ] && [ "$(of_total processes)" = 4 ] &&
   [ "$(of_total total.minor_collections)" = \
     "$(awk "{ n += \$2 } END { print n }" "$tmp/out")" ]'
ok "workers: no event is lost" [ "$(of_total lost_events)" = 0 ]
ok "workers: one recording has the events of all processes" recorded ../out.evr
ok "workers: check finds no fault in the recording" eventring check ../out.evr
ok "workers: the exit code is the program's" exits 0
run eventring run ../run_tree workers 30 40
ok "workers: a table has a line for each" eval \
  'err_has "^pid  *program  *state  *minor" &&
   [ "$(grep -c "^[0-9][0-9]*  *run_tree  *ended " "$tmp/err")" = 3 ]'
ok "workers: the total comes last" err_has '^all 3 processes: [0-9]* events, 0 lost'
ok "no file is left" nothing_left

# Events that the rings have lost before the command reads them: it is stopped
# while the children run.  The ring files tell how many events were written.
cat >late <<'END'
kill -STOP $PPID
until ps -o stat= -p $PPID | grep -q '^T'; do sleep 0.01; done
../run_tree workers 3000 4000 >numbers
kill -CONT $PPID
exec cat numbers
END
written() {
  for file in ../rings/*.eventring; do eventring stat --json "$file"; done |
    jq -sc 'map([.process.pid, .total.events + .lost_events]) | sort'
}
accounted() {
  [ "$(jq -sc 'map(select(.process) |
                   [.process.pid, .total.events + .lost_events]) | sort' \
       ../json)" = "$(written)" ]
}
for output in "-o ../lost.evr" ""; do
  tree -e 12 -d ../rings $output sh late
  ok "run $output: overwritten events of children are lost" eval \
    'exits 0 && [ "$(processes)" = 3 ] && [ "$(of_total lost_events)" -gt 1000 ]'
  ok "run $output: each process has written what was read and lost" accounted
  rm -f ../rings/*
done
eventring stat --all --json ../lost.evr >../all
ok "lost events are lost in the recording, too" \
  [ "$(jq -s last.lost_events ../all)" -gt 1000 ]
rm -f late numbers

# Children that end at once.
tree -o ../brief.evr ../run_tree brief 20
ok "children that end at once: all are in the summary" \
  eval '[ "$(processes)" = 21 ] && [ "$(of_total lost_events)" = 0 ]'
ok "children that end at once: all are in the recording" eval \
  'eventring stat --all --json ../brief.evr >../all &&
   [ "$(jq -s last.processes ../all)" = 21 ]'

# Other programs in children.
for how in exec spawn; do
  tree -o ../$how.evr ../run_tree $how 60
  ok "$how: the program in the child has its collections" counted
  ok "$how: it is in the recording" recorded ../$how.evr
done
tree ../run_tree orphan 50
ok "a grandchild whose parent has ended has its collections" counted

tree env OCAML_EVENTRING_PREFIX="$tmp/rings" OCAML_EVENTRING_KEEP=0 \
  ../run_tree collect 20
ok "a program that is told another directory for its ring file is not followed" \
  eval 'exits 3 && [ ! -e ../json ] && err_has "env wrote no events"'

# A system without inotify: the folder is searched.
cat >../no_inotify.c <<'END'
#include <errno.h>
#include <sys/inotify.h>
int inotify_init1(int flags) { (void) flags; errno = EMFILE; return -1; }
END
${CC:-cc} -shared -fPIC -o ../no_inotify.so ../no_inotify.c
run env LD_PRELOAD="$tmp/no_inotify.so" "$EVENTRING_BIN" run --force --json \
  --summary ../json -o ../search.evr ../run_tree workers 40 50 60
ok "without inotify: each has its collections" eval \
  'counted && [ "$(processes)" = 4 ] && [ "$(of_total lost_events)" = 0 ]'
ok "without inotify: one recording has the events of all processes" \
  recorded ../search.evr

# A system without descriptors until the recording of the program has ended: the
# ring files of the children are not opened.
${CC:-cc} -shared -fPIC -o ../refuses.so "$here/refuses.c"
run env LD_PRELOAD="$tmp/refuses.so" REFUSES=while_recording "$EVENTRING_BIN" run \
  --force -o ../few.evr env -u LD_PRELOAD ../run_tree workers 20 30
ok "ring files that cannot be opened for lack of descriptors: a line says so" \
  err_has '^eventring: 2 ring files could not be opened, the last: .*Too many open'
kept=$(sed -n 's/^eventring: \(.*\) stays: .*/\1/p' "$tmp/err")
ok "they are kept, and a line says where" eval '[ -d "$kept" ] &&
  [ "$(eventring stat --all --json "$kept"/*.eventring | jq -s "map(
      select(.process) | .total.minor_collections) | add")" -ge 50 ]'
rm -rf "$kept"

# A program without events of its own.
run eventring run sh -c '../run_tree collect 20; exit 5'
ok "one process below a shell: the summary is that of the process" eval \
  'exits 5 && err_has "^process $(cut -d" " -f1 "$tmp/out") " &&
   err_has "^collections  minor $(cut -d" " -f2 "$tmp/out")," &&
   ! err_has "^all "'
ok "one process below a shell: a line says that the shell wrote no events" \
  err_has 'sh wrote no events'
tree -o ../shell.evr sh -c '../run_tree collect 20; ../run_tree collect 30'
ok "two processes below a shell have their collections" counted
ok "two processes below a shell are in the recording" recorded ../shell.evr
tree -q --trace ../shell.json sh -c '../run_tree workers 20 30'
ok "--trace has all processes" \
  [ "$(jq '[.traceEvents[] | select(.name == "process_name")] | length' \
       ../shell.json)" = 3 ]
ok "no file is left after programs without events" nothing_left

# Processes that go on.
run eventring run -o ../left.evr ../run_tree leave 30
child=$(cat "$tmp/out")
started="$started $child"
kept=$(sed -n 's/.*1 traced process goes on .* in \(.*\), which stays$/\1/p' \
  "$tmp/err")
ok "a child that goes on: the command ends, and the ring file stays" eval \
  'exits 0 && [ -s "$kept/$child.eventring" ]'
ok "a child that goes on: its line has its collections" \
  err_has "^$child  *run_tree  *running  *3[0-9]"
ok "a child that goes on: it is in the recording" eval \
  '[ "$(eventring stat --all --json ../left.evr | jq -s last.processes)" = 2 ]'
kill "$child"
rm -rf "$kept"

# SIGINT, as by a terminal: to the whole group.
setsid "$EVENTRING_BIN" run -o ../int.evr ../run_tree signalled 3 \
  >"$tmp/ready" 2>"$tmp/err" &
runner=$!
started="$started $runner"
within 60 grep -q ready "$tmp/ready"
group=$(ps -o pgid= -p "$runner" | tr -d ' ')
catches() { [ "$(ps -o pgid= --ppid "$runner" | sort -u | tr -d ' ')" = "$group" ]; }
within 60 catches
kill -INT "-$group"
wait "$runner"
status=$?
ok "SIGINT to all: the exit code is the program's" exits 3
ok "SIGINT to all: the children were killed, and are in the summary" eval \
  '[ "$(grep -c "^[0-9][0-9]*  *run_tree  *killed" "$tmp/err")" = 3 ]'
ok "SIGINT to all: no file is left" nothing_left

# Recordings that cannot be written.
limited() { (trap '' XFSZ; ulimit -S -f 8; exec "$@"); }
run limited "$EVENTRING_BIN" run -e 19 -o ../limit.evr \
  sh -c 'ulimit -S -f unlimited; ../run_tree workers 3000 3000; exit 6'
ok "a recording that cannot grow: one line says so" \
  [ "$(grep -c 'File too large' "$tmp/err")" = 1 ]
ok "a recording that cannot grow: a line says where the recordings stay" \
  err_has 'recordings\{0,1\} of [1-3] programs\{0,1\} stays\{0,1\} in \.\./eventring-'
ok "a recording that cannot grow: the summary has all events" eval \
  'exits 6 && err_has "^all 3 processes: .* 0 lost"'
rm -rf ../eventring-*
run eventring run -o /nonexistent/x.evr ../run_tree workers 20 30
ok "a recording that cannot be created: one line says so" eval \
  'exits 4 && [ "$(grep -c "/nonexistent" "$tmp/err")" = 1 ] &&
   err_has "^all 3 processes"'
run eventring run -q -o /nonexistent/x.evr sh -c '../run_tree workers 20 30'
ok "no folder for the recordings: one line says so" eval \
  'exits 4 && [ "$(wc -l <"$tmp/err")" = 1 ] && err_has "/nonexistent"'
run eventring run --force -o /dev/null ../run_tree workers 20
ok "a device has the first program only, and a line says so" \
  eval 'exits 0 && err_has "/dev/null is no regular file, and has only"'
echo mine >../link.txt
ln -s link.txt ../link.evr
run eventring run -q --force -o ../link.evr ../run_tree workers 20
ok "--force: the file behind a link is replaced, not the link" eval \
  '[ -L ../link.evr ] && eventring check ../link.txt'
other=$(mktemp -d /dev/shm/run_tree.XXXXXX 2>/dev/null || mktemp -d)
ln -s "$other/there.evr" ../away.evr
run eventring run -q --force -o ../away.evr ../run_tree workers 20
ok "a link to another file system that leads to no file: the file is there" eval \
  'exits 0 && [ -L ../away.evr ] &&
   [ "$(eventring stat --all --json "$other/there.evr" |
        jq -s last.processes)" = 2 ]'
run eventring run -q --force -o ../away.evr ../run_tree workers 20 30
ok "a link to another file system: the file is replaced" eval \
  'exits 0 && [ -L ../away.evr ] &&
   [ "$(eventring stat --all --json "$other/there.evr" |
        jq -s last.processes)" = 3 ]'
ok "a link to another file system: nothing else is left there" \
  [ "$(ls -A "$other")" = there.evr ]
rm -rf "$other"
run eventring run -q -o ../taken.evr \
  sh -c '../run_tree workers 20; echo mine >../taken.evr'
ok "without --force, a file that appears during the run is kept" eval \
  'exits 4 && [ "$(cat ../taken.evr)" = mine ] && err_has "taken.evr: File exists" &&
   err_has "the recordings of 2 programs stay in \.\./eventring-"'
rm -rf ../eventring-*
ok "no file is left after recordings that cannot be written" nothing_left

# SIGTERM that finds the program ended: to eventring alone, or to both.  Eventring
# is stopped as soon as the program runs.
cat >stopped <<'END'
kill -STOP $PPID
until ps -o stat= -p $PPID | grep -q '^T'; do sleep 0.01; done
../run_tree workers 20
echo "$PPID $$" >../pids.new
mv ../pids.new ../pids
eval "$1"
END
terminate() {
  within 60 [ -s ../pids ]
  read -r runner program <../pids
  ended() { ps -o stat= -p "$program" | grep -q '^Z'; }
  within 60 ended
  kill -TERM "$runner"
  kill -CONT "$runner"
}
terminated() {
  rm -f ../pids
  terminate &
  helper=$!
  run "$@"
  wait $helper
}
terminated eventring run -o ../end.evr sh stopped 'exit 0'
ok "SIGTERM after the end: it ends the command, which says where recordings are" \
  eval 'exits 143 && [ ! -e ../end.evr ] && ! err_has "^all " &&
        err_has "the recordings of 2 programs stay in \.\./eventring-"'
rm -rf ../eventring-*
terminated eventring run --trace ../end.json sh stopped 'exit 0'
ok "SIGTERM after the end: there is no trace" \
  eval 'exits 143 && [ ! -e ../end.json ]'
terminated eventring run -o ../end.evr sh stopped 'kill -TERM $$'
ok "SIGTERM that has ended the program, too: the results are written" eval \
  'exits 143 && err_has "^all 2 processes" && eventring check ../end.evr'
rm -f stopped
ok "SIGTERM: no file is left" nothing_left

# A folder that others use too.
OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings \
  OCAML_EVENTRING_KEEP=1 ../run_tree collect 5 >/dev/null
tree -d ../rings -o ../dir.evr ../run_tree workers 20 30
ok "--dir: files that were there before are not of the tree" counted
ok "--dir keeps the ring files of all processes" \
  [ "$(ls ../rings/*.eventring | wc -l)" = 4 ]
cat >foreign <<'END'
: >go
until [ -e done ]; do sleep 0.01; done
exec ../run_tree workers 20
END
# The test starts a process and its child, and the program waits for them.
while_it_runs() {
  within 60 [ -e go ]
  OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings \
    ../run_tree signalled 1 >../foreign.out &
  pid=$!
  within 60 [ -s ../foreign.out ]
  : >done
  echo "$pid $(ps -o pid= --ppid "$pid")" >../foreign.pids
}
while_it_runs &
helper=$!
tree -d ../rings sh foreign
wait $helper
started="$started $(cat ../foreign.pids)"
ok "--dir: processes that others have started are not of the tree" eval \
  'counted && [ "$(processes)" = 2 ]'
kill -KILL $(cat ../foreign.pids)
rm -f foreign go done
tree -d ../rings ../run_tree daemon 3000
ok "--dir: a program of a process that has lost its parent is of the tree" eval \
  'counted && [ "$(processes)" = 4 ]'
# The file of the first child is opened after that of its child, and after its end.
run env LD_PRELOAD="$tmp/refuses.so" REFUSES=first_child "$EVENTRING_BIN" run \
  --force --json --summary ../json -d ../rings env -u LD_PRELOAD ../run_tree daemon 3000
ok "--dir: nor does the order matter in which ring files can be opened" eval \
  'counted && [ "$(processes)" = 4 ]'
cp ../out.evr ../rings/4242.eventring
run env LD_PRELOAD="$tmp/no_inotify.so" "$EVENTRING_BIN" run --force --json \
  --summary ../json -d ../rings -o ../search.evr ../run_tree workers 20 30
ok "--dir without inotify: older files and recordings are not of the tree" eval \
  'exits 0 && counted && [ "$(processes)" = 3 ] && [ ! -s "$tmp/err" ]'
ok "--dir without inotify: one recording has the events of all processes" \
  recorded ../search.evr
ok "nothing else is left" nothing_left
finish
