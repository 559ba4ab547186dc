# Read by the tests of this folder: programs of stock OCaml, traced.  It has the
# functions of ../cli/tap.sh, and
#
#   compile_stock NAME        compiles NAME.ml of this folder to $tmp/NAME
#   trace COMMAND...          runs it to its end; leaves $pid and $ring
#   start_stock COMMAND...    starts it, and waits until it is traced
. "$(dirname "$0")/../cli/tap.sh"
: "${EVENTRING_STOCK:=$EVENTRING_TOP/_build/stock/install}"
[ -x "$EVENTRING_STOCK/bin/ocamlopt" ] ||
  { echo "Bail out! no $EVENTRING_STOCK/bin/ocamlopt"; exit 1; }

mkdir -p "$tmp/rings"
export OCAML_RUNTIME_EVENTS_PRESERVE=1 OCAML_RUNTIME_EVENTS_DIR="$tmp/rings"

compile_stock() {
  cp "$here/$1.ml" "$tmp/" &&
    (cd "$tmp" && "$EVENTRING_STOCK/bin/ocamlopt" -I +unix \
      -I +runtime_events -o "$1" unix.cmxa runtime_events.cmxa "$1.ml") ||
    exit 1
}

launch() {
  OCAML_RUNTIME_EVENTS_START=1 "$@" >"$tmp/stock.out" &
  pid=$!
  ring=$tmp/rings/$pid.events
}

trace() {
  launch "$@"
  wait "$pid" 2>/dev/null
}

start_stock() {
  launch "$@"
  started="$started $pid"
  within 60 traced
}

# Events that Runtime_events itself reads of the file: a line for each event,
# ring after ring, with the columns behind the name in --raw; "lost" with words.
# The event ring_stop has no number; the cursor of OCaml 5.2 passes a word that
# another event has left in its buffer.
theirs() {
  "$tmp/read" "$tmp/rings" "$pid" |
    sed 's/\( instant ring_stop\) .*/\1 0000000000000000/'
}
ours() {
  eventring events --raw "$ring" 2>/dev/null |
    awk -F '\t' '$6 != "lost" {
      printf "%s %s %s %s", $3, $1, $6, $8
      for (i = 9; i <= NF; i++) printf " %s", $i
      print "" }' | sort -s -n -k 1,1
}
