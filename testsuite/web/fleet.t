#!/bin/sh
# The processes of a hub in the page, in a real browser, with a real hub, an agent
# and a traced program.
# Only in make check-long: walk.t has all views.
# Needs the machine alone: a browser draws numbers that arrive each second.
. "$(dirname "$0")/../cli/tap.sh"
. "$(dirname "$0")/needs_browser.sh"
web=$here
cd "$tmp" || exit 1
cp "$EVENTRING_TOP/testsuite/fleet/rounds.ml" . &&
  "$EVENTRING_STAGE/bin/ocamlopt" -I +unix unix.cmxa rounds.ml -o rounds \
    >/dev/null || exit 1

"$EVENTRING_BIN" hub --listen 127.0.0.1:0 --store "$tmp/store" >hub.out &
started="$started $!"
within 60 grep -q '^read: ' hub.out
mkdir rings empty
"$EVENTRING_BIN" agent --state "$tmp/agent" --node web-1 --dir "$tmp/rings" \
  "$(sed -n 's/^join: *eventring agent //p' hub.out)" &
started="$started $!"
mkfifo stop
sleep 600 >stop &
started="$started $!"
OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings ./rounds <stop &
started="$started $!"
"$EVENTRING_BIN" serve --hub "$(sed -n 's/^read: *eventring ps --hub //p' \
  hub.out)" --read-only "$tmp/empty" >address &
started="$started $!"
within 60 [ -s address ]
ADDRESS=$(head -1 address) node "$web/fleet.js"
