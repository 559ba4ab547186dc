#!/bin/sh
# If this breaks, the monitor shows other amounts than eventring profile, memory
# that was freed long ago, or an error instead of a refusal.  Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

${CC:-cc} -std=gnu11 -I"$EVENTRING_TOP/runtime" -o make_profile \
  "$EVENTRING_TOP/testsuite/profile/make_profile.c" || exit 1
{
  # Eleven files that do not exist, so that their code is called [FILE].
  for n in 0 1 2 3 4 5 6 7 8 9 a; do
    echo "mapping ${n}1000 1000 0 00 /nowhere/site$n"
  done
  printf 'mapping 81f000 1000 0 00 /nowhere/\033[31m\377<script>\n'
  echo "pid 4242"
  echo "control 0x3400"         # profile, profile_alloc and profile_wait
  echo "at 0 100 0"
  echo "start 1000 1"
  block=1
  for n in 0 1 2 3 4 5 6 7 8 9 a; do
    echo "alloc $((block * 100)) 0 0 $block 10 0 0 ${n}1010"
    block=$((block + 1))
  done
  echo "at 1000000000 100 0"
  echo "alloc 20000 0 0 50 10 0 0 81f010"
  echo "wait 5000000 0 1 1 4000000 01010"
  echo "at 2000000000 100 0"
  echo "freed 50"
  # A block that was allocated half a second before.
  echo "live 30000 0 0 70 100 0 0 500000000 11010"
  echo "at 3999999999 100 0"
  echo "sample 80000000 0 0 01010"
} | ./make_profile profile.eventring || exit 1
# 0.4 s of the first second have no sample, which is told 1.5 s later.
{
  echo "pid 4243"
  echo "control 0x400"          # profile
  for sampled_ms in 600 1000 1000; do
    echo "at $((${at:=0} + 900000000)) 100 0"
    echo "sample ${sampled_ms}000000 0 0 01010"
    echo "at $((at += 1000000000)) 100 0"
    echo "used 1000000000 0 0 0 $((at > 2000000000 ? 400000000 : 0)) 0 0"
  done
} | ./make_profile late.eventring || exit 1
serve profile.eventring late.eventring
find_process 4243
within 60 read_all 4243
value() { field "/api/processes/$id/flame$1" .value_ns; }
ok "time between samples that is told after a window is in it" \
  [ "$(value '?from=0&to=1500000000')" = 1000000000 ]
ok "but not in a thread, of which it is not known" \
  [ "$(value '?from=0&to=1500000000&thread=100')" = 600000000 ]
find_process 4242
within 60 read_all 4242
flame() { field "/api/processes/$id/flame$1" "$2 | tostring"; }
flame_is() { [ "$(flame "$1" "$2")" = "$3" ]; }
ok "a flame graph shows processor time if no type is given" flame_is "" \
  '[.samples, .unit, .value_ns]' '[1,"ns",80000000]'
ok "cpu is that type" [ "$(flame "" .)" = "$(flame "?type=cpu" .)" ]
ok "alloc has bytes" flame_is "?type=alloc" '[.samples, .unit, .value_bytes, .value_ns]' \
  '[12,"bytes",212800,null]'
ok "each own value has the error of profile --json" flame_is "?type=alloc" \
  '[.. | objects | select(.self_bytes > 0) | .self_error_bytes] | sort' \
  "$(eventring profile --type=alloc --json profile.eventring |
     jq -c '[.functions[] | select(.self_bytes > 0) | .self_error_bytes] | sort')"
ok "live has the blocks that are alive at the end of the window" flame_is \
  "?type=live" '[.samples, .value_bytes]' '[12,292800]'
ok "of these, the blocks that were allocated in the window" flame_is \
  "?type=live&from=1000000000&to=1900000000" '[.samples, .value_bytes]' '[1,160000]'
ok "a live sample counts at the time of its allocation" flame_is \
  "?type=live&from=1600000000" .samples 0
ok "wait has waits" flame_is "?type=wait" '[.unit, .value_ns]' '["ns",5000000]'
ok "wall has both" flame_is "?type=wall" '[.samples, .value_ns]' '[2,85000000]'
ok "wall says from when on all rings have samples, if some have lost events" flame_is \
  "?type=wall" '[.from_ns, .earlier_samples]' '[null,null]'
ok "without samples there is only the unit" flame_is "?type=io" . \
  '{"samples":0,"unknown_requests":0,"unknown_threads":0,"unit":"ns"}'
