#!/bin/sh
# The nodes of a hub side by side in the page: a node with a small minor heap, a
# process of another build, in a real browser, with a hub, three agents and traced
# programs.
# Only in make check-long: walk.t has all views.
# Needs the machine alone: a browser draws numbers that arrive each second.
. "$(dirname "$0")/../cli/tap.sh"
. "$(dirname "$0")/needs_browser.sh"
web=$here
cd "$tmp" || exit 1
build() { # FOLDER: compiles rounds.ml with the text FOLDER in it
  mkdir "$1"
  { cat "$EVENTRING_TOP/testsuite/fleet/rounds.ml"
    echo "let () = prerr_string \"$1\""; } >"$1/rounds.ml"
  (cd "$1" && "$EVENTRING_STAGE/bin/ocamlopt" -I +unix unix.cmxa rounds.ml \
    -o rounds >/dev/null) || exit 1
}
build old
build new

"$EVENTRING_BIN" hub --listen 127.0.0.1:0 --store "$tmp/store" >hub.out &
started="$started $!"
within 60 grep -q '^read: ' hub.out
mkfifo stop
sleep 600 >stop &
started="$started $!"
agent() { # NODE
  mkdir "rings-$1"
  "$EVENTRING_BIN" agent --state "$tmp/agent-$1" --node "$1" \
    --dir "$tmp/rings-$1" \
    "$("$EVENTRING_BIN" hub --store "$tmp/store" --new-token |
      sed 's/^.*eventring agent //')" &
  started="$started $!"
}
program() { # NODE BUILD
  OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings-$1 \
    "./$2/rounds" <stop &
  started="$started $!"
}
for node in web-1 web-2 web-3; do agent $node; done
program web-1 old
program web-2 old
program web-2 new
OCAMLRUNPARAM=s=4k program web-3 old

mkdir empty
"$EVENTRING_BIN" serve --hub "$(sed -n 's/^read: *eventring ps --hub //p' \
  hub.out)" --read-only "$tmp/empty" >address &
started="$started $!"
within 60 [ -s address ]
ADDRESS=$(head -1 address) node "$web/fleet_comparison.js"
