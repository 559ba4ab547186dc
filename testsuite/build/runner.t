#!/bin/sh
# If this breaks, make check reports success while a test fails, loses count of
# tests that run at the same time, or disturbs a test that measures time.
# Needs no OCaml.
. "$(dirname "$0")/lib.sh"
cd "$tmp" || exit 1

# program NAME: makes a test program of the commands on standard input
program() {
  { echo '#!/bin/sh'; cat; } >"$1.t"
  chmod +x "$1.t"
}

# runs JOBS NAME...: the runner with these programs; its exit code is in $status
FAILED=$tmp/failed STRICT=1
export FAILED STRICT
runs() {
  jobs=$1
  shift
  run env JOBS="$jobs" "$top/testsuite/run" $(printf './%s.t ' "$@")
}
ends() { tail -n 1 "$tmp/out" | grep -qx "$1"; }
passes() { [ "$status" -eq 0 ] && ends "$1"; }
fails() { [ "$status" -eq 1 ] && ends "$1"; }
# The lines between the first empty one and the counts are the file "expected".
ends_as_expected() { sed '1,/^$/d;$d' "$tmp/out" | diff expected -; }
has() { grep -q -e "$1" "$tmp/out"; }

program good <<'END'
echo 'ok 1 - one'; echo 'ok 2 - two # SKIP no network'; echo 1..2
END
program skipped <<'END'
echo '1..0 # SKIP nothing to test'
END
runs 1 good skipped
ok "programs that pass: tests that pass and are skipped are counted" \
  passes '1 passed, 0 failed, 2 skipped'
ok "what each lacks is said" eval 'has "^skipped: .*good.t: no network$" &&
  has "^skipped: .*skipped.t: nothing to test$"'

# Each way to fail, between programs that pass.
program bad <<'END'
echo ring >"$TMPDIR/left"; echo '+ls /nowhere' >&2
echo 'ok 1 - one'; echo 'not ok 2 - two'; echo '# because'; echo 1..2; exit 1
END
program cmocka <<'END'
echo 1..2; echo 'not ok 1 - one # SKIP'; echo 'ok 2 - two'
END
program crash <<'END'
echo 'ok 1 - one'; echo 1..1; kill -SEGV $$
END
program plan <<'END'
echo 'ok 1 - one'; echo 1..2
END
program silent <<'END'
:
END
program exits <<'END'
echo 'ok 1 - one'; echo 1..1; exit 3
END
program crashskip <<'END'
echo '1..0 # SKIP no network'; kill -SEGV $$
END
program noplan <<'END'
echo 1..0
END
program bails <<'END'
echo 1..1; echo 'ok 1 - one'; echo 'Bail out! no network'
END
program both <<'END'
echo 'not ok 1 - one'; echo 1..2; exit 1
END
for jobs in 1 4; do
  runs $jobs good bad good
  ok "$jobs at a time: a test that fails" \
    fails '3 passed, 1 failed, 2 skipped'
  ok "$jobs at a time: its message is printed" \
    says 'not ok 2 - two' '# because'
  cat >expected <<END
failed: ./bad.t
  not ok 2 - two
  # because
  # standard error: +ls /nowhere
  kept: $FAILED/./bad.t.*
END
  ok "$jobs at a time: it is the last that is said" ends_as_expected
  for way in crash plan exits; do
    runs $jobs good $way good
    ok "$jobs at a time: a test passes and its program ends badly: $way" \
      fails '3 passed, 1 failed, 2 skipped'
  done
  runs $jobs good silent good
  ok "$jobs at a time: a program without a test" \
    fails '2 passed, 1 failed, 2 skipped'
  runs $jobs good both good
  ok "$jobs at a time: a failed test and a broken plan are two failures" \
    fails '2 passed, 2 failed, 2 skipped'
  runs $jobs good missing good
  ok "$jobs at a time: a program that cannot be run" \
    fails '2 passed, 1 failed, 2 skipped'
done
for way in crashskip noplan; do
  runs 1 good $way
  ok "not the same as skipped: $way" eval \
    'exits 1 && ends "1 passed, 1 failed, [12] skipped"'