refused() { # PATH WORDS
  with_token_is 400 "$base/api/processes/$id/$1" && says "$2" &&
    [ "$(jq -r .error "$tmp/body" | wc -l)" = 1 ]
}
for bad in type=heap type= type=cpucpucpu type=%00; do
  ok "flame?$bad is refused" refused "flame?$bad" 'type: cpu, alloc, live'
done
ok "a type that is given twice is refused" refused 'flame?type=cpu&type=cpu' twice
ok "other resources have no type" refused 'stat?type=cpu' 'no such parameter'
for bad in width=0 width=9000 from=x 'from=2&to=1' type=live; do
  ok "live_sites?$bad is refused" refused "live_sites?$bad" .
done

get "/api/processes/$id/live_sites?width=4" >sites
sites_are() { [ "$(jq -c "$1" sites)" = "$2" ]; }
ok "live_sites has as many moments as the width" sites_are \
  '[.unit, .samples, .left_out, .t]' \
  '["bytes",13,0,[999999999,1999999999,2999999999,3999999999]]'
ok "ten sites, and the others" sites_are \
  '[(.sites | length), ([.sites[].bytes, .other] | map(length) | unique)]' '[10,[4]]'
ok "a block is alive from its allocation until it is freed" sites_are \
  '.sites[1] | [.bytes, .file, .line]' '[[0,160000,0,0],null,null]'
ok "a live sample tells since when its block was alive" sites_are \
  '.sites[0] | [.name, .bytes]' '["[site1]",[1600,241600,241600,241600]]'
ok "the bytes of the smallest sites are in other" sites_are .other \
  '[3200,3200,3200,3200]'
ok "at each moment the sites add up to the live profile of that time" eval '
  sum=$(jq "[.sites[].bytes[3], .other[3]] | add" sites)
  flame_is "?type=live" .value_bytes "$sum"'
ok "names are JSON in ASCII" eval 'jq -es . sites >/dev/null &&
  ! LC_ALL=C grep -q "[^ -~]" sites'
ok "a window begins with the blocks that are older" field_is \
  "/api/processes/$id/live_sites?width=1&from=2500000000&to=2600000000" \
  '[.t, .sites[0].bytes] | tostring' '[[2599999999],[241600]]'
ok "no more than 120 moments" field_is \
  "/api/processes/$id/live_sites?width=8192" '.t | length' 120
{
  echo "pid 4243"
  echo "control 0x1400"
  echo "event 1024 1 4 work"
  echo "at 1 100 0"
  echo "begin 1024"
  echo "at 2000000000 100 0"
  echo "start 1000 1"
  echo "live 1000 0 0 70 100 0 0 1500000000 11010"
  echo "at 4000000000 100 0"
  echo "end 1024"
} | ./make_profile late.eventring || exit 1
{
  echo "pid 4244"
  echo "control 0x0400"         # profile, and no longer profile_alloc
  echo "event 1024 1 4 work"
  echo "at 1 100 0"
  echo "begin 1024"
  echo "start 1000 1"
  echo "alloc 1000 0 0 1 10 0 0 11010"
  echo "at 2500000000 100 0"
  echo "freed 2"
  echo "at 4000000000 100 0"
  echo "end 1024"
} | ./make_profile off.eventring || exit 1
end_server
serve profile.eventring late.eventring off.eventring
find_process 4243
within 60 read_all 4243
ok "before the first sample the bytes are not known" field_is \
  "/api/processes/$id/live_sites?width=4" '.sites[0].bytes | tostring' \
  '[null,8000,8000,8000]'
find_process 4244
within 60 read_all 4244
ok "nor after the last one, if samples are no longer taken" field_is \
  "/api/processes/$id/live_sites?width=4" '.sites[0].bytes | tostring' \
  '[8000,8000,null,null]'
{
  echo "mapping 1000 1000 0 00 /nowhere/site0"
  echo "pid 4245"
  echo "control 0x2400"         # profile and profile_wait
  echo "at 1000000000 100 0"
  echo "sample 40000000 0 0 01010"
  echo "at 2000000000 100 0"
  echo "overwritten 0"
  echo "minor 10 100"
  echo "at 2100000000 100 0"
  echo "wait 5000000 0 0 1 4000000 01010"
  echo "at 3000000000 100 0"
  echo "sample 80000000 0 0 01010"
} | ./make_profile lost.eventring || exit 1
end_server
serve lost.eventring
find_process 4245
within 60 read_all 4245
ok "wall leaves samples of the time out of which others are lost" flame_is "?type=wall" \
  '[.value_ns, .from_ns, .earlier_samples]' '[85000000,2000000000,1]'
