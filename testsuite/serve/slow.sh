# Read by tests of this folder, behind tap.sh: a program that is slow on command.
#
#   begin [E]            starts it, traced, with rings of 2^E words (default 16);
#                        leaves $pid and $ring
#   tell COMMAND         has the program carry out a command (see slow.ml), and
#                        waits until it has
#   leave                ends it
#   saved FILTER         prints the result of jq FILTER for each saved recording
#   hidden               succeeds when the store has files that are not finished

begin() {
  compile slow
  rm -f "$tmp/orders"
  mkfifo "$tmp/orders"
  OCAMLRUNPARAM=e=${1:-16} OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    OCAML_EVENTRING_PREFIX=$tmp/rings "$tmp/slow" <"$tmp/orders" >"$tmp/answers" \
    2>"$tmp/slow.err" &
  pid=$!
  started="$started $pid"
  exec 9>"$tmp/orders"
  ring=$tmp/rings/$pid.eventring
  within 60 traced
}
saved() { get /api/saved | jq -r ".saved[] | $1"; }
hidden() { ls -A "$EVENTRING_STORE" | grep -q '^\.'; }
