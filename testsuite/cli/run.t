#!/bin/sh
# eventring run: the program runs as it does alone, and every event is read.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile run
mkdir here tmp && cd here || exit 1
TMPDIR=$tmp/tmp
export TMPDIR
nothing_left() { [ -z "$(ls -A "$tmp/tmp")" ] && [ -z "$(ls -A .)" ]; }
minors_in() { eventring stat "$1" | grep -q "^collections  minor $2,"; }
minors() { jq '.total.minor_collections' "$1"; }

# Exit code, output and arguments of the program.
run eventring run -- ../run print hello minor 20 exit 7
ok "the exit code is the program's" exits 7
ok "the program's output is printed" [ "$(cat ../out)" = hello ]
ok "the summary is on standard error" err_has '^process [0-9]* .*/run (ended)'
ok "the summary has the program's collections" \
  err_has '^collections  minor 2[0-9],'
ok "no file is left in the working directory or in TMPDIR" nothing_left
run eventring run -q ../run exit 0
ok "--quiet: nothing is printed" silent
run eventring run -q ../run kill
ok "a signal that ends the program ends eventring too" exits 143
run eventring run ../run raise
ok "an exception: the exit code is the program's" exits 2
ok "an exception: the summary says that the program ended" \
  err_has '^process [0-9]* .*/run (ended)'
ok "no file is left after a signal or an exception" nothing_left
run_full() { eventring run "$@" 2>/dev/full; }
run run_full ../run exit 3
ok "a summary that cannot be written does not hide the program's exit code" \
  exits 3
run run_full ../run kill
ok "a summary that cannot be written does not hide the program's signal" \
  exits 143
run run_full ../run exit 0
ok "a summary that cannot be written: the exit code 0 becomes 4" exits 4
run eventring run -q -- ../run print -- print --help
ok "arguments that look like options are the program's" \
  [ "$(cat ../out)" = "$(printf -- '--\n--help')" ]
echo input >"$tmp/input"
"$EVENTRING_BIN" run -q cat <"$tmp/input" >"$tmp/out"
ok "standard input is the program's" [ "$(cat "$tmp/out")" = input ]

# Signals that are sent to eventring.  A shell's background command ignores SIGINT.
for signal in TERM:15 INT:2 HUP:1; do
  rm -f "$tmp/ready"
  env --default-signal=INT "$EVENTRING_BIN" run -q ../run catch >"$tmp/ready" &
  runner=$!
  started="$started $runner"
  within 60 grep -q ready "$tmp/ready"
  kill -"${signal%:*}" "$runner"
  wait "$runner"
  status=$?
  ok "SIG${signal%:*} is passed on" exits "${signal#*:}"
done

# Stopped and continued, as by a shell with job control.
"$EVENTRING_BIN" run -q sleep 60 &
runner=$!
started="$started $runner"
program_of() { ps --ppid "$runner" -o pid=,comm= | sed -n 's/ sleep$//p'; }
runs() { [ -n "$(program_of)" ]; }
within 60 runs
program=$(($(program_of)))
started="$started $program"
both_are() {
  [ "$(ps -o stat= -p "$runner" | cut -c1)" = "$1" ] &&
    [ "$(ps -o stat= -p "$program" | cut -c1)" = "$1" ]
}
for round in first second; do
  kill -TSTP "$runner"
  ok "SIGTSTP stops the program and the command, $round time" \
    within 60 both_are T
  kill -CONT "$runner"
  ok "SIGCONT continues both, $round time" within 60 both_are S
done
kill -TERM "$runner"
wait "$runner" 2>/dev/null
status=$?
ok "SIGTERM after SIGCONT is passed on" exits 143

ignores() {
  (trap '' PIPE; exec "$@" awk '/^SigIgn/ { print $2 }' /proc/self/status)
}
ok "the program ignores SIGPIPE as eventring was told to, and no more" \
  [ "$(ignores "$EVENTRING_BIN" run -q)" = "$(ignores env)" ]

