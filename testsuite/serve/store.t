#!/bin/sh
# If this breaks, a recording that somebody saved is lost, half a recording looks
# like one, the store grows without limit, or a store that cannot be written
# stops the server.
# Waits most of the time: for a server that looks for processes each second.
. "$(dirname "$0")/tap.sh"
. "$here/slow.sh"
cd "$tmp" || exit 1
mkdir rings

run eventring list
ok "a store that does not exist: list is quiet" eval 'exits 0 && silent'
run eventring list --json
ok "a store that does not exist: JSON without recordings" \
  eval 'exits 0 && [ "$(jq -c .saved out)" = "[]" ]'
run eventring list here there
ok "list takes one operand" refused 2 "unexpected argument 'there'"
run eventring list here
ok "the operand of list is a batch" refused 3 'here is no batch'
touch file
run eventring list --store=file
ok "a file as a store is refused" refused 3 'cannot open file'
run eventring serve --store=file
ok "serve refuses it before it starts" refused 3 'cannot save in file'

begin
serve "$tmp/rings"
find_process "$pid"
within 60 read_all "$pid"
ok "nothing is saved yet" field_is /api/saved '.saved | length' 0

# Saving
tell work 300
post "/api/processes/$id/save" '{"seconds":30}' >body
file=$(jq -r .file body)
ok "a recording is saved into the store" \
  [ "$(dirname "$file")" = "$EVENTRING_STORE" ]
ok "it is sound" eventring check "$file"
ok "only this user may enter the store" \
  [ "$(stat -c %a "$EVENTRING_STORE")" = 700 ]
run eventring list
ok "list has it, saved by hand" out_has \
  "^$(basename "$file")  $tmp/slow  $pid  .*  by hand\$"
ok "list has a head and one line" out_lines 2
eventring list --json | jq -c '.saved[0] | del(.name, .path)' >one
get /api/saved | jq -c '.saved[0] | del(.name, .path, .id)' >two
ok "the server lists the same" cmp one two
cp "$file" "$EVENTRING_STORE/other.evr"
printf 'no recording' >"$EVENTRING_STORE/bad.evr"
ln -s "$file" "$EVENTRING_STORE/link.evr"
touch "$EVENTRING_STORE/.hidden.evr" "$EVENTRING_STORE/notes"
run eventring list
ok "files that are no recordings are listed with the reason; links, hidden and
 other files are not" eval 'out_lines 4 && out_has "^bad.evr .*cannot\\|^bad.evr .*not "'
rm "$EVENTRING_STORE"/[bl.n]*[der]* 2>/dev/null
rm -f "$EVENTRING_STORE/.hidden.evr" "$EVENTRING_STORE/notes"

# A saved recording is opened like a process
saved_id=$(get /api/saved | jq -r ".saved[] | select(.path == \"$file\") | .id")
ok "its statistics are those of the file" \
  [ "$(field "/api/processes/$saved_id/stat" .total.events)" = \
    "$(eventring stat --json "$file" | jq .total.events)" ]
ok "it is then among the processes" field_is /api/processes \
  ".processes[] | select(.id == \"$saved_id\") | .format" recording
ok "a recording cannot be saved again" with_token_is 409 \
  -d '{"seconds":1}' "$base/api/processes/$saved_id/save"
ok "an id of nothing is not found" \
  with_token_is 404 "$base/api/processes/0123456789abcdef/stat"
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
  cp "$file" "$EVENTRING_STORE/copy$i.evr"
done
opens_all() {
  for each in $(get /api/saved | jq -r '.saved[].id'); do
    with_token_is 200 "$base/api/processes/$each/stat" || return 1
  done
}
ok "12 more can be opened, one after the other" opens_all
rm "$EVENTRING_STORE"/copy*.evr

# Start and stop
tell work 100
post "/api/processes/$id/record" '{"action":"start"}' >body
ok "a recording is started" [ "$(jq .max_bytes body)" = 1073741824 ]
ok "it is listed" field_is /api/recordings '.recordings[].process' "$id"
ok "a second one of the process is refused" with_token_is 409 \
  -d '{"action":"start"}' "$base/api/processes/$id/record"
ok "the store has no name for it yet" [ "$(saved .path | wc -l)" = 2 ]
tell span 7
post "/api/processes/$id/record" '{"action":"stop"}' >body
file=$(jq -r .file body)
ok "it is stopped, and sound" eventring check "$file"
ok "the counts are those of the file" [ "$(jq .events body)" = \
  "$(eventring events --raw "$file" | grep -c .)" ]
ok "it has what happened between" [ -n "$(eventring events --raw --name=step \
  --longer-than=7ms "$file")" ]
ok "list has its number of events" [ "$(eventring list --json |
  jq ".saved[] | select(.path == \"$file\") | .events")" = "$(jq .events body)" ]
ok "stopping twice is refused" with_token_is 409 \
  -d '{"action":"stop"}' "$base/api/processes/$id/record"
ok "an unknown action is refused" with_token_is 400 \
  -d '{"action":"pause"}' "$base/api/processes/$id/record"
ok "a limit that is too small is refused" with_token_is 400 \
  -d '{"action":"start","max_bytes":1}' "$base/api/processes/$id/record"