done
runs 1 bails
ok "a program that bails out, and why" eval \
  'fails "1 passed, 1 failed, 0 skipped" && says "Bail out! no network"'
run env JOBS=x "$top/testsuite/run" ./good.t
ok "a wrong JOBS is named" eval 'exits 255 && says JOBS=x'
runs 1 cmocka
ok "a test that cmocka skips is no failure" \
  ends '1 passed, 0 failed, 1 skipped'
run "$top/testsuite/run"
ok "no program at all" fails '0 passed, 1 failed, 0 skipped'

# Output and files of a failed run are kept, and nothing of one that passed.
rm -rf failed
runs 1 bad good
ok "output and files of a failed run are kept" eval '
  grep -q "not ok 2" failed/bad.t.1/out &&
    grep -q nowhere failed/bad.t.1/err && grep -q ring failed/bad.t.1/t/left'
ok "only that is kept" [ "$(ls failed)" = bad.t.1 ]

program hangs <<'END'
trap '' TERM; echo 'ok 1 - one'; while :; do sleep 1; done
END
run env LIMIT=3 JOBS=2 "$top/testsuite/run" ./hangs.t ./good.t
ok "a program that hangs and ignores SIGTERM" \
  fails '2 passed, 1 failed, 1 skipped'
ok "it is said that it hangs" says 'ran for more than 3 s'

# A process that a test leaves behind holds its standard output.
program leaves <<'END'
setsid sleep 100 & echo $! >left; echo 'ok 1 - one'; echo 1..1
END
runs 1 leaves
ok "a process that is left behind is not waited for" eval \
  'passes "1 passed, 0 failed, 0 skipped" && kill "$(cat left)"'

program child <<'END'
sleep 1000 & echo $! >left; echo 'ok 1 - one'; echo 1..1
END
runs 1 child
gone() { ! kill -0 "$(cat left)" 2>/dev/null; }
ok "a process of its group ends with it" within 60 gone

program killer <<'END'
kill -KILL "$PPID"
END
runs 2 good killer good
ok "a program whose timeout(1) is killed" \
  fails '2 passed, 1 failed, 2 skipped'

# Again: a program that fails TIMES times.
fails_first() {
  program "$1" <<END
echo x >>$1.log
echo 'ok 1 - one'
[ "\$(grep -c x $1.log)" -gt $2 ] || echo -n 'not '
echo 'ok 2 - two'; echo 1..2
END
}
again() { rm -rf failed; STRICT='' runs 2 "$@"; }
for times in 1 2; do
  fails_first flaky$times $times
  again good flaky$times
  ok "a test that fails $times times and then passes counts as passed" \
    passes '3 passed, 0 failed, 1 skipped'
  ok "it is named: $times" has \
    "^flaky: \./flaky$times\.t 2, passed when run again$"
  ok "the output of its failed runs is kept: $times" \
    [ "$(ls failed)" = "$(seq -f "flaky$times.t.%g" $times)" ]
done
program skips_then <<'END'
[ ! -e skips ] || { echo '1..0 # SKIP port in use'; exit 0; }
: >skips; echo 'not ok 1 - one'; echo 1..1
END
again skips_then
ok "a failure is not mended by skipping" eval \
  'exits 1 && says "fewer tests" "not ok 1 - one"'
fails_first twice 1
runs 1 twice twice
ok "a program that is given twice counts twice" \
  fails '3 passed, 1 failed, 0 skipped'
fails_first broken 9
again broken good
ok "a test that fails three times has failed" \
  fails '2 passed, 1 failed, 1 skipped'
ok "it is run three times" [ "$(grep -c x broken.log)" = 3 ]
ok "it is not called flaky" eval '! has flaky:'
fails_first strict 1
runs 1 strict
ok "STRICT=1: no second run" fails '1 passed, 1 failed, 0 skipped'

