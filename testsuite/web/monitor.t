#!/bin/sh
# The page of eventring serve in a real browser, with the real server and an OCaml
# program: numbers, control, saving, names, faults.
# Only in make check-long: walk.t has all views.
# Needs the machine alone: a browser draws numbers that arrive each second.
. "$(dirname "$0")/../cli/tap.sh"
. "$(dirname "$0")/needs_browser.sh"
command -v jq >/dev/null || { echo "1..0 # SKIP jq is not installed"; exit 0; }

# serve NAME ARG...: starts a server, its address in $tmp/NAME.address
serve() {
  name=$1
  shift
  "$EVENTRING_BIN" serve "$@" "$tmp/rings" >"$tmp/$name.address" 2>"$tmp/$name.err" &
  server=$!
  started="$started $server"
  within 60 [ -s "$tmp/$name.address" ]
}

compile shop
export OCAMLRUNPARAM=e=19          # rings for more than half a minute
start shop 600 2 || { echo "Bail out! shop is not traced"; exit 1; }
serve reader --read-only
serve monitor --store="$tmp/store"
TMP=$tmp PID=$pid RING=$ring SERVER=$server ADDRESS=$(head -1 "$tmp/monitor.address") \
  READ_ONLY=$(head -1 "$tmp/reader.address") node "$here/monitor.js"
