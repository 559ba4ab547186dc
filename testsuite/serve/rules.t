#!/bin/sh
# If this breaks, the moment that a rule waits for is not in a saved recording,
# or rules fill the disk.
# Waits most of the time: for rules, which look each second.
. "$(dirname "$0")/tap.sh"
. "$here/slow.sh"
cd "$tmp" || exit 1
mkdir rings
begin
ok "the server starts" serve "$tmp/rings"
ok "the program is shown" find_process "$pid"

# rule JSON...: adds it; leaves the answer in $tmp/body and its id in $rule
rule() {
  post /api/rules "$1" >"$tmp/body"
  rule=$(jq -r .rule.id "$tmp/body")
}
rule_is() { field_is /api/rules ".rules[] | select(.id == $rule) | $1" "$2"; }
watches() { field_is /api/rules .watched 1; }
# collect: a collection; waits until the rule has saved one recording more.
collect() {
  count=$(field /api/rules ".rules[] | select(.id == $rule) | .saved")
  tell minor 30
  within 60 rule_is ".saved > $count" true
}
# with_fence: the processes are also watched by a rule for the event fence.
# fence: waits until the rules have seen all events that were written before.
with_fence() {
  fence=$(post /api/rules '{"when":"fence","before_s":0,"after_s":0,
    "max_files":1}' | jq -r .rule.id)
  within 60 watches
}
fence() {
  tell fence
  within 60 field_is /api/rules ".rules[] | select(.id == $fence) | .saved" 1
  delete "$fence" >/dev/null
}
delete() { get "/api/rules?id=$1" -X DELETE; }
files() { ls "$EVENTRING_STORE" 2>/dev/null | grep -c '\.evr$'; }
files_are() { [ "$(files)" = "$1" ]; }
latest() { saved .path | head -n 1; }
# The longest of the events called $2 in the recording $1, in ns.
longest() { eventring events --json --name="$2" "$1" |
  jq -s '[.[].duration_ns // 0] | max'; }

for wrong in '{}' '{"when":""}' '{"when":"> 1ms"}' '{"when":"minor > > 3ms"}' '{"when":"minor > x"}' \
    '{"when":7}' '{"when":"minor","before_s":61}' '{"when":"minor","after_s":-1}' \
    '{"when":"minor","max_files":0}' '{"when":"minor","max_files":1.5}' \
    '{"when":"minor","max_bytes":1}' '{"when":"minor","distance_s":0}' \
    '{"when":"minor","max_age_s":"1"}' '{"when":"minor","colour":"red"}' '[]'; do
  ok "refused: $wrong" \
    with_token_is 400 -d "$wrong" "$base/api/rules"
done
ok "a rule that is not there cannot be deleted" \
  with_token_is 404 -X DELETE "$base/api/rules?id=7"
ok "a webhook that is no address is refused" with_token_is 400 \
  -d '{"when":"minor","webhook":"ftp://localhost/"}' "$base/api/rules"
ok "only DELETE takes the id of a rule: GET is refused" \
  with_token_is 400 "$base/api/rules?id=1"
ok "and POST" with_token_is 400 -d '{"when":"minor"}' "$base/api/rules?id=1"
ok "DELETE of something else is refused" \
  with_token_is 405 -X DELETE "$base/api/saved"

# A span that ended before the rule was added
tell span 30
rule '{"when":"step > 20ms"}'
with_fence
fence
ok "a span from before the rule does not fire it" rule_is .fired 0
ok "and it has not seen an event of its name" rule_is .seen false
delete "$rule" >/dev/null

# A slow collection: no collection here takes an hour, and each takes a
# nanosecond.
rule '{"when":"minor > 3600s"}'
with_fence
ok "the process is watched" watches
tell minor 30
fence
ok "a collection that is not as slow as that does not fire" rule_is .fired 0
ok "but it shows that the name is right" rule_is .seen true
delete "$rule" >/dev/null

# Events that the rings have of long before the rule was added: step, from above
seconds() { cut -d. -f1 /proc/uptime; }
later=$(($(seconds) + 5))
within 60 eval '[ $(seconds) -ge $later ]'
within 60 field_is /api/rules .watched 0
rule '{"when":"minor > 1ns","before_s":2,"after_s":0}'
within 60 watches
ok "a rule that was added just now saves a recording" collect
ok "it does not have all that the rings have" eval \
  '[ "$(longest "$(latest)" minor)" -gt 1 ] && [ "$(longest "$(latest)" step)" = 0 ]'
