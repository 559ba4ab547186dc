#!/bin/sh
# Recordings, rules and comparison in the page, in a real browser, with the real
# server and an OCaml program that is slow on command.
# Only in make check-long: walk.t has all views.
# Needs the machine alone: a browser draws numbers that arrive each second.
. "$(dirname "$0")/../cli/tap.sh"
. "$(dirname "$0")/needs_browser.sh"
command -v jq >/dev/null || { echo "1..0 # SKIP jq is not installed"; exit 0; }
web=$here
here=$EVENTRING_TOP/testsuite/serve
. "$here/slow.sh"
mkdir -p "$tmp/rings"
begin || { echo "Bail out! slow is not traced"; exit 1; }
"$EVENTRING_BIN" serve --store="$tmp/store" "$tmp/rings" >"$tmp/address" &
started="$started $!"
within 60 [ -s "$tmp/address" ]
ADDRESS=$(head -1 "$tmp/address") ORDERS=$tmp/orders ANSWERS=$tmp/answers \
  STORE=$tmp/store node "$web/store.js"