program waits <<'END'
trap 'kill $!; echo ended >>log; exit 1' TERM; sleep 60 & echo begun >>log; wait
END
: >log
JOBS=2 "$top/testsuite/run" ./waits.t ./waits.t >"$tmp/out" 2>&1 &
runner=$!
# in_time COMMAND...: tries it for 30 seconds
in_time() {
  n=300
  until "$@"; do
    n=$((n - 1))
    [ $n -gt 0 ] && sleep 0.1 || return 1
  done
}
lines_are() { [ "$(tr '\n' ' ' <log)" = "$1" ]; }
in_time lines_are 'begun begun '
kill "$runner"
wait "$runner"
ok "a runner that is ended fails" [ $? = 1 ]
ok "it ends the programs that run" \
  in_time lines_are 'begun begun ended ended '

# Counts: many programs, of which some fail.
names=
for i in $(seq 40); do
  program "many$i" <<END
echo 'ok 1 - one'; echo '$([ $((i % 8)) -ne 0 ] || echo 'not ')ok 2 - two'
echo 'ok 3 - three # SKIP'; echo 1..3
END
  names="$names many$i"
done
# shellcheck disable=SC2086
runs 8 $names
ok "counts of 40 programs, 8 at a time" \
  fails '75 passed, 5 failed, 40 skipped'
ok "a line for each program" [ "$(grep -c '^\(ok\|FAILED\) ' out)" -eq 40 ]

# Concurrency: each program, with a comment, writes a line when it begins and ends.
step() {
  program "$1" <<END
${2:+# $2}
echo "begin $1" >>log; $3; echo "end $1" >>log; echo 'ok 1 - one'; echo 1..1
END
}
waits() {
  echo "n=0; until grep -q 'begin $1' log || [ \$n = 600 ]
    do sleep 0.1; n=\$((n + 1)); done"
}
step first '' "$(waits second)"
step second '' "$(waits first)"
step slow '' 'sleep 0.3'
step alone 'Needs the machine alone: it measures time.' 'sleep 0.3'
step last 'Needs the machine alone: it comes last.' 'sleep 0.3'

: >log
runs 2 first second
ok "two programs at the same time" \
  [ "$(grep -n end log | head -n 1 | cut -d : -f 1)" -eq 3 ]
: >log
runs 1 slow alone last
ok "one program at a time" lines_are \
  'begin slow end slow begin alone end alone begin last end last '
: >log
runs 4 alone slow last
ok "programs that need the machine alone run after all others, in order" \
  lines_are 'begin slow end slow begin alone end alone begin last end last '

# Programs that wait, in addition to the others.
step idle 'Waits most of the time: for three.' "$(waits three)"
step idle2 'Waits most of the time: for nothing.' :
step one '' "$(waits idle); $(waits two)"
step two '' "$(waits idle); $(waits one); $(waits three)"
step three '' "$(waits two)"
: >log
runs 2 one two idle idle2 three
ok "a program that waits runs in addition to JOBS others" eval \
  'passes "5 passed, 0 failed, 0 skipped" &&
   [ "$(head -n 3 log | grep -c begin)" -eq 3 ]'
ok "only half as many wait as JOBS" eval '
  [ "$(grep -n "begin three" log | cut -d : -f 1)" -lt \
    "$(grep -n "begin idle2" log | cut -d : -f 1)" ]'
: >log
runs 1 slow idle2
ok "with one program at a time, none runs in addition" lines_are \
  'begin slow end slow begin idle2 end idle2 '

# Programs that are built have the line in their source.
mkdir -p top/testsuite/ring top/testsuite/cli top/_build/test/ring \
  top/_build/asan/ring top/_build/asan/cli
cp "$top/testsuite/run" top/testsuite/
echo '// Needs the machine alone: it has threads.' >top/testsuite/ring/test_a.c
cp alone.t top/testsuite/cli/b.t
built() {
  sed "s/ slow/ $1/g" slow.t >"top/_build/$2"
  chmod +x "top/_build/$2"
}
built ring test/ring/test_a
built asan asan/ring/test_a
built form asan/cli/b.t
: >log
run env JOBS=4 top/testsuite/run top/_build/test/ring/test_a \
  top/_build/asan/ring/test_a "$PWD/top/_build/asan/cli/b.t" \
  ./first.t ./second.t
ok "the source of a built program says that it needs the machine" \
  [ "$(tail -n 6 log | tr '\n' ' ')" = \
    'begin ring end ring begin asan end asan begin form end form ' ]

finish