without_children() { env --ignore-signal=CHLD "$EVENTRING_BIN" run -q "$@"; }
run without_children sh -c 'exit 3'
ok "SIGCHLD is ignored: the exit code is the program's" exits 3
ok "SIGCHLD is ignored: the program ignores it too" \
  [ "$(without_children awk '/^SigIgn/ { print $2 }' /proc/self/status)" = \
    "$(env --ignore-signal=CHLD awk '/^SigIgn/ { print $2 }' /proc/self/status)" ]

# Output to a FIFO that no process reads.
mkfifo ../fifo
for option in -o --summary; do
  "$EVENTRING_BIN" run --force "$option" ../fifo ../run exit 0 2>/dev/null &
  runner=$!
  started="$started $runner"
  # The command opens it, or its child that writes the output after the end.
  opens() { ps -o wchan:20= -p "$runner" --ppid "$runner" |
              grep -q wait_for_partner; }
  ended() { ! ps --ppid "$runner" -o args=,stat= | grep -v Z |
              grep -q '^\.\./run'; }
  within 60 opens; within 60 ended
  kill -TERM "$runner"
  gone() { ! kill -0 "$runner" 2>/dev/null || grep -q ') Z' "/proc/$runner/stat"; }
  ok "$option: a FIFO that nobody reads: SIGTERM ends the command" \
    within 60 gone
  kill -KILL "$runner" 2>/dev/null
  wait "$runner" 2>/dev/null
