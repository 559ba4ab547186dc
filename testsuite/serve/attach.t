#!/bin/sh
# Tracing started from the monitor in a process that was started without any
# variable.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
mkdir rings
cat >busy.ml <<'END'
let () = while true do ignore (Sys.opaque_identity (List.init 1000 succ)) done
END
"$EVENTRING_STAGE/bin/ocamlopt" busy.ml -o busy >build.log 2>&1 || exit 1
start_busy() {
  OCAML_EVENTRING_PREFIX=$tmp/rings ./busy &
  pid=$!
  started="$started $pid"
}
start_busy
serve

attachable() {
  field_is /api/attach ".processes[] | select(.pid == $pid) | .program" "$1"
}
ok "a program that is not traced is listed" within 60 attachable "$tmp/busy"
post /api/attach "{\"pid\":$pid}" >body
ok "tracing starts in it" eval 'jq -e ".pending == false" body'
ok "it appears among the processes, and records" \
  eval 'find_process $pid && within 60 process_is $pid .paused false'
ok "its collections are recorded" within 60 eval \
  '[ "$(field "/api/processes/$id/stat" .total.minor_collections)" -gt 0 ]'
ok "it is not listed any more" attachable ""
ok "the action is listed" field_is /api/actions \
  '.actions[0] | .action + ": " + .result' "attach to process $pid: ok"

ok "attaching again changes nothing" with_token_is 200 \
  -d "{\"pid\":$pid}" "$base/api/attach"
ok "another program is refused with the reason" eval \
  'with_token_is 409 -d "{\"pid\":$$}" "$base/api/attach" && says "no runtime"'
ok "a pid that is no number is refused" with_token_is 400 \
  -d '{"pid":"1"}' "$base/api/attach"
ok "without the token the list is refused" code_is 401 "$base/api/attach"
end_server

start_busy
serve --read-only
ok "a server that only reads lists the program" \
  within 60 attachable "$tmp/busy"
ok "and refuses to attach" with_token_is 403 -d "{\"pid\":$pid}" \
  "$base/api/attach"
end_server
finish
