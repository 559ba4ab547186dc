#!/bin/sh
# eventring batch: runs, manifests, and the state after any interruption.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile batch
export EVENTRING_STORE="$tmp/store" TMPDIR="$tmp/tmp"
mkdir tmp
unset OPAM_SWITCH_PREFIX
schema=$EVENTRING_TOP/doc/manifest.schema.json
: "${EVENTRING_STOCK:=$EVENTRING_TOP/_build/stock/install}"

# runs FILTER FOLDER: FILTER of jq for the member run of each run
runs() { jq -r ".run | $1" "$2"/[0-9]*.json; }
numbers() { runs .number "$1" | tr '\n' ' '; }
counts() { [ "$(ls "$1" | grep -c '\.json$')" = "$(($2 + 1))" ]; }
one_line() { exits "$1" && [ "$(wc -l <err)" -eq 1 ] && err_has "$2"; }
ends_clean() { ! [ -e "$1/.making" ] && [ -z "$(ls -A tmp)" ]; }

# The ordinary case

run eventring batch --runs 6 --seed 7 -o two -- ./batch 100000 -- ./batch 1000
ok "a batch of two commands makes all runs" eval 'exits 0 && counts two 12'
each_round() { runs '"\(.round) \(.command)"' two | sort >pairs &&
  for i in 1 2 3 4 5 6; do echo $i 1; echo $i 2; done | cmp pairs -; }
ok "each round has each command once" each_round
ok "the labels tell the commands apart" \
  eval 'out_has "^./batch 100000  *6  *0 " && out_has "^./batch 1000  *6  *0 "'
ok "a batch leaves no temporary files" ends_clean two
ok "standard error names the folder and the seed" \
  one_line 0 "batch in $tmp/two, seed 7$"