post "/api/processes/$id/record" '{"action":"start","max_bytes":1048576}' >body
ends() { field_is /api/recordings '.recordings | length' 0; }
fills() { ends || { tell many 300; ends; }; }
ok "a recording ends at its limit of bytes" within 60 fills
file=$(field /api/actions '.actions[0].result')
ok "and is kept, sound, with no more than a segment above the limit (got $(
  stat -c %s "$file"))" \
  eval 'eventring check "$file" && [ "$(stat -c %s "$file")" -le 2097152 ]'
post "/api/processes/$id/record" '{"action":"start","seconds":1}' >body
ok "a recording ends with its time" within 60 ends
ok "and the actions say so" field_is /api/actions \
  '.actions[0] | .action, (.result | endswith(".evr"))' "record: its time is over
true"
for seconds in 0 1.5 '"10"' null 86401; do
  ok "a time of $seconds seconds is refused" with_token_is 400 \
    -d "{\"action\":\"start\",\"seconds\":$seconds}" "$base/api/processes/$id/record"
done
post "/api/processes/$id/record" '{"action":"start"}' >body
leave
ok "a recording ends with its process" within 60 ends
file=$(field /api/actions '.actions[0].result')
ok "and is kept, sound, with the end" [ "$(eventring check "$file" >/dev/null &&
  eventring stat --json "$file" | jq -r .process.state)" = ended ]
ok "nothing unfinished is left" eval '! hidden'
begin
within 60 listed "$pid"
id=$(process "$pid" 'select(.state == "running") | .id')
post "/api/processes/$id/record" '{"action":"start"}' >body
tell work 100
before=$(eventring list --json | jq '.saved | length')
end_server
ok "the end of the server ends a recording, which is kept" \
  [ "$(eventring list --json | jq '.saved | length')" = $((before + 1)) ]

# 1000 recordings
small=$(ls -S "$EVENTRING_STORE"/*.evr | tail -n 1)
rm -rf "$tmp/full"
mkdir "$tmp/full"
seq -f "$tmp/full/%g.evr" 1000 |
  xargs -n 250 sh -c 'tee "$@" <"$0" >/dev/null' "$small"
EVENTRING_STORE=$tmp/full
serve "$tmp/rings"
find_process "$pid"
id=$(process "$pid" 'select(.state == "running") | .id')
refuses() { # WHAT MESSAGE ARG...: 409 with one line
  what=$1
  message=$2
  shift 2
  ok "$what: one answer" with_token_is 409 "$@"
  ok "$what: it says why" eval '[ "$(jq -r ".error | test(\"$message\")" "$tmp/body")" = true ]'
}
refuses "a store with 1000 recordings" 'the store is full.*1000 recordings' \
  -d '{"seconds":5}' "$base/api/processes/$id/save"
refuses "a store with 1000 recordings, recording" 'the store is full' \
  -d '{"action":"start"}' "$base/api/processes/$id/record"
ok "all 1000 are listed" field_is /api/saved '.saved | length' 1000
ok "all 1000 are still there" [ "$(ls -A "$EVENTRING_STORE" | wc -l)" = 1000 ]
end_server

# A store that is read-only, full, or of somebody else: in a namespace of mounts
tried() { # NAME: each way of saving is refused with $message, nothing is left
  find_process "$pid"
  id=$(process "$pid" 'select(.state == "running") | .id')
  tell work 100
  refuses "$1, save" "$message" -d '{"seconds":60}' \
    "$base/api/processes/$id/save"
  post /api/rules '{"when":"job","after_s":0.1}' >body
  rule=$(jq .rule.id body)
  watches() { field_is /api/rules .watched 1; }
  within 60 watches
  tell request 1
  has_fired() { field_is /api/rules '.rules[0].fired' 1; }
  ok "$1: the rule fires once" within 60 has_fired
  ok "$1: and says why it saved nothing" field_is /api/rules \
    ".rules[0] | [.saved, (.last_result | test(\"$message\"))] | join(\" \")" \
    '0 true'
  ok "$1: the server goes on" code_is 200 "$base/"
  ok "$1: nothing is left in the store" eval \
    '! ls -A "/proc/$server/root$EVENTRING_STORE" 2>/dev/null | grep -vx rules.json'
  end_server
  ok "$1: the server ends in order" exits 0
}
mkdir -p "$tmp/mount"
chmod 755 "$tmp/mount"
EVENTRING_STORE=$tmp/mount
real=$EVENTRING_BIN
cat >mounted <<'M'
#!/bin/sh
# Runs the command with $MOUNT on the store.
exec unshare -m sh -c 'mount $MOUNT "$EVENTRING_STORE" && exec "$@"' sh \
  "$REAL" "$@"
M
chmod +x mounted
export REAL=$real MOUNT
if unshare -m true 2>/dev/null; then
  EVENTRING_BIN=$tmp/mounted
  MOUNT='-t tmpfs -o size=8k none'
  tell work 3000
  serve "$tmp/rings"
  message='No space left on device'
  tried "a full disk"
  MOUNT='-t tmpfs -o ro none'
  serve "$tmp/rings"
  message='Read-only file system'
  tried "a read-only disk"
  EVENTRING_BIN=$real
else
  skip "a full disk" "needs root"
  skip "a read-only disk" "needs root"
fi
EVENTRING_STORE=/proc/nowhere
serve "$tmp/rings"
message='cannot create /proc/nowhere'
tried "a folder that cannot be made"
leave
finish
