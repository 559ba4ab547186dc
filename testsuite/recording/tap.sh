# Read by the tests of this folder: the functions of testsuite/cli/tap.sh, and
# a program that carries out commands.
#
#   compile numbers
#   begin [E]            starts it, with rings of 2^E words, or with rings that
#                        hold all its events
#   tell COMMAND         has the program carry out a command, and waits for it
#   leave                ends it
#   recording ARG...     starts eventring record $pid ARG... in the background;
#                        it has begun when this returns
#   recorded             waits until record ends; leaves $status, out and err

. "$(dirname "$0")/../cli/tap.sh"

begin() {
  rm -f "$tmp/orders"
  mkfifo "$tmp/orders"
  export OCAMLRUNPARAM=e=${1:-20}
  OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings \
    OCAML_EVENTRING_KEEP=1 "$tmp/numbers" <"$tmp/orders" >"$tmp/answers" \
    2>/dev/null &
  pid=$!
  started="$started $pid"
  exec 9>"$tmp/orders"
  ring=$tmp/rings/$pid.eventring
  within 60 traced
}

answers() { wc -l <"$tmp/answers"; }
answered() { [ "$(answers)" -gt "$before" ]; }
tell() {
  before=$(answers)
  echo "$*" >&9
  within 60 answered
}
leave() {
  echo quit >&9
  exec 9>&-
  wait "$pid"
}

# With a trigger the recorder has no file yet: the mapping of the ring file
# shows that it has begun, and its sleep that it has read all events so far.
recording() {
  "$EVENTRING_BIN" record "$pid" "$@" >"$tmp/record.out" 2>"$tmp/record.err" &
  recorder=$!
  started="$started $recorder"
  within 60 watches
}

# watches [RECORDER]: it has started to record
watches() {
  set -- "${1:-$recorder}"
  ! kill -0 "$1" 2>/dev/null || {
    grep -q "$pid.eventring" "/proc/$1/maps" && sleep 0.2 &&
      grep -q '^State:.S' "/proc/$1/status"
  } 2>/dev/null
}

recorded() {
  wait "$recorder"
  status=$?
  cp "$tmp/record.out" "$tmp/out"
  cp "$tmp/record.err" "$tmp/err"
}

# Prints the values of the counter in a recording, a line each: domain and
# value.
numbers() {
  eventring events "$@" 2>"$tmp/numbers.err" |
    awk '$6 == "counter" && $7 == "number" { print $3, $8 }'
}
# Each of two domains has all numbers from 1 to $2, in order and once.
complete() {
  numbers "$1" | awk -v n="$2" '
    $2 != last[$1] + 1 { print "domain " $1 ": " $2 " after " last[$1] + 0
                         bad = 1; exit }
    { last[$1] = $2 }
    END { for (d in last) { domains++; if (last[d] != n) bad = 1 }
          exit bad || domains != 2 }'
}
# Prints all events without values in nanoseconds, since their rounding depends
# on the moment; sorted, since an event of a writer that is interrupted between
# reading the clock and publishing is recorded later.
exact() {
  eventring events --raw "$@" | cut -f 2- |
    awk -F '\t' '$5 == "complete" { $NF = "" } { print }' | sort
}
# eventring check finds nothing wrong.
sound() { eventring check "$1"; }

# Standard error has one line.
one_line() { [ "$(wc -l <"$tmp/err")" -eq 1 ]; }
