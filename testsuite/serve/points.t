#!/bin/sh
# If this breaks, the server does not give the data points of a program, gives old
# ones, or waits for ever for a program that does not answer.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
cp "$EVENTRING_TOP/testsuite/ocaml/points.ml" .
"$EVENTRING_STAGE/bin/ocamlopt" -I +unix unix.cmxa points.ml -o points >build.log 2>&1 ||
  { sed 's/^/# /' build.log; echo "Bail out! cannot build points.ml"; exit 1; }
mkdir rings
mkfifo input

# begins MODE...: the program runs as $pid; its input is descriptor 9
begins() {
  rm -f said
  OCAMLRUNPARAM=l=64k OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    OCAML_EVENTRING_PREFIX=$tmp/rings ./points "$@" <input \
    >said 2>&1 &
  pid=$!
  started="$started $pid"
  exec 9>input
  within 60 grep -q ready said
}
ended() {
  kill -TERM "$pid"
  exec 9>&-
  wait "$pid"
}
# ask NAME: its type and value, of a new evaluation
ask() {
  post "/api/processes/$id/points" '{"wait_ms":10000}' >answer
  jq -c --arg name "$1" '.points[] | select(.name == $name) | [.type, .value]' answer
}

serve rings
begins plain sleeping
find_process "$pid"
ok "a point is an int" [ "$(ask answer)" = '["int",42]' ]
ok "a point is a float" [ "$(ask share)" = '["float",0.125]' ]
ok "a float that is no number is a text" [ "$(ask 'no number')" = \
  '["float","nan"]' ]
ok "a point is a text" [ "$(ask name)" = '["text","two words"]' ]
ok "each request evaluates the points once" [ "$(ask evaluations)" = \
  '["int",5]' ]
ok "the actions have it" field_is /api/actions '.actions[0] | .action, .result' \
  "points
ok"
for body in '{"wait_ms":0}' '{"wait_ms":10001}' '{"wait_ms":"1"}' '{"names":[]}'; do
  ok "$body is refused" with_token_is 400 -d "$body" "$base/api/processes/$id/points"
done
post "/api/processes/$id/control" '{"action":"pause"}' >body
ok "a paused process is not asked" eval 'with_token_is 409 -d "{}" \
  "$base/api/processes/$id/points" && says "is paused"'
ended
within 60 process_is "$pid" .state ended
ok "an ended process is not asked" eval 'with_token_is 409 -d "{}" \
  "$base/api/processes/$id/points" && says "has ended"'

begins raising sleeping
find_process "$pid"
ok "a point that raises has failed, with the reason" [ "$(ask exit)" = \
  '["failed","Stdlib.Exit"]' ]
ok "the others have their values" [ "$(ask after)" = '["int",1]' ]
ended

begins none sleeping
find_process "$pid"
kill -STOP "$pid"
ok "a process that does not answer is given up" eval 'with_token_is 409 \
  -d "{\"wait_ms\":1}" "$base/api/processes/$id/points" && says "within 1.00 ms"'
kill -CONT "$pid"
ended
end_server
finish
