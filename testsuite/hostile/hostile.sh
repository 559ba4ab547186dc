# Read by consumer.t and by ../soak/hostile: a program with a ring file that
# somebody else writes to, and readers of it.

. "$(dirname "$0")/../ocaml/programs.sh"
here=$EVENTRING_TOP/testsuite/hostile
build victim
${CC:-cc} -std=gnu11 -O2 -I"$EVENTRING_TOP/runtime" -o scribble \
  "$here/scribble.c" || exit 1

# untraced ROUNDS: runs the program, with its output into $tmp/expected
untraced() { echo | "$tmp/victim.$mode" "$1" >"$tmp/expected"; }

# scribbled ROUNDS SEED READER: runs the program, with a writer of wrong words
# and with READER, which reads all the time.  Leaves its output in $tmp/out and
# $tmp/err, $status, the words that were written in $words, and in ./readers the
# exit codes of the readers.
scribbled() {
  mkfifo go
  OCAML_EVENTRING_START=1 timeout 120 sh -c 'echo $$ >pid; exec "$@"' - \
    "$tmp/victim.$mode" "$1" <go >"$tmp/out" 2>"$tmp/err" &
  watch=$!
  exec 4>go
  within 60 [ -s pid ]
  victim=$(cat pid)
  within 60 [ -s "$victim.eventring" ]
  "$tmp/scribble" $victim.eventring $victim "$2" >words &
  scribbler=$!
  : >readers
  echo >&4
  exec 4>&-
  while kill -0 $watch 2>/dev/null; do
    for command in events stat; do
      timeout 20 "$3" $command $victim.eventring >read 2>why
      echo "$command $?" >>readers
      ! grep -A 20 'runtime error\|Sanitizer' why >&2
    done
  done
  wait $watch
  status=$?
  wait $scribbler
  words=$(cat words)
}
