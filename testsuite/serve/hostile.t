#!/bin/sh
# If this breaks, a traced program, or another user, ends the server, keeps it
# from ending, or makes it lose memory.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
mkdir rings
compile slow
mkfifo orders
exec 9<>orders
export OCAML_EVENTRING_PREFIX="$tmp/rings"
pids=
for _ in 1 2 3 4 5 6; do
  OCAML_EVENTRING_START=1 ./slow <orders >answers 2>slow.err &
  pids="$pids $!"
done
started="$started$pids"

# Files that are cut while many threads read them
number_is() { field_is "$1" "$2" "$3"; }
# Without the file of the rules, which the server keeps.
descriptors() { ls -l "/proc/$server/fd" | grep -vc "/rules.json$"; }
maps() { grep -c rings/ "/proc/$server/maps"; }
serve "$tmp/rings"
within 60 number_is /api/processes '[.processes[] | select(.reading == false)] | length' 6
before=$(descriptors) mapped=$(maps)
post /api/rules '{"when": "minor > 1000s"}' >out
ok "six processes are watched" within 60 number_is /api/rules .watched 6
truncate -s 8192 rings/*.eventring
ok "files that are cut at once are errors in words" within 60 number_is \
  /api/processes '[.processes[] | select(.error // "" | test("cut shorter"))] | length' 6
id=$(get /api/processes | jq -r '.processes[0].id')
for what in stat timeline flame diagnosis kept; do
  ok "$what of a file that was cut: an error in words" \
    field_is "/api/processes/$id/$what" .error 'the file was cut shorter'
done
ok "they are not watched any more" within 60 number_is /api/rules .watched 0
ok "the server has no descriptor more than before (then $before)" \
  within 60 eval '[ "$(descriptors)" -le "$before" ]'
ok "it has no file mapped that nobody needs (then $mapped)" \
  within 60 eval '[ "$(maps)" -le "$mapped" ]'
end_server
ok "the server ends in order" exits 0

# A lock on the store
if can_be_nobody; then
  mkdir -m 755 store
  chmod 755 "$tmp"
  setpriv --reuid 65534 --regid 65534 --clear-groups \
    flock store sh -c 'echo locked; exec sleep 100' >lock 2>&1 &
  started="$started $!"
  within 60 [ -s lock ]
  rm -f rings/*
  OCAML_EVENTRING_START=1 ./slow <orders >answers 2>slow.err &
  pid=$!
  started="$started $pid"
  serve "$tmp/rings"
  find_process "$pid"
  ok "another user cannot keep the server from saving" \
    with_token_is 200 -d '{"seconds": 1}' "$base/api/processes/$id/save"
  end_server
else
  skip "another user cannot keep the server from saving" "not root"
fi
finish
