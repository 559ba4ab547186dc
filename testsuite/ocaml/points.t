#!/bin/sh
# Data points: evaluated unasked, twice or never, in the wrong place, or with
# harm to the program.
. "$(dirname "$0")/programs.sh"
build points unix

# begins HOW MODE...: the program runs, in a fresh folder, as $pid; its input is
# descriptor 9, its output ../out.$pid
begins() {
  begins_as=$1
  shift
  fresh
  mkfifo input
  rm -f "$tmp/said"
  # shellcheck disable=SC2086
  env OCAML_EVENTRING_START=$begins_as OCAML_EVENTRING_KEEP=1 $with \
    "$tmp/points.$mode" "$@" <input >"$tmp/said" 2>&1 &
  pid=$!
  started="$started $pid"
  exec 9>input
  within 60 grep -q ready "$tmp/said"
}
# ended [STATUS]: the program ends now, with this status
ended() {
  kill -TERM "$pid" 2>/dev/null
  exec 9>&-
  wait "$pid"
  [ "$?" = "${1:-0}" ]
}
says() { grep -q -x -e "$1" "$tmp/said"; }
# With time for a slow machine, unless there is another --wait
get() { run eventring get -d . --wait=60s "$@"; }
is() { exits 0 && [ "$(cat "$tmp/out")" = "$1" ]; }
categories() {
  eventring ps -d . --json |
    jq -r '.processes[0] | "\(.state) \(.paused) \(.categories)"'
}

