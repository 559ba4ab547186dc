#!/bin/sh
# If this breaks, rules are gone after a restart, or a webhook is not told.  Needs no
# OCaml: the event that a rule waits for is in a ring of a process that this test plays.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
rules() { field /api/rules '[.rules[] | [.when, .process, .before_s, .webhook]] | tostring'; }
rules_are() { [ "$(rules)" = "$1" ]; }
file=$EVENTRING_STORE/rules.json

serve
post /api/rules '{"when":"minor > 10ms","process":"shop*","before_s":7}' >/dev/null
post /api/rules '{"when":"lost","webhook":"http://127.0.0.1:9/x"}' >"$tmp/out"
both='[["minor > 10ms","shop*",7,null],["lost",null,5,"http://127.0.0.1:9/x"]]'
ok "rules are added" rules_are "$both"
ok "their file is for this user only" [ "$(stat -c %a "$file")" = 600 ]
kept_url=$url kept_server=$server
serve
ok "a second server of the store does not have them" rules_are '[]'
ok "it says so when it starts" grep -q 'another server has the rules.*; they are not' serve.err
ok "its own are not kept" eval 'post /api/rules "{\"when\":\"minor\"}" |
  jq -e ".rule.not_kept | startswith(\"another server\")"'
end_server
url=$kept_url server=$kept_server base=${kept_url%/#*} token=${kept_url#*token=}
end_server
serve
ok "after a restart the rules are there" rules_are "$both"
get "/api/rules?id=$(field /api/rules '.rules[1].id')" -X DELETE >/dev/null
end_server
serve
ok "a rule that was deleted is not" rules_are '[["minor > 10ms","shop*",7,null]]'
end_server
jq '.rules += [.rules[0] | .when = "minor > 25", .when = "minor > 25s"]' "$file" >new &&
  mv new "$file"
serve
ok "a rule of the file keeps its time without a unit" field_is /api/rules \
  '[.rules[].when] | join(",")' 'minor > 10ms,minor > 25,minor > 25s'
for at in 2 1; do
  get "/api/rules?id=$(field /api/rules ".rules[$at].id")" -X DELETE >/dev/null
done
for time in 25 1.5 0 2ms; do
  post /api/rules "{\"when\":\"job > $time\"}" | jq -r '"\(.rule.id) \(.rule.when)"'
done >added
ok "a time without a unit is in seconds, and the rule says so" \
  [ "$(cut -d ' ' -f 2- added | paste -sd ,)" = \
    "job > 25s,job > 1.5s,job > 0,job > 2ms" ]
for id in $(cut -d " " -f 1 added); do get "/api/rules?id=$id" -X DELETE >/dev/null; done
rm "$file"
post /api/rules '{"when":"job"}' >/dev/null
ok "a file that was removed is written again" [ -s "$file" ]
echo '{"version":1,"rules":[]}' >new
mv new "$file"
ok "a rule is deleted though somebody else has replaced the file, and that is said" eval \
  'get "/api/rules?id=$(field /api/rules ".rules[1].id")" -X DELETE |
     jq -e ".not_kept | test(\"somebody else\")" &&
   rules_are "[[\"minor > 10ms\",\"shop*\",7,null]]"'
end_server
serve --read-only
ok "a read-only server applies none" rules_are '[]'
end_server

# Files that are no rules
wrong() {
  printf '%s' "$2" >"$file"
  serve
  ok "$1: the line names the file and the place" grep -q "rules.json: $3" serve.err
  ok "$1: a new rule is not kept" eval 'post /api/rules "{\"when\":\"minor\"}" |
    jq -e .rule.not_kept'
  end_server
  ok "$1: the file is as before" [ "$(cat "$file")" = "$2" ]
}
wrong "no JSON" '{"version":1,' 'line 1'
wrong "another version" '{"version":2,"rules":[]}' '"version" must be 1'
wrong "a wrong rule" '{"version":1,"rules":[{"when":"minor"},{"when":"> 1ms"}]}' 'rule 2: when'
rm "$file"
finish
