#!/bin/sh
# If this breaks, the server does not give the stacks of a process, or lets a reader of a
# read-only server stop it.  testsuite/ocaml/stacks.t has the stacks themselves.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
cp "$EVENTRING_TOP/testsuite/ocaml/stacks.ml" .
"$EVENTRING_STAGE/bin/ocamlopt" -I +unix -I +threads unix.cmxa threads.cmxa stacks.ml \
  -o stacks >build.log 2>&1 ||
  { sed 's/^/# /' build.log; echo "Bail out! cannot build stacks.ml"; exit 1; }
mkdir rings
mkfifo input
OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 OCAML_EVENTRING_PREFIX=$tmp/rings \
  ./stacks deadlock <input >said 2>&1 &
pid=$!
started="$started $pid"
exec 9>input

# finds FILTER: the stacks have it
finds() {
  post "/api/processes/$id/stacks" '{}' >answer && jq -e "$1" answer
}
serve rings
find_process "$pid"
ok "a deadlock has its threads" within 60 finds '.deadlocks | length == 1'
ok "with their names, spans and requests" finds '[.threads[] | select(.name == "taker")] |
  length == 2 and all(.[]; .spans == ["parse"] and .request.name == "checkout")'
ok "the actions have it" field_is /api/actions '.actions[0] | .action, .result' "stacks
ok"
ok "other members are refused" with_token_is 400 -d '{"pid":1}' \
  "$base/api/processes/$id/stacks"
end_server

serve --read-only rings
find_process "$pid"
ok "--read-only: refused" with_token_is 403 -d '{}' "$base/api/processes/$id/stacks"
end_server

serve rings
find_process "$pid"
echo x >&9
exec 9>&-
wait "$pid"
ok "the process has ended as before" [ $? -eq 0 ]
within 60 process_is "$pid" .state ended
ok "an ended process is refused" eval 'with_token_is 409 -d "{}" \
  "$base/api/processes/$id/stacks" && says "does not run"'
end_server
finish