ok "also in a window that has this time" flame_is \
  "?type=wall&from=900000000&to=3500000000" \
  '[.value_ns, .from_ns, .earlier_samples]' '[85000000,2000000000,1]'
ok "and in one before it, although the first event of that ring is behind it" flame_is \
  "?type=wall&from=900000000&to=1500000000" \
  '[.value_ns, .from_ns, .earlier_samples]' '[null,2000000000,1]'
ok "the times of the first and the last sample are told" flame_is "?type=cpu" \
  '[.first_ns, .last_ns]' '[1000000000,3000000000]'
ok "a window after this time has all" flame_is "?type=wall&from=2500000000" \
  '[.value_ns, .from_ns, .earlier_samples]' '[80000000,2000000000,0]'
ok "a wait is a node of its kind" flame_is "?type=wall" \
  '[.children[0].children[] | [.name, .kind]]' '[["[mutex_wait]","wait"]]'
eventring dump profile.eventring -o profile.evr 2>/dev/null
end_server
serve profile.evr
find_process 4242
within 60 read_all 4242
get "/api/processes/$id/live_sites?width=4" >recorded
ok "a recording has the same sites" \
  [ "$(jq -c '[.sites, .other]' sites)" = "$(jq -c '[.sites, .other]' recorded)" ]
# Samples of two domains and threads, in spans and on requests.  The span begins a
# second before the first sample in it, and one request has no begin.
{
  for n in 0 1 2 3; do echo "mapping ${n}1000 1000 0 00 /nowhere/site$n"; done
  echo "pid 4244"
  echo "event 1024 1 4 parse"
  echo "event 1025 10 4 get"
  echo "at 1000 100 0"
  echo "name first"
  echo "begin 1024"
  echo "at 2000 101 1"
  echo "begin 1025 7"
  echo "at 1000000000 100 0"
  echo "sample 1000000 0 7 01010"
  echo "at 1000000001 101 1"
  echo "sample 2000000 0 0 11010"
  echo "at 1100000000 100 0"
  echo "end 1024"
  echo "at 1200000000 100 0"
  echo "sample 3000000 0 9 21010"
  echo "at 1200000001 100 0"
  echo "sample 1000000 0 9 21010"
  echo "at 1300000000 101 1"
  echo "sample 8000000 0 0 31010"
  echo "at 1400000000 101 1"
  echo "end 1025 7"
} | ./make_profile selected.eventring || exit 1
eventring dump selected.eventring -o selected.evr 2>/dev/null
for file in selected.eventring selected.evr; do
  end_server
  serve $file
  find_process 4244
  within 60 read_all 4244
  ok "$file: domain=1" flame_is "?domain=1" .value_ns 10000000
  ok "$file: thread=first" flame_is "?thread=first" .value_ns 5000000
  ok "$file: thread=f*, a pattern" flame_is "?thread=f*" .value_ns 5000000
  ok "$file: span=parse" flame_is "?span=parse" .value_ns 1000000
  ok "$file: a span that began before the window" \
    flame_is "?span=parse&from=900000000&to=1250000000" .value_ns 1000000
  ok "$file: requests=get; the events of another are lost" \
    flame_is "?requests=get" '[.value_ns, .unknown_requests]' '[1000000,2]'
  ok "$file: a request that began before the window" \
    flame_is "?requests=get&from=900000000" .value_ns 1000000
  ok "$file: the requests with samples" flame_is "" .requests \
    '[{"number":9,"name":null,"samples":2,"value_ns":4000000},{"number":7,"name":"get","samples":1,"value_ns":1000000}]'
  ok "$file: all parameters select" flame_is "?span=parse&requests=get&domain=1" \
    .samples 0
  ok "$file: an unknown span has no samples" flame_is "?span=no" .samples 0
done
ok "nodes have the kind of their code" flame_is "?domain=1" \
  '[.kind, .children[0].kind]' '["unknown","unknown"]'
ok "a bad domain is refused" refused "flame?domain=99999999999" "there is no domain 99999999999"
ok "a name that is too long is refused" \
  refused "flame?span=$(printf '%0512d' 0)" 'span: fewer bytes than 512'
ok "pprof takes the same parameters" with_token_is 409 \
  "$base/api/processes/$id/pprof?span=no"
end_server
finish