point() {
  begins 1 plain sleeping
  before=$(categories)
  get "$pid" points.answer
  ok "$mode: a point is an int" is 42
  get "$pid" points.smallest
  ok "$mode: all bits of an int are kept" is -4611686018427387904
  get "$pid" points.share
  ok "$mode: a point is a float" is 0.125
  get "$pid" points.name
  ok "$mode: a point is a text" is "two words"
  get "$pid" points.long
  ok "$mode: a long text is cut" is "$(printf '%01019d' 0 | tr 0 x)"
  get --json "$pid" 'points.*'
  ok "$mode: JSON has the types" eval 'exits 0 &&
    jq -e ".[\"points.answer\"] == 42 and .[\"points.share\"] == 0.125 and
      .[\"points.name\"] == \"two words\" and .[\"points.replaced\"] == 2 and
      .[\"points.no number\"] == \"nan\" and .[\"points.evaluations\"] == 6 and
      length == 9" "$tmp/out"'
  get "$pid" total.minor_collections counters.none
  get "$pid"
  ok "$mode: points are not evaluated for other figures, or all of them" \
    eval 'exits 0 && ! grep -q ^points "$tmp/out"'
  get "$pid" points.evaluations points.answer
  ok "$mode: points are evaluated once for one request" \
    out_has "^points.evaluations	7$"
  ok "$mode: the categories are as before" [ "$(categories)" = "$before" ]
  get "$pid" points.removed
  ok "$mode: a point that was removed is gone" \
    eval 'exits 1 && one_line "no figure points.removed"'
  run eventring enable -d . "$pid" points
  get "$pid" points.evaluations
  ok "$mode: switching the category on by hand evaluates them" \
    eval 'exits 0 && [ "$(cat "$tmp/out")" -ge 8 ]'
  ok "$mode: the program ends in order" ended
  file=$(ring)
  run eventring get "$file" points.answer
  ok "$mode: a file has the last values" is 42
  ok "$mode: the file is sound" eventring check "$file"
  eventring events "$file" >events
  ok "$mode: an evaluation is an event with its duration" \
    has 'points_evaluated .* points=8'
}
both point

# Where the program notices the request
with=OCAMLRUNPARAM=e=20
for mode in opt byte; do
  for how in allocating writing domains; do
    begins 1 plain "$how"
    get "$pid" points.answer
    ok "$mode: a program evaluates its points while it is $how" is 42
    ok "$mode: and ends in order after $how" ended
  done
  begins 1 plain waiting
  before=$(categories)
  get --wait=50ms "$pid" points.answer
  ok "$mode: a program in a system call has no safe point, which one line says" \
    eval 'exits 3 && one_line "no safe point within 50.0 ms"'
  ok "$mode: and the category is off again" [ "$(categories)" = "$before" ]
  exec 9>&-
  wait "$pid"
  ok "$mode: and nothing was evaluated" says "0 evaluations"
done

with=

# A request that the program gets when its system call returns
mode=opt
begins 1 plain waiting
"$EVENTRING_BIN" get -d . --wait=60s "$pid" points.answer >answer 2>errors 9>&- &
asker=$!
asked() { categories | grep -q points; }
within 60 asked
exec 9>&-
wait "$pid" $asker
ok "a program evaluates its points after the system call" \
  eval 'says "1 evaluations" || { cat answer errors; false; }'

# Functions that raise
raised() {
  begins 1 raising sleeping
  get "$pid" points.own
  ok "$mode: an exception of a point is said" \
    eval 'exits 1 && one_line "points.own has failed: Points.Own(7)"'
  get --json "$pid" points.deep points.after
  ok "$mode: points after one that failed are evaluated" \
    eval 'exits 1 && jq -e ".[\"points.after\"] == 1 and
      has(\"points.deep\") and .[\"points.deep\"] == null" "$tmp/out"'
  ok "$mode: a stack overflow is said" one_line "points.deep has failed: Stack"
  ok "$mode: no exception reaches the program" ended
}
with=OCAMLRUNPARAM=l=100k
both raised
with=

# Functions that break the rules
harmed() {
  begins 1 harmful sleeping
  before=$(categories)
  get "$pid" 'points.*'
  ok "$mode: points that collect, ask, register, pause, spawn and write" \
    eval 'exits 0 && printf "points.%s\n" "1 allocates	100000" \
      "2 asks again	1" "3 registers	3" "4 pauses	4" "5 spawns	5" \
      "6 removed by another	6" "7 writes	7" >points
      # The second may ask again before the answer is read.
      sed "s/again	2/again	1/" "$tmp/out" | diff points -'
  get "$pid" points.late
  ok "$mode: a point registered by a point is there the next time" is 1
  ok "$mode: the program is not harmed" ended
  ok "$mode: and its file is sound" eventring check "$(ring)"

  begins 1 forking sleeping
  get "$pid" points.forks
  ok "$mode: a point may fork" is 5
  ok "$mode: and the program is not harmed" ended

  begins 1 twice sleeping
  run eventring get --wait=60s "$pid.eventring" points.forks
  ok "$mode: a point that returns in a forked child is the parent's" \
    eval 'exits 0 && [ "$(cat "$tmp/out")" -gt 0 ]'
  ended
  ok "$mode: and the child goes on" within 60 says "the child has ended"

  begins 1 stopping sleeping
  get --wait=100ms "$pid" points.a
  ok "$mode: a point that stops tracing: the reader says that it ended" \
    eval 'exits 3 && one_line'
  ok "$mode: and the program is not harmed" ended

  begins 1 slow sleeping
  get --wait=1ms "$pid" points.slow
  ok "$mode: a point that takes longer than the reader waits: one line" \
    eval 'exits 3 && one_line "within 1.00 ms"'
  get "$pid" points.slow
  ok "$mode: it has its value for one who waits" is 1
  ok "$mode: and the program is not harmed" ended
}
both harmed

# Names and limits
named() {
  fresh
  run "$tmp/points.$mode" wrong nothing
  printf '%s\n' "Eventring: a name is empty" \
    "Eventring: a name is longer than 127 bytes" \
    "Eventring: a name holds a NUL byte" >expected
  for i in 1 2 3; do
    echo "Eventring: an event of this name and another type is registered"
  done >>expected
  printf '%s\n' ready "0 evaluations" >>expected
  ok "$mode: names follow the rules of other events" \
    eval 'exits 0 && diff expected "$tmp/out"'
  begins 1 many sleeping
  ok "$mode: there are at most 1024 points" \
    says "Eventring.Point: 1024 points are registered already"
  get "$pid" 'points.*'
  ok "$mode: all 1024 are evaluated" eval 'exits 0 &&
    [ "$(wc -l <"$tmp/out")" = 1024 ] && out_has "^points.in its place	0$" &&
    out_has "^points.p7	7$" && ! out_has "points.p1024"'
  ended
}
both named

# Requests that are refused
mode=opt
begins paused plain sleeping
get "$pid" points.answer
ok "a paused process is not asked" \
  eval 'exits 3 && one_line "is paused; to resume: eventring resume"'
ok "and remains paused" \
  eval 'eventring ps -d . --json | jq -e ".processes[0].paused"'
ended
begins 1 none sleeping
get "$pid" points.answer
ok "a program without points answers" eval 'exits 1 && one_line "no figure"'
get --wait=never "$pid" points.answer
ok "--wait takes a duration" eval 'exits 2 && one_line never'
if can_be_nobody; then
  chmod 755 .
  chmod 644 "$(ring)"
  run as_nobody get "$(ring)" total.minor_collections
  ok "another user with read access reads figures" exits 0
  run as_nobody get "$(ring)" points.answer
  ok "another user with read access cannot ask" \
    eval 'exits 3 && one_line "cannot open" "Permission denied"'
else
  skip "another user with read access" "needs root and setpriv"
fi
ended
finish
