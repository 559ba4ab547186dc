#!/bin/sh
# If this breaks, a client deletes or overwrites a file that is no recording of the
# store, or a note is shown with another recording.  Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
make_ring summary
mkdir -m 700 "$EVENTRING_STORE" outside
cd "$EVENTRING_STORE" || exit 1
eventring dump "$tmp/summary.eventring" -o one.evr 2>/dev/null
cp one.evr two.evr
cp one.evr .hidden.evr
echo 'no recording' >text
echo 'broken' >broken.evr
mkdir folder.evr
ln -s ../outside/three.evr link.evr
cp one.evr "$tmp/outside/three.evr"
cp one.evr "$tmp/outside.evr"
cd "$tmp" || exit 1

# The names, contents and times of all files.
state() { find store outside outside.evr -printf '%p %y %s %T@\n' | sort; md5sum store/*.evr 2>/dev/null || :; }
edit() { with_token -d "$1" "$base/api/saved"; }
edit_is() { [ "$(edit "$2")" = "$1" ]; }
refused() { # STATUS BODY WORDS: one line, and nothing changes
  state >before
  edit_is "$1" "$2" && says "$3" && [ "$(jq -r .error body | wc -l)" = 1 ] &&
    state >after && cmp before after
}
notes() { get /api/saved | jq -cS '[.saved[] | {(.name): .note}] | add'; }

serve summary.eventring
one=$(get /api/saved | jq -r '.saved[] | select(.name == "one.evr") | .id')

# Hostile names
for bad in ../outside.evr ../outside/three.evr store/one.evr /etc/passwd.evr \
    "$tmp/outside.evr" ./one.evr one.evr/ .. . '' .evr .hidden.evr text one evr \
    'one.evr\u000a' '\u000aone.evr' 'on\u0007e.evr' 'one.evr\u007f' '\u001b[2J.evr'; do
  ok "delete of '$bad' is refused" refused 400 \
    "{\"action\":\"delete\",\"name\":\"$bad\"}" 'the name'
  ok "a note of '$bad' is refused" refused 400 \
    "{\"action\":\"note\",\"name\":\"$bad\",\"note\":\"x\"}" 'the name'
  ok "rename of '$bad' is refused" refused 400 \
    "{\"action\":\"rename\",\"name\":\"$bad\",\"to\":\"new.evr\"}" 'the name'
  ok "rename to '$bad' is refused" refused 400 \
    "{\"action\":\"rename\",\"name\":\"one.evr\",\"to\":\"$bad\"}" 'the name'
done
for bad in none.evr folder.evr link.evr; do
  ok "delete of $bad, which is no recording" refused 404 \
    "{\"action\":\"delete\",\"name\":\"$bad\"}" 'has no recording'
done
for bad in two.evr folder.evr link.evr broken.evr one.evr; do
  ok "rename to $bad, which is there" refused 409 \
    "{\"action\":\"rename\",\"name\":\"one.evr\",\"to\":\"$bad\"}" 'File exists'
done
long=$(printf '%0300d' 0).evr
ok "a name that is too long" refused 400 \
  "{\"action\":\"rename\",\"name\":\"one.evr\",\"to\":\"$long\"}" 'too long'
for body in '{}' '{"action":"copy","name":"one.evr"}' '{"action":1,"name":"one.evr"}' \
    '{"action":"delete"}' '{"action":"delete","name":7}' \
    '{"action":"rename","name":"one.evr"}' '{"action":"note","name":"one.evr"}' \
    '{"action":"note","name":"one.evr","note":7}' \
    '{"action":"delete","name":"one.evr","path":"x"}' \
    '{"action":"delete","name":"one.evr\u0000"}' '[]'; do
  ok "$body is refused" refused 400 "$body" .
done

# Notes
note='a slow deploy, "1.2" <b>'
json=$(printf %s "$note" | jq -Rs .)
ok "a note is written" edit_is 200 "{\"action\":\"note\",\"name\":\"one.evr\",\"note\":$json}"
ok "and listed with its recording only" eval \
  '[ "$(get /api/saved | jq -r ".saved[] | select(.note) | .name + \": \" + .note")" \
     = "one.evr: $note" ]'
ok "eventring list has it, too" eval \
  '[ "$(eventring list --json | jq -r ".saved[] | select(.note) | .note")" = "$note" ]'
most=$(printf '%01000d' 0)
ok "a note of 1000 bytes replaces it" eval \
  'edit_is 200 "{\"action\":\"note\",\"name\":\"one.evr\",\"note\":\"$most\"}" &&
   [ "$(get /api/saved | jq -r ".saved[] | select(.note) | .note")" = "$most" ]'
ok "a note of 1001 bytes is refused" refused 400 \
  "{\"action\":\"note\",\"name\":\"one.evr\",\"note\":\"${most}0\"}" '1000 bytes'
ok "a note of several lines is refused" refused 400 \
  '{"action":"note","name":"one.evr","note":"a\nb"}' 'control'
ok "a note is no recording" [ "$(get /api/saved | jq '.saved | length')" = 3 ]
edit '{"action":"note","name":"two.evr","note":"second"}' >/dev/null

# Rename
ok "a recording is renamed, with spaces" edit_is 200 \
  '{"action":"rename","name":"one.evr","to":"before the \u00dcpdate.evr"}'
ok "the note goes with it" eval \
  '[ "$(notes)" = "{\"before the Üpdate.evr\":\"$most\",\"broken.evr\":null,\"two.evr\":\"second\"}" ]'
ok "the recording is the same" \
  cmp "$EVENTRING_STORE/before the Üpdate.evr" outside/three.evr
ok "its id stays, and is opened" with_token_is 200 "$base/api/processes/$one/stat"
echo left >"$EVENTRING_STORE/new.evr.note"
edit '{"action":"rename","name":"broken.evr","to":"new.evr"}' >/dev/null
ok "a note that was left behind goes to nobody" \
  [ "$(notes | jq -c '.["new.evr"]')" = null ]

# Delete
ok "a recording is deleted, with its note" eval '
  edit_is 200 "{\"action\":\"delete\",\"name\":\"two.evr\"}" &&
  [ ! -e "$EVENTRING_STORE/two.evr" ] && [ ! -e "$EVENTRING_STORE/two.evr.note" ]'
ok "one that cannot be read, too" eval '
  edit_is 200 "{\"action\":\"delete\",\"name\":\"new.evr\"}" &&
  [ "$(get /api/saved | jq ".saved | length")" = 1 ]'
ok "an empty note removes the note" eval '
  edit_is 200 "{\"action\":\"note\",\"name\":\"before the Üpdate.evr\",\"note\":\"\"}" &&
  [ "$(notes)" = "{\"before the Üpdate.evr\":null}" ]'
ok "all else is as it was" [ "$(ls -A "$EVENTRING_STORE" | sort | tr '\n' ' ')" = \
  "$(printf '%s\n' 'before the Üpdate.evr' .hidden.evr folder.evr link.evr text |
     sort | tr '\n' ' ')" ]
listed() { # ACTION RESULT
  field /api/actions '.actions[] | .action + " = " + .result' | grep -qxF "$1 = $2"
}
ok "the actions list what was done" eval '
  listed "delete two.evr" ok && listed "note two.evr: second" ok &&
  listed "rename broken.evr: new.evr" ok'
ok "and what was refused" listed "delete ../outside.evr" "the name has a slash"
ok "without a token: 401" code_is 401 -d '{"action":"delete","name":"one.evr"}' \
  "$base/api/saved"
end_server

cp outside/three.evr "$EVENTRING_STORE/one.evr"
serve --read-only summary.eventring
for body in '{"action":"delete","name":"one.evr"}' \
    '{"action":"rename","name":"one.evr","to":"x.evr"}' \
    '{"action":"note","name":"one.evr","note":"x"}'; do
  ok "--read-only: $body is refused" refused 403 "$body" 'read-only'
done
end_server
finish