done
rm -rf ../tmp/*

# Each collection is counted.  The rings hold all of them, since the command may
# have to wait for a processor.
run env OCAMLRUNPARAM=e=19 \
  "$EVENTRING_BIN" run --json --summary ../json ../run minor 5000 domain 5000
ok "10000 collections in two domains" [ "$(minors ../json)" -ge 10000 ]
ok "no event of 10000 collections was lost" \
  [ "$(jq '.lost_events' ../json)" = 0 ]
run eventring run --json --summary ../json ../run minor 10
ok "a summary's file is not overwritten" \
  eval 'exits 4 && err_has "json: File exists"'
run eventring run --force --json --summary ../json ../run minor 10
ok "a summary's file is overwritten with --force" \
  [ "$(minors ../json)" -lt 100 ]

# Recorded.
run eventring run -q -o ../out.evr ../run minor 3000 domain 3000
ok "--output: the command exits with 0" exits 0
run eventring stat --json ../out.evr
ok "--output: the recording has all collections" [ "$(minors ../out)" -ge 6000 ]
run eventring check ../out.evr
ok "--output: the recording has no findings" exits 0
events_of() { jq '.total.events + .lost_events' "$1"; }
# The command is stopped meanwhile, so that it finds new events in all rings.
run eventring run -o ../many.evr --json --summary ../many.json \
  ../run stop domains 30 900 continue
# The first events are overwritten before the command, which is stopped, finds
# the ring file.
cat >late <<'END'
kill -STOP $PPID
until ps -o stat= -p $PPID | grep -q '^T'; do sleep 0.01; done
exec ../run domains 1 50000 continue
END
for output in "-o ../late.evr" ""; do
  run eventring run -c user -e 12 $output --json --summary ../late.json \
    sh late
  ok "run $output: overwritten events are lost" eval \
    '[ "$(jq .lost_events ../late.json)" -gt 1000 ] &&
     [ "$(events_of ../late.json)" = 50000 ]'
  rm -f ../late.json
done
run eventring stat --json ../late.evr
ok "--output: overwritten events are lost in the recording, too" eval \
  '[ "$(jq .lost_events ../out)" -gt 1000 ] && [ "$(events_of ../out)" = 50000 ]'
rm late

# A file that cannot grow, as on a full disk.  The ring file may.
limited() { (trap '' XFSZ; ulimit -S -f 8; exec "$@"); }
run limited "$EVENTRING_BIN" run -e 19 -o ../limit.evr \
  sh -c 'ulimit -S -f unlimited; exec ../run minor 5000 print end'
ok "a recording that cannot grow: one line says so" eval \
  '[ "$(grep -c "cannot write ../limit.evr: File too large" "$tmp/err")" = 1 ]'
ok "a recording that cannot grow: the exit code is 4" eval \
  'exits 4 && out_has end'
ok "a recording that cannot grow: the summary has all events" eval \
  'err_has "^collections  minor 50[0-9][0-9]," && ! err_has lost'
run limited "$EVENTRING_BIN" run -o ../limit.evr --force --trace ../limit.json \
  sh -c 'ulimit -S -f unlimited; exec ../run minor 5000 exit 5'
ok "a recording that cannot grow does not hide the program's exit code" exits 5
ok "a recording that cannot grow: no trace is made of it" [ ! -e ../limit.json ]
head -c 5000 ../many.evr >../cut.evr
run eventring events ../cut.evr
ok "a recording that is cut: the place is reported" \
  eval 'exits 3 && err_has "cut.evr: cut or damaged from byte"'
run eventring stat --json ../many.evr
ok "the summary has as many events as the recording" \
  [ "$(events_of ../many.json)" = "$(events_of ../out)" ]
run eventring run -q -o ../out.evr ../run minor 1
ok "a recording is not overwritten" \
  eval 'exits 4 && err_has "out.evr: File exists"'
run eventring run -q -o /nonexistent/x.evr ../run print ran
ok "a recording that cannot be created: the program runs all the same" \
  eval 'exits 4 && out_has ran && err_has "cannot create /nonexistent/x.evr"'
run eventring run -o /nonexistent/x.evr ../run minor 100
ok "a recording that cannot be created: the summary is printed" \
  eval 'exits 4 && err_has "^collections  minor 1[0-9][0-9],"'

# A trace of it.
run eventring run -q --trace ../out.json ../run minor 1000 domain 1000
ok "--trace: minor collections of both domains" \
  eval '[ "$(jq "[.traceEvents[] | select(.name == \"minor\" and .ph == \"B\")]
                 | length" ../out.json)" -ge 2000 ]'
ok "--trace leaves no recording" nothing_left
run eventring run -q --trace ../out.json ../run minor 1
ok "a trace is not overwritten" eval 'exits 4 && err_has "out.json"'
mkdir ../json.ctf
for option in --output=../out.evr --trace=../out.json --trace=../json.ctf \
  --summary=../json; do
  run eventring run $option ../run print ran
  ok "$option that exists is refused before the program runs" \
    refused 4 "${option#*=}: File exists; --force"
done
rmdir ../json.ctf
# run_in_steps ARG...: eventring run; the program may wait for the file go, which
# is made when its ring file is read
run_in_steps() {
  rm -f go
  "$EVENTRING_BIN" run "$@" >"$tmp/out" 2>"$tmp/err" &
  of=$!
  started="$started $of"
  reads() { grep -q '\.eventring$' "/proc/$of/maps"; }
  within 60 reads
  : >go
  wait "$of"
  status=$?
  rm go
}
run_in_steps -q --trace ../exec.json ../run minor 10 until go exec ../run minor 20
ok "--trace has both programs of an exec" \
  eval '[ "$(jq "[.traceEvents[] | select(.name == \"process_name\")]
                 | length" ../exec.json)" = 2 ]'
ok "--trace leaves no recording of an exec" nothing_left

run eventring run -q --trace ../out.xyz ../run print ran exit 5
ok "--trace: a file of an unknown format is refused before the program runs" \
  refused 2 'unknown format of ../out.xyz'
ok "--trace with an unknown format leaves no file" nothing_left
mkdir ../folder.json
run eventring run --force --trace ../folder.json ../run minor 10 exit 5
ok "a trace that cannot be written does not hide the program's exit code" \
  eval 'exits 5 && err_has "folder.json: "'
ok "a trace that cannot be written: the summary is printed" \
  err_has '^collections  minor 1[0-9],'
ok "a trace that cannot be written leaves no file" nothing_left
mkfifo ../fifo.json
"$EVENTRING_BIN" run -q --force --trace ../fifo.json ../run minor 10 exit 5 &
runner=$!
started="$started $runner"
within 60 opens
kill -TERM "$runner"
wait "$runner"
status=$?
ok "SIGTERM ends the writing of a trace; the exit code is the program's" exits 5
ok "SIGTERM during the writing of a trace leaves no file" nothing_left
rm -rf ../folder.json ../fifo.json

# One file for two outputs.
ln -s ../same.json link
for pair in "-o:--trace" "-o:--summary" "--trace:--summary"; do
  run eventring run --force ${pair%:*} ../same.json ${pair#*:} \
    "$tmp/here/../same.json" ../run print ran
  ok "$pair: one file that is not there yet is refused" \
    refused 2 'are one file'
  touch ../same.json
  run eventring run --force ${pair%:*} ../same.json ${pair#*:} link \
    ../run print ran
  if [ ${pair#*:} = --trace ]; then
    ok "$pair: a link without an ending is refused" refused 2 'unknown format'
  else
    ok "$pair: one file by two names is refused" refused 2 'are one file'
  fi
  rm ../same.json
done
rm link
run eventring run -o /dev/null --summary /dev/null --force ../run minor 1
ok "a device may be given twice" exits 0

# The events that are recorded.
run eventring run -q -c user -o ../user.evr ../run minor 100
run eventring events ../user.evr
ok "--categories: other categories are not recorded" eval '! out_has minor'
run eventring run -q -d "$tmp/here" -e 12 ../run minor 100
ok "--dir keeps the ring file in that folder" \
  [ "$(ls *.eventring | wc -l)" = 1 ]
ok "--ring sets the size of the rings" \
  [ "$(stat -c %s ./*.eventring)" -lt 20000000 ]
rm -f ./*.eventring
for force in "" --force; do
  echo mine >../victim
  # $$ is the process id of eventring.
  run sh -c 'ln -s ../victim "eventring-$$.evr"
             exec "$EVENTRING_BIN" run "$@"' sh -q -d . --trace=../dir.json \
    $force ../run minor 1
  ok "--dir --trace $force: a file in the folder is neither used nor removed" \
    eval 'exits 0 && [ "$(cat ../victim)" = mine ] && [ -L eventring-*.evr ]'
  rm -f eventring-*.evr
  ok "--dir --trace $force: only the ring file is left" \
    [ "$(ls | grep -vc '\.eventring$')" = 0 ]
  rm -f ./*.eventring
  run rm ../dir.json
done

# Programs that are replaced by another program.
run_in_steps ../run minor 10 until go exec ../run minor 500 exit 5
ok "exec: the exit code is that of the last program" exits 5
ok "exec: the summary is that of the last program, and of both" \
  eval 'err_has "^collections  minor 50[0-9]," && err_has "^all 2 processes:"'
run_in_steps -q -o ../becomes.evr ../run minor 10 until go exec ../run minor 500
ok "exec: each program is a process of the recording" \
  eval 'minors_in ../becomes.evr:1 1. && minors_in ../becomes.evr:2 50.'
run eventring run -o ../again.evr \
  ../run minor 10 sleep 0.3 untrace trace minor 500 sleep 0.3 untrace sleep 0.3 \
  trace minor 20
ok "a program that stops its tracing and starts it again: three processes" \
  eval 'minors_in ../again.evr:1 1. && minors_in ../again.evr:2 50. &&
        minors_in ../again.evr:3 2.'
ok "tracing started again: a line says so, and each session is in the summary" \
  eval 'err_has "started it again, 2 times; each session is a process" &&
        err_has "^all 3 processes:"'
run_in_steps ../run minor 10 until go untrace trace untrace trace untrace trace \
  minor 20
ok "sessions that were not read count too" err_has 'started it again, 3 times'
# Five sessions of a shell, of which three are replaced before they can be read;
# the other file keeps reports of the same name apart.
get_make_ring
cat >../sessions.sh <<'EOF'
now=$(awk '{ printf "%.0f", $1 * 1e9 }' /proc/uptime)
for s in 1 2 3 4 5; do
  printf '%s\n' "0 0 instant ring_start 1" "0 3000 instant ring_stop 0" |
    ../make_ring script ../s$s pid=$$ minor=10 session=$s \
      monotonic=$((now + s * 1000000)) traced_since=$((now + s * 1000000)) \
      boot="$(cat /proc/sys/kernel/random/boot_id)" || exit 1
done
mv ../s1 "$OCAML_EVENTRING_PREFIX/$$.eventring"
until grep -q "/$$.eventring" "/proc/$PPID/maps"; do sleep 0.01; done
exec perl -e 'for (2..5) {
  rename "../s$_", "$ENV{OCAML_EVENTRING_PREFIX}/$$.eventring" or exit 1;
  open my $f, ">", "$ENV{OCAML_EVENTRING_PREFIX}/other";
  unlink "$ENV{OCAML_EVENTRING_PREFIX}/other";
}'
EOF
run eventring run sh ../sessions.sh
ok "sessions that were not read: the last one is" err_has 'it again, 4 times'
ok "sessions that were not read: no line says that their files could not be" \
  eval "! err_has 'could not be read'"
# A file that is no ring file is looked at, then there is one, and the file of
# another process is gone at once.
printf '%s\n' "0 0 instant ring_start 1" "0 3000 instant ring_stop 0" >../session
cat >../unfinished.sh <<'EOF'
mkfifo "$OCAML_EVENTRING_PREFIX/$$.eventring"
: >"$OCAML_EVENTRING_PREFIX/$$.eventring"
now=$(awk '{ printf "%.0f", $1 * 1e9 + 1e9 }' /proc/uptime)
../make_ring script ../s1 pid=$$ monotonic="$now" \
  boot="$(cat /proc/sys/kernel/random/boot_id)" <../session || exit 1
mv ../s1 "$OCAML_EVENTRING_PREFIX/$$.eventring"
until grep -q "/$$.eventring" "/proc/$PPID/maps"; do sleep 0.01; done
: >"$OCAML_EVENTRING_PREFIX/1.eventring"
rm "$OCAML_EVENTRING_PREFIX/1.eventring"
EOF
run eventring run sh ../unfinished.sh
ok "a file that could not be opened at first hides no file that is gone" \
  err_has '^eventring: 2 ring files could not be read'
# Another program writes to the directory, and a process is gone when its file is
# found.
mkdir ../shared
cat >../others.sh <<'EOF'
now=$(awk '{ printf "%.0f", $1 * 1e9 + 1e9 }' /proc/uptime)
for pid in "$1" 4242424; do
  ../make_ring script ../other pid=$pid monotonic="$now" \
    boot="$(cat /proc/sys/kernel/random/boot_id)" <../session || exit 1
  mv ../other "$OCAML_EVENTRING_PREFIX/$pid.eventring"
done
until grep -q "/4242424.eventring" "/proc/$PPID/maps"; do sleep 0.01; done
EOF
run eventring run --dir ../shared sh ../others.sh $$
ok "a process that is perhaps of another program is in the summary" \
  err_has '^process 4242424 '
ok "a line says that the process may be of another program" \
  err_has '^eventring: 1 of the processes had ended when its file was found'
run eventring run --dir ../shared sh ../others.sh 4242424
ok "no line says so in a directory of which there is no other user" eval \
  "err_has '^process 4242424 ' && ! err_has 'may be of another'"
run eventring run sh -c '../run minor 100; exit 4'
ok "a shell: the exit code is the shell's" exits 4
ok "a shell: a line says that it wrote no events" err_has 'sh wrote no events'
ok "a shell: the summary is that of the other process" \
  err_has '^collections  minor 10[0-9],'
run eventring run -q sh -c 'exec ../run minor 5 exit 6'
ok "a shell that executes the program: the exit code is the program's" exits 6
run eventring run ../run minor 10 fork 100 minor 10
ok "a child of the program is in the summary" \
  eval 'err_has "^collections  minor 2[0-9]," && err_has "^all 2 processes:" &&
        err_has "^collections  minor 12[0-9],"'
ok "no file is left after exec, shells and forks" nothing_left
run eventring run sh -c '../run minor 100 catch >daemon & until [ -s daemon ]
  do sleep 0.05; done; echo $! >pid'
kept=$(sed -n 's/.*1 traced process goes on .* in \(.*\), which stays$/\1/p' \
  "$tmp/err")
ok "a process that goes on keeps its ring file" \
  eval '[ -s "$kept/$(cat pid).eventring" ]'
kill "$(cat pid)"
rm -rf "$kept" daemon pid

# Programs and options that cannot be run.
run eventring run
ok "run without a program is refused" refused 2 'run: missing program'
for list in -all '' , gc,-all; do
  run eventring run -c "$list" ../run
  ok "-c '$list', which records nothing, is refused" \
    refused 2 'leaves no category'
done
# Nothing to read.
# shellcheck disable=SC2016 # for the program's shell
ring='"$OCAML_EVENTRING_PREFIX/$$.eventring"'
run eventring run true
ok "a program that writes no events: the exit code 0 becomes 3, and a line says why" \
  refused 3 'true wrote no events: .*; there is no summary'
run eventring run -q sh -c 'exit 7'
ok "its own exit code stays, and --quiet does not hide the line" \
  refused 7 'there is no summary'
run eventring run sh -c "rm -r \"\$OCAML_EVENTRING_PREFIX\"; exec ../run minor 5"
ok "a folder that is removed: the exit code 0 becomes 3" \
  eval 'exits 3 && err_has "there is no summary"'
run eventring run sh -c "echo other >$ring"
ok "a ring file that is none: the exit code 0 becomes 3, and a line says why" \
  refused 3 'sh is not in the summary: .*not a ring file'
if can_be_nobody; then
  mkdir -m 1777 "$tmp/open"
  nobodys() { (export TMPDIR="$tmp/open"; as_nobody "$@"); }
  run nobodys run sh -c ": >$ring; chmod 0 $ring"
  ok "a ring file without permission: the exit code 0 becomes 3" \
    refused 3 'sh is not in the summary: .*Permission denied'
  run nobodys run sh -c ": >$ring; chmod 0 $ring; exit 5"
  ok "with its own exit code, that stays" refused 5 'is not in the summary'
else
  skip "a ring file without permission" "needs root and setpriv"
fi
run eventring run --ring 3 ../run
ok "a ring that is too small is refused" refused 2 '\-\-ring 3 is not'
run eventring run ./none
ok "a program that does not exist: the exit code is 127" \
  refused 127 'cannot run ./none: No such file'
echo >file
run eventring run ./file
ok "a file that is not executable: the exit code is 126" \
  refused 126 'cannot run ./file: Permission denied'
rm file
run eventring run -d /nonexistent ../run
ok "a folder that does not exist: the program does not run" \
  refused 4 '/nonexistent: No such file'
run env TMPDIR=/nonexistent "$EVENTRING_BIN" run ../run print ran
ok "a TMPDIR that does not exist: the program does not run" \
  refused 4 'cannot make a folder'
ok "no file is left after programs that did not run" nothing_left
finish
