#!/bin/sh
# If this breaks, the events of a program that has crashed cannot be kept, or the
# last seconds before its end are others.  Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
. "$here/../cli/ten_seconds.sh"
make_ring plain
make_ring killed
./make_ring script ring.eventring <script || exit 1
serve ring.eventring killed.eventring
id_of() { field /api/processes ".processes[] | select(.path == \"$1\") | .id"; }
all_shown() { [ -n "$(id_of ring.eventring)" ] && [ -n "$(id_of killed.eventring)" ]; }
within 60 all_shown
ended=$(id_of ring.eventring)
killed=$(id_of killed.eventring)

events_of() { eventring events --raw "$1" 2>/dev/null; }
same_events() { events_of "$1" >one; events_of "$2" >two; cmp one two && [ -s one ]; }
save() { post "/api/processes/$1/save" "$2" | jq -r .file >file; file=$(cat file); }

ok "the states" eval '[ "$(field /api/processes "[.processes[].state] | sort | tostring")" \
  = "[\"ended\",\"killed\"]" ]'
save "$ended" '{}'
ok "without seconds, all that the rings hold is saved" eval \
  'eventring check "$file" && same_events ring.eventring "$file"'
save "$ended" '{"seconds":1}'
eventring cut ring.eventring --from=9s -o cut.evr 2>/dev/null
ok "the last second is the one before the last event" eval \
  'eventring check "$file" && same_events cut.evr "$file"'
save "$ended" '{"seconds":3600}'
ok "more seconds than there are: all" same_events ring.eventring "$file"
save "$ended" '{"from_ns":2000000000,"to_ns":3000000000}'
eventring cut ring.eventring --from=2s --to=3s -o cut.evr --force 2>/dev/null
ok "a range of time is saved as eventring cut does" eval \
  'eventring check "$file" && same_events cut.evr "$file"'
ok "a range without events is refused" eval \
  'with_token_is 409 -d "{\"from_ns\":90000000000,\"to_ns\":91000000000}" \
     "$base/api/processes/$ended/save" && says "no events of this time"'
save "$killed" '{}'
ok "a process that was killed is saved, too" same_events killed.eventring "$file"
ok "the recording says that it was killed" \
  [ "$(eventring stat --json "$file" 2>/dev/null | jq -r .process.state)" = killed ]

# Recording
post "/api/processes/$ended/record" '{"action":"start"}' >body
ok "a recording of an ended process begins" [ "$(jq .max_bytes body)" = 1073741824 ]
recorded() { field_is /api/actions '.actions[0].action' 'record: the process ended'; }
ok "and ends at once" within 60 recorded
file=$(field /api/actions '.actions[0].result')
ok "it has all that the rings hold" eval \
  'eventring check "$file" && same_events ring.eventring "$file"'

for body in '{"seconds":0}' '{"seconds":-1}' '{"seconds":1.5}' '{"seconds":"1"}' \
    '{"seconds":null}' '{"seconds":86401}'; do
  ok "$body is refused" eval \
    'with_token_is 400 -d "$body" "$base/api/processes/$ended/save" &&
     says "an integer from 1 to 86400"'
done
for body in '{"from_ns":1}' '{"to_ns":1}' '{"from_ns":2,"to_ns":2}' \
    '{"from_ns":-1,"to_ns":1}' '{"from_ns":0,"to_ns":1.5}' \
    '{"from_ns":0,"to_ns":1,"seconds":1}'; do
  ok "$body is refused" eval \
    'with_token_is 400 -d "$body" "$base/api/processes/$ended/save" &&
     says "two integers from 0 on"'
done
ok "pausing it is still refused" with_token_is 409 -d '{"action":"pause"}' \
  "$base/api/processes/$ended/control"
saved=$(get /api/saved | jq -r '.saved[0].id')
with_token_is 200 "$base/api/processes/$saved/stat"
for what in save record; do
  ok "a recording cannot be saved again: $what" eval \
    'with_token_is 409 -d "{$([ $what = save ] || echo \"action\":\"start\")}" \
       "$base/api/processes/$saved/$what" && says "a recording already"'
done
ok "nothing unfinished is left in the store" \
  [ -z "$(ls -A "$EVENTRING_STORE" | grep '^\.saving')" ]
end_server
finish
