# Read by the tests of this folder: functions that they call, and TAP.
#
#   run COMMAND...       runs it; leaves $status, $tmp/out and $tmp/err
#   eventring ARG...     the command under test
#   ok NAME COMMAND...   a test: passes when COMMAND succeeds
#   skip NAME REASON
#   finish               the last line of a test: prints the plan
#
# The environment names the folders; by hand, the results of make are taken.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
: "${EVENTRING_TOP:=$(cd "$here/../.." && pwd)}"
: "${EVENTRING_BUILD:=$EVENTRING_TOP/_build}"
: "${EVENTRING_BIN:=$EVENTRING_BUILD/bin/eventring}"
: "${EVENTRING_STAGE:=$EVENTRING_BUILD/stage}"
export EVENTRING_TOP EVENTRING_BUILD EVENTRING_BIN EVENTRING_STAGE
# A hook of git sets them: commits of a test would go to the repository of the hook.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
[ -x "$EVENTRING_BIN" ] || { echo "Bail out! no $EVENTRING_BIN"; exit 1; }

status=             # of the last command that run ran
tests=0
failed=0
started=            # processes to end with the test

tmp=$(mktemp -d) || exit 1
# One test looks for files in here as another user.
chmod 755 "$tmp"
# The runner sets EVENTRING_KEEP_FAILED, and keeps what a failed test has left.
clean_up() {
  for pid in $started; do kill -9 "$pid" 2>/dev/null; done
  [ "$failed" -gt 0 ] && [ -n "${EVENTRING_KEEP_FAILED-}" ] || rm -rf "$tmp"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

eventring() { "$EVENTRING_BIN" "$@"; }

# as_nobody ARG...: the command run by another user, which needs root.
can_be_nobody() { [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; }
as_nobody() {
  [ -x "$tmp/eventring" ] || cp "$EVENTRING_BIN" "$tmp/eventring"
  setpriv --reuid 65534 --regid 65534 --clear-groups "$tmp/eventring" "$@"
}

run() {
  "$@" >"$tmp/out" 2>"$tmp/err"
  status=$?
}

ok() {
  tests=$((tests + 1))
  name=$1
  shift
  if "$@" >"$tmp/why" 2>&1; then
    echo "ok $tests - $name"
  else
    failed=$((failed + 1))
    echo "not ok $tests - $name"
    echo "# failed: $*"
    sed 's/^/#   /' "$tmp/why"
    echo "# last command: status $status, standard output and error:"
    head -20 "$tmp/out" "$tmp/err" 2>/dev/null | sed 's/^/#   /'
  fi
}

skip() {
  tests=$((tests + 1))
  echo "ok $tests - $1 # SKIP $2"
}

finish() {
  echo "1..$tests"
  [ "$failed" = 0 ]
  exit
}

# Conditions on the results of [run].

exits() { [ "$status" = "$1" ]; }
prints() { diff "$here/$1" "$tmp/out"; }
silent() { ! [ -s "$tmp/out" ] && ! [ -s "$tmp/err" ]; }
out_has() { grep -q -e "$1" "$tmp/out"; }
err_has() { grep -q -e "$1" "$tmp/err"; }
out_lines() { [ "$(wc -l <"$tmp/out")" -eq "$1" ]; }

# Refused with exit code $1 and one line that has the words $2.
refused() {
  exits "$1" && ! [ -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
    grep -q '^eventring: ' "$tmp/err" && err_has "$2"
}

# make_ring KIND: makes $tmp/KIND.eventring, with known contents.  After that,
# ./make_ring script FILE makes FILE with the events of standard input.  make_ring.c
# has the kinds, and the lines of a script.
make_ring() {
  [ -x "$tmp/make_ring" ] || get_make_ring || exit 1
  "$tmp/make_ring" "$1" "$tmp/$1.eventring" || exit 1
}

# The program is compiled once for all tests, until its sources change.
get_make_ring() {
  compiled=$EVENTRING_BUILD/test/make_ring
  if ! [ -x "$compiled" ] || [ -n "$(cd "$EVENTRING_TOP" && find \
      testsuite/cli/make_ring.c testsuite/ring/ring_file.? runtime/caml \
      -newer "$compiled")" ]; then
    mkdir -p "$EVENTRING_BUILD/test"
    ${CC:-cc} -std=gnu11 -I"$EVENTRING_TOP/runtime" -o "$tmp/make_ring" \
      "$EVENTRING_TOP/testsuite/cli/make_ring.c" \
      "$EVENTRING_TOP/testsuite/ring/ring_file.c" &&
      cp "$tmp/make_ring" "$compiled.$$" && mv -f "$compiled.$$" "$compiled"
  else
    cp "$compiled" "$tmp/make_ring"
  fi
}

# grow FILE [NAME=VALUE...]: FILE in the working folder, where ./make_ring is, is a
# ring file of the process $alive that grows by lines to descriptor 7; $writer makes it
grow() {
  rm -f lines
  mkfifo lines
  ./make_ring growing "$@" pid="$alive" state=1 \
    boot="$(cat /proc/sys/kernel/random/boot_id)" <lines 7>&- 8>&- &
  writer=$!
  started="$started $writer"
  exec 7>lines
  printf '%s\n' "0 0 instant ring_start 1" "0 0 instant domain_start 0 0 0" >&7
}
# collections COUNT S: lines of minor collections from second S on, one a millisecond
collections() {
  awk -v count="$1" -v s="$2" 'BEGIN {
    CONVFMT = OFMT = "%.0f"
    for (i = 0; i < count; i++) {
      print 0, s * 1e9 + i * 1e6, "begin minor"
      print 0, s * 1e9 + i * 1e6 + 1000, "end minor 10 20 minor_heap_full 0"
    }
  }'
}

# OCaml programs, traced into $tmp/rings:
#   compile NAME [threads.cmxa]
#   start NAME ARG...    leaves the process id in $pid and waits until the
#                        program is traced

compile() {
  cp "$here/$1.ml" "$tmp/" &&
    (cd "$tmp" && "$EVENTRING_STAGE/bin/ocamlopt" -I +unix -I +threads \
      -o "$1" unix.cmxa ${2:+"$2"} "$1.ml") || exit 1
  mkdir -p "$tmp/rings"
}

start() {
  program=$1
  shift
  OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings \
    OCAML_EVENTRING_KEEP=1 "$tmp/$program" "$@" >"$tmp/$program.out" &
  pid=$!
  started="$started $pid"
  ring=$tmp/rings/$pid.eventring
  within 60 traced
}

traced() { [ -s "$ring" ] && eventring events "$ring" >/dev/null 2>&1; }

# Tries COMMAND until it succeeds, for SECONDS at most, however long an attempt
# takes; says what did not come true.
within() {
  within_s=$1
  shift
  seconds_up
  until_s=$((up + within_s)) within_pause=0.05
  until "$@"; do
    seconds_up
    [ "$up" -lt "$until_s" ] ||
      { echo "# not within $within_s s: $*" >&2; return 1; }
    sleep $within_pause
    within_pause=0.1            # the questions cost more than the pauses
  done
}
seconds_up() {
  read -r up _ </proc/uptime
  up=${up%.*}
}