delete "$rule" >/dev/null
rm -f "$EVENTRING_STORE"/*.evr
rule '{"when":"minor > 1ns","before_s":2,"after_s":0.3,"distance_s":1,"max_files":2}'
ok "a rule is listed with its defaults" rule_is \
  '[.when, .before_s, .max_files, .max_age_s, .fired] | join(" ")' \
  'minor > 1ns 2 2 604800 0'
ok "an equal rule is refused" with_token_is 409 \
  -d '{"when":"minor > 1ns"}' "$base/api/rules"
within 60 watches
ok "a slow collection saves a recording" collect
file=$(latest)
ok "the recording is sound" eventring check "$file"
ok "the slow collection is in it (got $(longest "$file" minor) ns)" \
  [ "$(longest "$file" minor)" -gt 1 ]
ok "it says which rule saved it" \
  [ "$(saved .rule | head -n 1)" = 'minor > 1ns' ]
# Two cursors have clocks of their own.
has_fired_event() {
  eventring events --json --name=minor "$1" |
    jq -se --argjson f "$(get /api/saved | jq -c '.saved[0].fired')" '$f.event == "minor" and
      any(.[]; (.ns - $f.ns | fabs) < 1000 and .domain == $f.domain and
               .thread == $f.thread and (.duration_ns - $f.took_ns | fabs) < 1000)' >/dev/null
}
ok "and which collection" has_fired_event "$file"
ok "the firing is among the actions" field_is /api/actions \
  "[.actions[] | select(.result == \"$file\")][0] | [.origin, .action] | join(\" \")" \
  "rule save by rule minor > 1ns"
ok "nothing unfinished is left" within 60 eval '! hidden'

# The limit of files
for i in 1 2; do
  sleep 1.1         # the distance of the rule
  ok "a slow collection saves another one" collect
done
ok "the limit of 2 files holds" files_are 2
ok "the first one is gone" [ ! -e "$file" ]

# Recordings saved by hand stay
post "/api/processes/$id/save" '{"seconds":30}' >"$tmp/body"
mine=$(jq -r .file "$tmp/body")
sleep 1.1
ok "one more" collect
ok "a recording saved by hand is not removed" \
  eval 'files_are 3 && [ -e "$mine" ]'
ok "a rule can be deleted" eval 'delete $rule && field_is /api/rules ".rules | length" 0'

# Not twice in the least distance
rule '{"when":"step > 20ms","after_s":0,"distance_s":600}'
with_fence
for i in 1 2 3; do tell span 30; done
ok "the first of 3 slow spans saves a recording" within 60 rule_is .saved 1
tell span 30
fence
ok "the others do not, within the distance of the rule" rule_is .fired 1
delete "$rule" >/dev/null

# Not after the end of the rule
rule '{"when":"step > 20ms","after_s":0,"distance_s":1}'
within 60 watches
tell span 30
within 60 rule_is .saved 1
delete "$rule" >/dev/null
of_rule() { saved .rule | grep -c '^step > 20ms$'; }
kept=$(of_rule)
with_fence
sleep 1.1         # the distance
tell span 30
fence
ok "a deleted rule saves nothing" [ "$(of_rule)" = "$kept" ]

# Spans, requests, losses, marks

fires() { # NAME RULE COMMAND
  rule "{\"when\":\"$2\",\"after_s\":0.2}"
  within 60 watches
  tell $3
  ok "$1" within 60 rule_is '.saved > 0' true
  file=$(latest)
  ok "$1: the recording is sound" eventring check "$file"
  ok "$1: it is the latest" [ "$(saved .rule | head -n 1)" = "$2" ]
  delete "$rule" >/dev/null
}
fires "a slow span fires" 'step > 20ms' 'span 30'
fires "a slow request fires" 'job > 20ms' 'request 30'
fires "any event of a name fires" 'job' 'request 1'
fires "a stop fires" 'stop_the_world > 1ns' 'minor 30'

# A pattern of programs
rule '{"when":"job","process":"no*","after_s":0.1}'
with_fence
tell request 1
fence
ok "a rule for other programs does not fire for this one" rule_is .fired 0
unwatched() { field_is /api/rules .watched 0; }
ok "and does not watch it" within 60 unwatched
delete "$rule" >/dev/null
rule '{"when":"job","process":"sl*w","after_s":0.1}'
ok "a rule for this program does" within 60 watches
tell request 1
ok "and fires" within 60 rule_is .saved 1
ok "its text has the pattern" \
  [ "$(saved .rule | head -n 1)" = 'job in sl*w' ]
delete "$rule" >/dev/null

# Limits of bytes and age
rule '{"when":"job","after_s":0.1,"distance_s":1,"max_bytes":4096}'
within 60 watches
tell work 500
tell request 1
ok "a recording over the limit of bytes is not kept" \
  within 60 rule_is '.fired, .saved' "1
0"
ok "and the rule says why" rule_is '.last_result | test("more than the limit")' true
ok "nothing unfinished is left" eval '! hidden'
delete "$rule" >/dev/null
rule '{"when":"job","after_s":0.1,"distance_s":1,"max_age_s":1}'
within 60 watches
tell request 1
within 60 rule_is .saved 1
old=$(latest)
sleep 1.5
tell request 1
ok "a recording older than the limit goes" eval \
  'within 60 rule_is .saved 2 && [ ! -e "$old" ]'
delete "$rule" >/dev/null

# Webhooks: one request, answered with 204
perl -MIO::Socket::INET -e '
  my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") or die;
  open F, ">", "hook.port"; print F $s->sockport; close F;
  rename "hook.port", "port";
  my $c = $s->accept;
  my ($head, $body) = ("", "");
  $head .= <$c> until $head =~ /\r\n\r\n$/;
  my ($length) = $head =~ /content-length: (\d+)/i;
  read $c, $body, $length;
  open F, ">", "hook.body"; print F $body; close F;
  print $c "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n";
  close $c;
  rename "hook.body", "body.json"' &
started="$started $!"
within 60 [ -s port ]
rule "{\"when\":\"job\",\"after_s\":0.1,\"webhook\":\"http://127.0.0.1:$(cat port)/x\"}"
within 60 watches
tell request 1
ok "a webhook is told" within 60 [ -s body.json ]
ok "of the rule, the process and the recording" eval \
  '[ "$(jq -r "[.rule, .pid, .fired.event, .error] | tostring" body.json)" = \
     "[\"job\",$pid,\"job\",null]" ] &&
   [ -e "$(jq -r .saved body.json)" ]'
told() { field_is /api/actions '[.actions[] | select(.action == "webhook of rule job") |
  .result] | tostring' '["ok"]'; }
ok "and that is among the actions" within 60 told
ok "the rule has the result, too" within 60 rule_is .webhook_result ok
delete "$rule" >/dev/null
rule '{"when":"job","after_s":0.1,"webhook":"http://127.0.0.1:1/x"}'
within 60 watches
tell request 1
failed() { field /api/actions '.actions[] | select(.action == "webhook of rule job") |
  .result' | grep -qi connect; }
ok "one that does not answer costs nothing else" eval \
  'within 60 failed && within 60 rule_is .saved 1'
ok "and the rule says why" within 60 rule_is \
  '.webhook_result | test("connect"; "i")' true
delete "$rule" >/dev/null

# The end of the process ends the file
rule '{"when":"job","after_s":60}'
within 60 watches
tell request 1
leave
ok "a recording is saved when its process ends" within 60 rule_is .saved 1
file=$(latest)
ok "it is sound" eventring check "$file"
ok "it has the end of the process" \
  [ "$(eventring stat --json "$file" | jq -r .process.state)" = ended ]
delete "$rule" >/dev/null

# A ring of 2 KiB is overwritten faster than anybody reads it.
begin 8
find_process "$pid"
rule '{"when":"lost","after_s":0.1}'
with_fence
tell span 1
fence
ok "without a loss nothing is saved" rule_is .fired 0
within 60 watches
tell flood
ok "a loss of events fires" within 60 rule_is .saved 1
ok "and the recording is sound" eventring check "$(latest)"
ok "the loss is counted" [ "$(process "$pid" .lost_events)" -gt 0 ]
end_server
ok "the server ends in order" exits 0
serve "$tmp/rings"
find_process "$pid"
within 60 read_all "$pid"
ok "events that were overwritten before the server began are no loss" \
  process_is "$pid" .lost_events 0
leave
end_server
ok "nothing unfinished is left" eval '! hidden'

serve --read-only "$tmp/rings"
ok "a read-only server adds no rule" \
  with_token_is 403 -d '{"when":"job"}' "$base/api/rules"
ok "and deletes none" with_token_is 403 -X DELETE "$base/api/rules?id=1"
end_server
finish