run eventring batch --runs 1 -o random -- ./batch 9
ok "a seed that was not given is printed, too" eval 'one_line 0 ", seed [0-9]*$" &&
  [ "$(sed -n "s/.*, seed //p" err)" = "$(jq .seed random/batch.json)" ]'
cat >variables.sh <<'END'
#!/bin/sh
echo "$ANSWER $OCAMLRUNPARAM $OCAML_EVENTRING_START" >>variables
END
chmod +x variables.sh
run eventring batch -q --runs 1 --warm-up 0 --no-trace -o set -- \
  ANSWER=4 OCAMLRUNPARAM=s=1M ./variables.sh -- \
  OCAML_EVENTRING_START=paused ./variables.sh A=b
ok "assignments before a program are variables of its environment" eval \
  'exits 0 && [ "$(sort variables)" = "  paused
4 s=1M " ]'
of_set() { jq -r "select(.run.command == $1) | .manifest | $2" set/[0-9]*.json; }
ok "the manifest has the variables of its command" eval \
  '[ "$(of_set 1 .environment.ANSWER)" = 4 ] &&
   [ "$(of_set 1 .environment.OCAMLRUNPARAM)" = s=1M ] &&
   [ "$(of_set 2 .environment.ANSWER)" = null ] &&
   [ "$(of_set 2 ".argv | join(\" \")")" = "./variables.sh A=b" ]'
ok "labels tell commands apart by their variables" eval \
  '[ "$(jq -r ".commands[0].label" set/batch.json)" = \
     "ANSWER=4 OCAMLRUNPARAM=s=1M ./variables.sh" ]'
run eventring batch -q -o none -- ANSWER=4
ok "variables without a program are refused" one_line 2 'no command stands'
OCAMLRUNPARAM=s=9k eventring batch -q --runs 1 --warm-up 0 -o started -- \
  OCAML_EVENTRING_START=0 ./batch 9 -- OCAMLRUNPARAM=s=8k ./batch 9
ok "a variable of a command wins over the environment and over tracing" eval \
  '[ "$(jq -s "map(select(.run.command == 1) | .run.traced)[0]" \
        started/[0-9]*.json)" = false ] &&
   [ "$(jq -rs "map(.manifest.environment.OCAMLRUNPARAM) | sort | join(\" \")" \
        started/[0-9]*.json)" = "s=8k s=9k" ]'
run eventring batch -q --runs 6 --seed 7 -o again -- ./batch 9 -- ./batch 8
ok "the same seed gives the same order" \
  [ "$(runs .command two | tr -d '\n')" = "$(runs .command again | tr -d '\n')" ]
ok "--quiet prints nothing" silent
run eventring batch -q --runs 6 --seed 8 -o other -- ./batch 9 -- ./batch 8
ok "another seed gives another order" \
  [ "$(runs .command two | tr -d '\n')" != "$(runs .command other | tr -d '\n')" ]
ok "files of a batch are for their owner only" \
  [ -z "$(find two -perm /077)" ]

sums() { for f in two/[0-9]*.json; do
  [ "$(jq -r '.manifest.recordings[0].xxh64' $f)" = \
    "$(xxh64 "${f%.json}.evr")" ] || return 1; done; }
xxh64() { python3 "$here/xxh64.py" "$1"; }
ok "the checksum of each recording is XXH64" sums
for f in two/[0-9]*.evr; do eventring stat --json "$f"; done |
  jq .total >stat
jq .summary.total two/[0-9]*.json >summary
ok "the summary of a run is that of eventring stat" cmp stat summary

mkdir source
cat >source/counts.ml <<'M'
let () =
  let last = Eventring.Counter.register "last" in
  Eventring.Counter.sample last 1;
  Eventring.Counter.sample last (int_of_string Sys.argv.(1))
M
tests_of=$here here=$tmp/source
compile counts
here=$tests_of
eventring batch -q --runs 3 -o counted -- ./counts 5 -- ./counts 7
ok "the summary of a run has the last values of the program's counters" \
  [ "$(jq -sc "map(.summary.counters) | unique" counted/[0-9]*.json)" = \
    '[{"last":5},{"last":7}]' ]
eventring compare counted --all-figures --json >compared
ok "compare compares the last values of counters" eval 'jq -e \
  "[.. | objects | select(.name? == \"counters.last\")] | length >= 1" compared'
ok "the runs that allocate more have more minor collections" \
  eval '[ "$(jq -s "map(select(.run.command == 1)
                        | .summary.total.minor_collections) | min" \
             two/[0-9]*.json)" -gt 0 ]'
ok "a run has the wall time and processor time of the process" \
  eval '! runs "select(.wall_ns < .user_ns / 2 or .wall_ns <= 0)" two | grep .'
run eventring check two/*[0-9].json two/000001.evr
ok "eventring check finds runs as they were written" exits 0

# Programs of all kinds

if [ -x "$EVENTRING_STOCK/bin/ocamlopt" ]; then
  "$EVENTRING_STOCK/bin/ocamlopt" -I +unix unix.cmxa batch.ml -o stock 2>err ||
    exit 1
  run eventring batch --runs 2 -o ordinary -- ./stock 100000 -- ./batch 100000
  ok "a program of stock OCaml is measured and not traced" \
    [ "$(jq -c 'select(.run.label == "stock") | [.run.traced, .summary]' \
      ordinary/[0-9]*.json | sort -u)" = '[false,null]' ]
  run eventring batch --runs 2 --stock-events -o events -- ./stock 1000000
  ok "--stock-events traces it" eval 'jq -se "map(.summary.total
    | .minor_collections > 0) == [true, true]" events/[0-9]*.json'
  ok "a program of stock OCaml is traced only if asked" \
    [ "$(find events -name '*.evr' | wc -l)" = 2 ]
else
  skip "a program of stock OCaml is measured" "there is no stock OCaml"
fi
run eventring batch --runs 2 --no-trace -o times -- ./batch 1000
ok "--no-trace traces nothing" [ "$(runs .traced times | sort -u)" = false ]
cat >script.sh <<'END'
#!/bin/sh
./batch 10000
exec ./batch 20000
END
chmod +x script.sh
run eventring batch --runs 1 -o script -- ./script.sh
ok "of a script, the program that it becomes is recorded, others are counted" \
  [ "$(runs '"\(.traced) \(.other_processes)"' script)" = "true 1" ]
ok "the interpreter of a script is in its manifest" [ "$(jq -r \
  '.manifest.program.libraries[0].path' script/000001.json)" = /bin/sh ]
run eventring batch --runs 1 --label first --label second -o labels \
  -- true -- true -- true -- true
ok "labels are given or derived, and differ" \
  [ "$(jq -r '.commands[].label' labels/batch.json | tr '\n' ,)" = \
    'first,second,true,true (2),' ]

run eventring batch --runs 2 -o failing -- ./batch 9 9 3
ok "a program that fails in a warm-up ends the batch" \
  eval 'exits 1 && err_has "warm-up of batch failed: exit code 3"'
run eventring batch --warm-up 0 --runs 2 -o failing1 -- ./batch 9 9 3
ok "a failed run ends the batch, and is kept and flagged" eval \
  'exits 1 && err_has "run 1 of batch failed" &&
   [ "$(runs "\"\(.failed) \(.exit_code)\"" failing1)" = "true 3" ]'
run eventring batch --keep-going --runs 2 -o failing2 -- ./batch 9 9 kill
ok "--keep-going goes on; signals are flagged" eval \
  'exits 1 && [ "$(runs "\"\(.failed) \(.signal)\"" failing2 | sort -u)" = \
    "true 9" ] && counts failing2 2'
run eventring batch --runs 1 -o output -- sh -c 'echo printed; echo and >&2'
ok "the output of programs is discarded" eval '! cat out err | grep -q printed'
run eventring batch --runs 1 --program-output -o output1 -- sh -c 'echo printed'
ok "--program-output shows it" out_has printed
echo something | run eventring batch --runs 1 -o input -- sh -c '! read x'
ok "programs have no input" exits 0
run eventring batch -o none -- ./batch 1 -- ./no-such-program
ok "a program that is not there: one line, and no batch" eval \
  'refused 3 "cannot run ./no-such-program: no such program" && ! [ -e none ]'
touch no-program
run eventring batch -o none -- ./no-program
ok "a file that is no program is refused" \
  refused 3 "cannot run ./no-program: it is no file that can be executed"
run eventring batch -o none -- "$tmp"
ok "so is a folder" refused 3 "it is no file that can be executed"

# Limits

run eventring batch --precision 45% --runs 200 -o precise -- ./batch 10 20
ok "--precision ends a batch" \
  eval 'exits 0 && [ "$(numbers precise | wc -w)" -lt 200 ]'
ok "a precision needs six runs" [ "$(numbers precise | wc -w)" -ge 6 ]
run eventring batch --for 300ms -o timed -- ./batch 10 20
ok "--for ends a batch" eval 'exits 0 && [ "$(numbers timed | wc -w)" -lt 16 ]'
run eventring batch --continue=two --runs 8
ok "--continue with more runs adds them" eval 'exits 0 && counts two 16'
run eventring batch --continue=two
ok "a batch that is complete stays as it is" eval 'exits 0 && counts two 16'

# Manifests

cat >facts <<'END'
.manifest | [.argv[1], .directory, .environment.OCAMLRUNPARAM,
  .program.executable.path, (.program.libraries | length > 0),
  (.machine.key | length), (.conditions.load | length),
  .recordings[0].lost_events, (.recordings[0].categories | length > 0)]
END
OCAMLRUNPARAM=v=0 SECRET_TOKEN=hunter2 run eventring batch --runs 1 -o facts1 \
  -c gc,user -e 12 -- ./batch 100000
OCAMLRUNPARAM=v=0 SECRET_TOKEN=hunter2 eventring batch -q --runs 1 -o facts1 \
  -c gc,user -e 12 -- ./batch 100000 2>/dev/null
ok "a manifest has the facts" [ "$(jq -c -f facts facts1/000001.json)" = \
  "[\"100000\",\"$tmp\",\"v=0,e=12\",\"$tmp/batch\",true,16,3,0,true]" ]
ok "no other variable of the environment is kept" \
  eval '! grep -rq "hunter2\|SECRET_TOKEN" facts1'
ok "--categories and --ring apply" [ "$(jq -c '.manifest.recordings[0]
  | [.ring_words, .categories]' facts1/000001.json)" = '[4096,["gc","user"]]' ]
OCAML_EVENTRING_PROFILE=500 OCAML_EVENTRING_PROFILE_PERF=0 \
  eventring batch -q --runs 1 -o sampled -- ./batch 9
ok "a manifest has the variables of samples" [ "$(jq -c '.manifest.environment |
  [.OCAML_EVENTRING_PROFILE, .OCAML_EVENTRING_PROFILE_PERF]' \
  sampled/000001.json)" = '["500","0"]' ]
OCAML_EVENTRING_PROFILE_ALLOC=1 eventring batch -q --continue=sampled --runs 2
ok "a batch goes on with those that it was begun with" [ "$(jq -c \
  '.manifest.environment | [.OCAML_EVENTRING_PROFILE,
    .OCAML_EVENTRING_PROFILE_PERF, .OCAML_EVENTRING_PROFILE_ALLOC]' \
  sampled/000002.json)" = '["500","0",null]' ]
eventring batch -q --runs 1 --warm-up 0 --profile=700 -o rate -- ./batch 9 -- \
  OCAML_EVENTRING_PROFILE=90 ./batch 9
eventring batch -q --continue=rate --runs 2
ok "--profile takes samples in every run, and a command its own way" [ "$(jq -sc \
  'map([.run.command, .manifest.environment.OCAML_EVENTRING_PROFILE,
    (.manifest.recordings[0].categories | index("profile") != null)]) | sort' \
  rate/[0-9]*.json)" = \
  '[[1,"700",true],[1,"700",true],[2,"90",true],[2,"90",true]]' ]
mkdir repository && cd repository && git init -q -b trunk . &&
  git -c user.name=T -c user.email=t@t commit -q --allow-empty -m one
eventring batch -q --runs 1 -o ../git1 -- true
touch new
eventring batch -q --runs 1 -o ../git2 -- true
cd ..
commit=$(git -C repository rev-parse HEAD)
ok "a manifest has the commit and the branch" \
  [ "$(jq -c '.manifest.git | [.commit, .branch, .changes_xxh64]' \
    git1/000001.json)" = "[\"$commit\",\"trunk\",null]" ]
ok "a manifest has a checksum of uncommitted changes" \
  [ "$(jq -r '.manifest.git.changes_xxh64 | length' git2/000001.json)" = 16 ]
mkdir -p switch/.opam-switch repository/dune.lock
echo 'installed: ["base-unix.base" "ocaml.5.3.0"]' >switch/.opam-switch/switch-state
echo '(version 1.2.3)' >repository/dune.lock/fmt.pkg
(cd repository && OPAM_SWITCH_PREFIX=$tmp/switch eventring batch -q --runs 1 \
  -o ../packages -- true)
ok "a manifest has the packages of opam and dune" \
  [ "$(jq -c .manifest.packages packages/000001.json)" = \
    '{"opam":{"base-unix":"base","ocaml":"5.3.0"},"dune":{"fmt":"1.2.3"}}' ]
ok "a manifest says what could not be found" \
  eval 'jq -r ".manifest.unknown[]" git1/000001.json | grep -q "no opam switch"'
PATH=$EVENTRING_STAGE/bin:$PATH eventring batch -q --runs 1 -o compiler -- true
ok "a manifest has the compiler and its configure options" \
  eval 'jq -e ".manifest.compiler | .version == \"5.3.0\" or
    (.version | startswith(\"5.3.0\"))" compiler/000001.json &&
    jq -e ".manifest.compiler.configure | length > 0" compiler/000001.json'
if python3 -c 'import jsonschema' 2>/dev/null; then
  ok "each manifest is as the schema says" python3 \
    "$here/batch_schema.py" "$schema" */[0-9]*.json
  jq '.run.wall_ns = "long" | .manifest.surprise = 1' two/000001.json >wrong.json
  ok "the test of the schema can fail" \
    eval '! python3 "$here/batch_schema.py" "$schema" wrong.json'
else
  skip "each manifest is as the schema says" "there is no jsonschema"
fi

# Changes afterwards

cp -r two changed
flip() { python3 - "$1" "$2" <<'END'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[int(sys.argv[2])] ^= 1
open(sys.argv[1], "wb").write(data)
END
}
flip changed/000003.evr 2000
run eventring check changed/000003.json
ok "a flipped byte in a recording is noticed" eval \
  'exits 1 && out_has "000003.evr was changed after the run"'
run eventring check changed/000004.json
ok "the run beside it is as it was" exits 0
sed -i 's/"wall_ns":/"wall_ns":1/' changed/000005.json
run eventring check changed/000005.json
ok "a changed figure is noticed" eval 'exits 1 && out_has "own file was changed"'
rm changed/000006.evr
run eventring check --json changed/000006.json
ok "a missing recording is noticed" eval \
  'exits 1 && jq -e ".right == false and (.findings[0].what |
     test(\"000006.evr cannot be read\"))" out'
echo '{' >changed/000007.json
run eventring check changed/000007.json
ok "a file that is no run is refused" one_line 3 '000007.json: line'
run eventring batch --continue=changed --runs 8
ok "a run that cannot be read does not count, and one line says so" \
  eval 'exits 0 && err_has "run 7 cannot be read, and does not count"'
mkdir moving && cp batch moving/
run eventring batch --runs 2 -o moved -- ./moving/batch 100
printf x >>moving/batch
run eventring batch --runs 4 --continue=moved
ok "a program that changed since the batch began is refused" \
  one_line 3 'moving/batch is not the file with which the batch began'
cp batch moving/
cat >swap.sh <<END
#!/bin/sh
[ -e started ] && cp "$tmp/stage2" "$tmp/moving/new" &&
  mv "$tmp/moving/new" "$tmp/moving/batch"
touch started
END
cp batch stage2; printf x >>stage2; chmod +x swap.sh
run eventring batch --warm-up 0 --runs 9 -o swapped -- ./swap.sh -- ./moving/batch 9
ok "a program that changes during the batch is an error in one line" eval \
  'exits 3 && [ "$(grep -c "moving/batch was changed while the batch ran" err)" = 1 ]'
touch batch
run eventring batch --runs 9 --continue=two
ok "another date of the same program is no change" exits 0
jq '.machine.key = "0123456789abcdef"' two/batch.json >machine.json
mkdir foreign && cp machine.json foreign/batch.json
run eventring batch --continue=foreign
ok "a batch of another machine is not continued" \
  one_line 3 'begun on a machine with another processor'

# Interruptions

cat >kills.sh <<'END'
#!/bin/sh
# The second, fifth and sixth time, it kills the batch, the parent of its parent.
echo >>begun
case $(wc -l <begun) in
  2 | 5 | 6) kill -KILL "$(cut -d ' ' -f 4 "/proc/$PPID/stat")" ;;
esac
END
chmod +x kills.sh
again="eventring batch -q --continue=killed"
run eventring batch -q --runs 6 --seed 3 --warm-up 0 -o killed -- ./kills.sh \
  -- ./batch 9
kills=0
while [ "$status" = 137 ] && [ $kills -lt 9 ]; do
  kills=$((kills + 1))
  run $again
done
ok "a batch goes on after SIGKILL" eval 'exits 0 && [ $kills = 3 ]'
ok "no run is lost or repeated" [ "$(numbers killed)" = "$(seq -s ' ' 12) " ]
eventring batch -q --runs 6 --seed 3 --warm-up 0 -o whole -- true -- ./batch 9
ok "the order is that of a batch that was not interrupted" \
  [ "$(runs .command killed | tr -d '\n')" = "$(runs .command whole | tr -d '\n')" ]
run eventring check killed/*[0-9].json
ok "all runs and recordings are as they were written" exits 0
ok "killed batches leave no temporary files" ends_clean killed

"$EVENTRING_BIN" batch --runs 9 --warm-up 0 -o signalled -- ./batch 9 500 &
batch=$!
within 60 test -e signalled/000001.json
run eventring batch --continue=signalled
ok "a batch that is being made is not continued" \
  one_line 4 'another eventring batch makes this batch'
kill -TERM $batch
wait $batch 2>/dev/null
status=$?
ok "SIGTERM ends a batch" exits 143
ok "SIGTERM leaves whole runs only, and no temporary files" \
  eval 'ends_clean signalled && ! counts signalled 9'
run eventring batch --continue=signalled
ok "it goes on after SIGTERM" eval 'exits 0 && counts signalled 9'

# Commits

mkdir history && cd history && git init -q -b trunk . && mkdir src
commit() { git add -A && git -c user.name=T -c user.email=t@t commit -q -m "$1"; }
echo '/src/prog' >.gitignore && commit start
for words in 100 200 broken 300; do
  echo "let () = Sys.opaque_identity (ignore (Array.make $words 0))" >src/prog.ml
  commit $words
done
cd src
run eventring batch --commits trunk~4..trunk --runs 2 -o ../../history1 \
  --build "$EVENTRING_STAGE/bin/ocamlopt -o prog prog.ml" -- ./prog
cd ../..
ok "a commit that cannot be built ends the batch" eval \
  'exits 3 && err_has "cannot be built: exit code 2; see .*history1/commits/"'
ok "the output of the build is kept" grep -q 'Unbound value.*broken' \
  history1/commits/*.log
run eventring batch --continue=history1 --keep-going
ok "with --keep-going the other commits are built and run" \
  eval 'exits 0 && counts history1 6'
hashes() { git -C history rev-list --reverse trunk~4..trunk | sed 3d; }
ok "the runs have the commits in their order" [ "$(hashes)" = "$(
  jq -r '[.run.command, .manifest.git.commit] | @tsv' history1/[0-9]*.json |
    sort -un | cut -f 2)" ]
ok "each commit has its own program" [ "$(jq -r \
  .manifest.program.executable.xxh64 history1/[0-9]*.json | sort | uniq -c |
    sed 's/^ *\([0-9]*\).*/\1/' | tr -d '\n')" = 222 ]
ok "the failed commit is in the plan" [ "$(jq -r '.commits.failed[]' \
  history1/batch.json)" = "$(git -C history rev-parse trunk~1)" ]
ok "the repository itself is left as it was" \
  [ -z "$(git -C history status --porcelain)" ]
(cd history/src && exec "$EVENTRING_BIN" batch --commits trunk~2..trunk --keep-going \
  --runs 1 -o ../../history2 --build "sleep 2; $EVENTRING_STAGE/bin/ocamlopt \
    -o prog prog.ml" -- ./prog) &
batch=$!
within 60 test -e history2/batch.json && kill -9 $batch
wait $batch 2>/dev/null
run eventring batch --continue=history2
ok "a batch goes on that was killed while it built" \
  eval 'exits 0 && counts history2 1'
cd history
run eventring batch --commits trunk..trunk --build true -- ./prog
ok "a range without commits is refused" refused 2 'names no commits'
cd ..
run eventring batch --commits HEAD -- ./prog
ok "--commits without --build is refused" refused 2 'go together'

# Full and read-only stores

if unshare -m true 2>/dev/null; then
  mkdir disk
  cat >full.sh <<'END'
mount -t tmpfs -o size=256k none disk || exit 9
"$EVENTRING_BIN" batch --runs 60 --warm-up 0 -o disk/full -- ./batch 1000000
echo $? >status
ls -A disk/full >files
mount -o remount,size=16m disk
"$EVENTRING_BIN" batch --continue=disk/full >/dev/null 2>&1
echo $? >>status
cp -r disk/full full
END
  run unshare -m sh full.sh
  ok "a full store: one line, and the exit code 4" eval \
    '[ "$(head -1 status)" = 4 ] &&
     [ "$(grep -c "No space left on device\|no space" err)" = 1 ] &&
     [ "$(wc -l <err)" = 2 ]'
  ok "a full store has nothing half-written" eval \
    '! grep -q "^\.making" files &&
     for n in $(sed -n "s/\.evr$//p" files); do grep -q "^$n\.json" files || exit 1; done'
  ok "a batch goes on when there is room" eval \
    '[ "$(tail -1 status)" = 0 ] && counts full 60 &&
     eventring check full/*[0-9].json >out'
  run unshare -m sh -c 'mount -t tmpfs -o ro none disk &&
    exec "$EVENTRING_BIN" batch --runs 2 -o disk/b -- ./batch 9'
  ok "a read-only store is refused in one line" refused 4 'Read-only file system'
else
  skip "a full store" "no right to mount"
fi

# Lists

run eventring batch -q --runs 2 -- ./batch 100 -- true
run eventring list --batches
ok "list --batches shows the batches of the store" \
  out_has '^batch-2[0-9TZ]*  .*  4  *0  *ended  batch, true'
name=$(sed -n 's/^\(batch-[0-9TZ]*\) .*/\1/p' out)
run eventring list "$name"
ok "list BATCH shows its runs by the name of the batch" \
  eval 'out_lines 5 && out_has "^000004  "'
run eventring list --json "$name"
ok "list --json has the runs" \
  eval 'jq -e ".runs | length == 4 and .[0].number == 1" out'
run eventring list --batches --json
ok "list --batches --json has the batches" \
  eval 'jq -e ".batches[0] | .runs == 4 and .labels == [\"batch\", \"true\"]" out'
run eventring list nothing
ok "a batch that is not there is refused" refused 3 'nothing is no batch'

# The command line

for case in "--runs 0:not a number from 1" "--runs 0x10:not a number from 1" \
  "--for 0x10:not a time" "--precision x:not a number" \
  "--for 0:not a time" "--ring 99:not a number from 9" \
  "--categories -all:leaves no category" "--warm-up 1.5:not a whole number" \
  "--profile=0:not a number from 1" "--profile --no-trace:only one of" \
  "--seed 4294967296:not a number from 0 to 4294967295" \
  "--label a --label b:2 labels for 1 commands" "--label=:empty" ; do
  run eventring batch ${case%%:*} -- ./batch
  ok "${case%%:*} is refused" refused 2 "${case#*:}"
done
run eventring batch --runs ' 10' -- ./batch
ok "a number after a blank is refused" refused 2 'not a number from 1'
run eventring batch
ok "a batch without a command is refused" refused 2 'missing command'
run eventring batch -- ./batch -- -- ./batch
ok "an empty command is refused" refused 2 'no command stands between'
run eventring batch --continue=two -- ./batch
ok "--continue takes no commands" refused 2 'takes the commands from the batch'
run eventring batch --continue=two --seed 3
ok "--continue takes no seed" refused 2 '--continue goes with'
run eventring batch -o two -- ./batch
ok "a batch is not begun in another one" one_line 4 'is a batch already'
run eventring batch -o repository -- ./batch
ok "a batch is not begun in a folder with files" \
  one_line 4 'cannot create repository: Directory not empty'
run eventring batch -q --warm-up 0 --runs 3 -o median -- ./batch 1
eventring batch -q --continue=median --runs 3 >/dev/null
run eventring batch --continue=median --runs 3
middle=$(runs .wall_ns median | sort -n | sed -n 2p)
printed() { awk -v ns="$middle" '$1 == "batch" {
  unit = $5 == "us" ? 1e3 : $5 == "ms" ? 1e6 : 1e9
  exit !($4 * unit > ns * 0.99 && $4 * unit < ns * 1.01) }' out; }
ok "the median is right for three runs, too" printed
run eventring batch --continue="$tmp/tmp"
ok "a folder that is no batch is not continued" one_line 3 'is no batch'
finish
