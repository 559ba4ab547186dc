#!/bin/sh
# eventring diagnose: events of a second that a rule finds, and events that come
# close, for each rule but events_lost and hot_function.  diagnose_programs.t has
# programs for all.
# Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
command -v jq >/dev/null || { echo "1..0 # SKIP no jq"; exit 0; }

# Events, a line each, as make_ring wants them.

# every COUNT LINE...: each line COUNT times over the second; in it, T+N is N ns
# later, I the number of the time
every() {
  awk 'BEGIN {
    for (i = 0; i < ARGV[1]; i++) {
      for (l = 2; l < ARGC; l++) {
        count = split(ARGV[l], word, " ")
        for (w = 1; w <= count; w++) {
          if (word[w] ~ /^T\+/)
            word[w] = sprintf("%d", i * 1e9 / ARGV[1] + substr(word[w], 3))
          if (word[w] ~ /^I\*/)
            word[w] = sprintf("%d", (i + 1) * substr(word[w], 3))
          printf "%s%s", word[w], w < count ? " " : "\n"
        }
      }
    }
  }' "$@"
}
# spans COUNT NS NAME [NUMBER...]: spans of domain 0, ends have the numbers; the
# whole of a call of Gc is work of the collector
spans() {
  n=$1 ns=$2 name_of=$3
  shift 3
  case $name_of in explicit_*)
    calls "$n" "$ns" "$ns" "$name_of"
    return ;;
  esac
  every "$n" "0 T+0 begin $name_of" "0 T+$ns end $name_of $*"
}
# calls COUNT NS COLLECTED EVENT: calls of Gc of NS ns, in which the collector
# works for COLLECTED ns
calls() {
  every "$1" "0 T+0 begin $4" "0 T+0 begin major_finish_cycle" \
    "0 T+$3 end major_finish_cycle ${4#explicit_} 0" "0 T+$2 end $4"
}
# Minor collections, and major cycles: their heap, in words
minors() { spans "$1" "$2" minor "$3" 100000 minor_heap_full 0; }
cycles() {
  every "$1" "0 T+0 begin major_gc_cycle_domains" \
    "0 T+1 end major_gc_cycle_domains 0 0" "0 T+2 instant heap $2"
}
second_domain() { echo "1 1 instant domain_start 1 0 1"; }
# waits FROM: domain 0 waits in each ms but for the first FROM ns
waits() { every 1000 "0 T+999999 instant blocking_section $((999999 - $1)) 0"; }
stops() {
  second_domain
  every "$1" "0 T+2000000 instant stop_the_world 1000 0 minor 0 0 1000 0 1 $2 0"
}
gc_detail() {
  every 1 "0 T+0 begin minor_local_roots" "0 T+1 end minor_local_roots"
}

# with [HEADER...] <EVENTS: a ring with them
make_ring plain         # compiles it
with() {
  { echo "0 0 instant ring_start 1"
    cat
    echo "0 ${last:-1000000000} instant ring_stop 0"; } |
    sort -s -k 1,1n -k 2,2n >events
  rm -f ring.eventring
  ./make_ring script ring.eventring "$@" <events || exit 1
}
diagnose() { run $by "$EVENTRING_BIN" diagnose --json ring.eventring; }
# between LOW HIGH NUMBER
between() { awk "BEGIN { exit !($1 <= $3 && $3 <= $2) }"; }
# found RULE: ./out, of --json, has a finding of it
found() { jq -e --arg rule "$1" '.findings[] | select(.rule == $rule)' out; }
unjudged() {
  jq -e --arg rule "$1" '.not_judged[] | select(.rule == $rule)' out
}
finds_none() { exits 0 && ! found "$1" && ! unjudged "$1"; }
# fact RULE NAME: the value of that evidence
fact() {
  jq -r --arg rule "$1" --arg name "$2" '.findings[] |
    select(.rule == $rule) | .evidence[] | select(.name == $name) |
    .value | if type == "number" then . + 0 else . end' out
}
finds() { diagnose; ok "$1: found${2:+, }$2" found "$1"; }
leaves() { diagnose; ok "$1: not found${2:+, }$2" finds_none "$1"; }

# A server that waits nine tenths of the time, half of it, or a tenth, with a
# collection in each ms: the collector has the same share of the active time.
active='time in the collector, of active time'
for idle in 90 50 10; do
  busy=$(( (100 - idle) * 10000 ))
  { waits $busy; minors 1000 $((busy * 30 / 100)) 1000; } | with
  finds collector_time "in a program that waits $idle % of the time"
  ok "collector_time: waits $idle %: the share of active time" \
    between 0.299 0.301 "$(fact collector_time "$active")"
  ok "collector_time: waits $idle %: how much is active" \
    between "1-$idle/100-0.001" "1-$idle/100+0.001" \
    "$(fact collector_time "active, of all domains' time")"
  ok "stat has the same share, waits $idle %" \
    [ "$(eventring stat --json ring.eventring |
         jq .total.active_gc_share)" = "$(fact collector_time "$active")" ]
  { waits $busy; minors 1000 $((busy * 18 / 100)) 1000; } | with
  leaves collector_time "when it takes 18 %, waits $idle %"
done
minors 1000 180000 1000 | with control=1
leaves collector_time "when waits are not known and it takes 18 % of all time"
minors 1000 300000 1000 | with control=1
finds collector_time "when waits are not known and it takes 30 % of all time"
ok "collector_time: says that active time is not known" \
  [ "$(fact collector_time 'active time')" = \
    "not known, since waits were not recorded" ]
ok "collector_time: and names the time with which it compares" \
  [ "$(fact collector_time "time in the collector, of all domains' time")" = \
    0.3 ]
ok "stat has no share of active time then" jq -ne --argjson stat \
  "$(eventring stat --json ring.eventring)" '$stat.total |
   .active_gc_share == null and .gc_share == 0.3'

stops 600 900000 | with control=1
finds collector_time "in a program that waits at stops"
ok "collector_time: the waits for domains that arrive late" \
  between 0.99 1 "$(fact collector_time 'waits for the last domain to arrive at a stop')"
ok "collector_time: the rest of the stops" between 0 0.01 "$(fact collector_time \
  'the rest of it: in stops, waits for other domains or a processor, other work')"

# caused COUNT NS NAME NUMBER...: in a program that waits half of the time
caused() { { waits 500000; spans "$@"; } | with; diagnose; }
# advised RULE CAUSE TEXT: the finding has that cause, and advice with TEXT
advised() {
  [ "$(fact "$1" cause)" = "$2" ] &&
    jq -e --arg rule "$1" --arg text "$3" '.findings[] |
      select(.rule == $rule) | .advice | contains($text)' out
}
caused 1000 200000 minor 1000 100000 minor_heap_full 0
ok "collector_time: the minor heap is full" \
  advised collector_time minor_heap_full OCAMLRUNPARAM=s=1M
ok "collector_time: a size" \
  [ "$(fact collector_time 'words of a minor heap to try')" = 1048576 ]
caused 1000 200000 minor 1000 400000 minor_heap_full 0
ok "the verdict and all advice propose the same minor heap" jq -e '
  [.verdict, (.findings[] | .advice) | match("s=[^ ,.:;)]*").string] ==
  ["s=2M", "s=2M", "s=2M"]' out
caused 1000 200000 minor 1000 1200000 minor_heap_full 0
ok "no size is proposed above 4 M words" jq -e '
  [.verdict, .findings[0].advice | select(test("[^a-z]s="))] == [] and
  (.findings[0].advice | startswith("Try a larger space_overhead"))' out
caused 1000 200000 major_slice half_minor_heap
ok "collector_time: slices" \
  advised collector_time half_minor_heap OCAMLRUNPARAM=o=200
caused 1000 200000 explicit_gc_full_major
ok "collector_time: calls of the program" \
  advised collector_time gc_full_major 'remove these calls'
ok "collector_time: no size then" \
  [ -z "$(fact collector_time 'words of a minor heap to try')" ]
ok "collector_time: what the cause means" \
  [ "$(fact collector_time 'which means')" = \
    'Gc.full_major, called by the program' ]
caused 1000 200000 minor 1000 100000 custom_table_full 0
ok "collector_time: custom blocks" \
  advised collector_time custom_table_full bigarrays
caused 1000 200000 minor 1000 100000 ref_table_full 0
ok "collector_time: the remembered set" \
  advised collector_time ref_table_full 'Old arrays'
caused 1000 200000 major_slice major_allocation
ok "collector_time: large blocks" \
  advised collector_time major_allocation 'reuse them'

spans 1 120000000 explicit_gc_full_major | with
finds long_stop
ok "long_stop: its cause and what to do" \
  advised long_stop gc_full_major 'Do not call this function'
ok "long_stop: its length" [ "$(fact long_stop 'longest stop')" = 120000000 ]
ok "long_stop: where it is" \
  jq -e --argjson to "$(fact long_stop 'its end, from the start of tracing')" \
  '.findings[] | select(.rule == "long_stop") |
   .pause == { end_ns: $to, duration_ns: 120000000, domain: 0 }' out
spans 1 90000000 explicit_gc_full_major | with
leaves long_stop "of 90 ms"
spans 2 60000000 explicit_gc_full_major | with
leaves long_stop "when two calls take that together"
spans 1 120000000 minor 1000 100000 minor_heap_full 0 | with
finds long_stop "of a minor collection"
ok "long_stop: a minor collection" \
  advised long_stop minor_heap_full 'a quarter of its size'
spans 1 120000000 major_slice half_minor_heap | with
finds long_stop "of a slice"
ok "long_stop: a slice" advised long_stop half_minor_heap OCAMLRUNPARAM=o=200
{ second_domain
  echo "0 500000000 instant stop_the_world 120000000 0 finish_cycle \
gc_full_major 0 0 0 1 1000 0"; } | with
finds long_stop "of a stop-the-world section"
ok "long_stop: the cause of the stop" \
  advised long_stop gc_full_major 'Do not call this function'
{ waits 100000; echo "0 999999999 instant mutex_wait 500000000 0"; } | with
leaves long_stop "when the program waits for half a second"

# requests COUNT LAST [LINE]: COUNT requests last for 2 s, request 99 is open from 5 s
# to LAST s
requests() {
  last=${2}000000000
  { for number in $(seq "$1"); do
      echo "0 1000000000 begin order $number"
      echo "0 3000000000 end order $number"
    done
    echo "0/7 5000000000 begin order 99"
    echo "0/7 5000000001 instant request_run 99"
    [ -z "${3-}" ] || echo "$3"; } | with
  last=
}
requests 10 24
leaves open_request "of 19 s, when others took 2 s"
requests 10 25 "0 6000000000 instant ring_pause 0"
leaves open_request "that began before a pause of the recording"
requests 9 14
leaves open_request "of 9 s, when too few have ended for a comparison"
requests 9 15
finds open_request "of 10 s, when too few have ended"
requests 10 25
finds open_request "of 20 s"
ok "open_request: the evidence" eval \
  '[ "$(fact open_request request), $(fact open_request "its kind")" = "99, order" ] &&
   [ "$(fact open_request "since its begin")" = 20000000000 ] &&
   [ "$(fact open_request "longest of its kind that has ended")" = 2000000000 ] &&
   [ "$(fact open_request "thread that has it")" = 7 ]'
ok "open_request: its number" jq -e '[.findings[].request] == [99]' out

# Three Gc.full_major with stops of 270 ms, in a server
last=10000000000
{ echo "0 1000000000 instant blocking_section 999000000 0"
  for at in 1 4 7; do
    echo "0 ${at}000000001 begin explicit_gc_full_major"
    echo "0 ${at}000000001 begin major_finish_cycle"
    echo "0 ${at}270000001 end major_finish_cycle gc_full_major 0"
    echo "0 ${at}270000001 end explicit_gc_full_major"
    echo "0 $((at + 2))999999999 instant blocking_section 2700000000 0"
  done; } | with
last=
diagnose
for rule in long_stop collector_time explicit_collections; do
  ok "$rule: found in a server with three Gc.full_major" found $rule
done

minors 200 1000000 1000 | with
finds minor_heap_small
ok "minor_heap_small: the share of the time" \
  [ "$(fact minor_heap_small "time in minor collections, of active time")" \
    = 0.2 ]
ok "minor_heap_small: a size" \
  [ "$(fact minor_heap_small 'words of a minor heap to try')" = 1048576 ]
minors 100 1000000 1000 | with
leaves minor_heap_small "when collections take a tenth of the time"
spans 200 1000000 minor 1000 100000 gc_full_major 0 | with
leaves minor_heap_small "when the program has called for them"
spans 200 1000000 minor 1000 2097152 minor_heap_full 0 | with
leaves minor_heap_small "of 2 M words"
{ minors 200 1000000 50000; cycles 10 "I*4000000 I*2000000 0 0 1 0 0 0 1 0"
  gc_detail; } | with
leaves minor_heap_small "when all values stay alive"
leaves remembered_set "nor the remembered set"

{ second_domain
  echo "1 2 begin my.span"; echo "1 999999999 end my.span"
  stops 150 400000; } | with
finds domain_late
ok "domain_late: the domain is named" \
  [ "$(fact domain_late 'the worst, by its id')" = 1 ]
ok "domain_late: so is its span" \
  [ "$(fact domain_late 'span of the program in it, mostly')" = my.span ]
stops 150 50000 | with
leaves domain_late "when it is 50 us later"
leaves idle_domains "when it runs"
stops 4 20000000 | with
leaves domain_late "when it is late four times"
stops 6 400000 | with
leaves domain_late "when others wait for a thousandth of the time"

backup="4294967295 999"       # no thread of the program
{ stops 100 1000000; echo "1 3 instant thread_run $backup"; } | with
finds idle_domains
{ stops 100 100000; echo "1 3 instant thread_run $backup"; } | with
leaves idle_domains "when stops take little time"

spans 10 5000000 explicit_gc_full_major | with
finds explicit_collections
ok "explicit_collections: the calls are those that stat counts" \
  [ "$(fact explicit_collections 'calls of Gc.full_major')" = \
    "$(eventring stat --json ring.eventring |
       jq .total.explicit_calls)" ]
ok "explicit_collections: the advice is that of doc/EVENTS.md" eval \
  'grep -qF -e "*Advice:* $(jq -r ".findings[0].advice" out)" \
     "$EVENTRING_TOP/doc/EVENTS.md"'
spans 10 1000000 explicit_gc_full_major | with
leaves explicit_collections "when they take a hundredth of the time"
spans 1 50000000 explicit_gc_full_major | with
leaves explicit_collections "when there is only one"

calls 10 5000000 1000000 explicit_gc_full_major | with
leaves explicit_collections "when finalisers take most of their time"
spans 10 5000000 explicit_gc_minor | with
finds explicit_collections "Gc.minor"

spans 3 10000000 explicit_gc_compact | with
finds compaction
spans 1 10000000 explicit_gc_compact | with
leaves compaction

# The part of a minor collection that a phase takes
parts() { every 100 "0 T+0 begin minor" "0 T+0 begin minor_remembered_set" \
  "0 T+0 begin minor_remembered_set_promote" \
  "0 T+$2 end minor_remembered_set_promote" \
  "0 T+$1 end minor_remembered_set" \
  "0 T+1000000 end minor 50000 100000 minor_heap_full 0"
  cycles 10 "4000000 ${3:-2000} 0 0 1 0 0 0 1 0"; }
parts 600000 300000 | with
finds remembered_set
leaves promoted_by_old
parts 400000 300000 | with
leaves remembered_set
parts 600000 600000 | with
finds promoted_by_old
leaves remembered_set
# Of 5 million words that are promoted, 4 million are alive in the end.
parts 600000 300000 'I*400000' | with
leaves remembered_set "when the values stay alive"
parts 600000 600000 'I*400000' | with
leaves promoted_by_old "when the values stay alive"
{ spans 100 1000000 minor 50000 100000 ref_table_full 0
  cycles 10 "4000000 2000 0 0 1 0 0 0 1 0"; } | with
finds remembered_set "by the causes of collections"

spans 60 2000000 major_slice custom_memory | with
finds custom_memory
spans 60 2000000 minor 1000 100000 custom_table_full 0 | with
finds custom_memory "by the causes of minor collections"
spans 60 2000000 major_slice half_minor_heap | with
leaves custom_memory

every 25 "0 T+3000000 instant mutex_wait 3000000 0" | with
finds mutex_contention
every 25 "0 T+3000000 instant mutex_wait 1000000 0" | with
leaves mutex_contention "when they are short"
every 10 "0 T+9000000 instant mutex_wait 9000000 0" | with
leaves mutex_contention "when they are few"

every 10 "0 T+30000000 instant thread_yield 30000000" |
  with
finds domain_lock_contention
every 10 "0 T+10000000 instant thread_yield 10000000" | with
leaves domain_lock_contention
every 4 "0 T+60000000 instant thread_yield 60000000" | with
leaves domain_lock_contention "when they wait four times"
waits_for_lock() {
  every 25 "0 T+30000000 instant mutex_wait 30000000 30000000"
}
{ echo "0/999 1 instant blocking_section 1 0"; waits_for_lock; } | with
finds domain_lock_contention "after waits for something else"
leaves mutex_contention "by waits for the domain lock"
waits_for_lock | with
leaves domain_lock_contention "when the domain has one thread"

# The same rules in a server that waits nine tenths of the time: each finding
# would be a tenth of its limit if all time counted.
server() { waits 100000; }
{ server; minors 1000 20000 1000; } | with
finds minor_heap_small "in a server"
{ server; minors 1000 14000 1000; } | with
leaves minor_heap_small "in a server, with 14 %"
{ server; spans 30 90000 explicit_gc_full_major; } | with
finds explicit_collections "in a server"
{ server; spans 20 90000 explicit_gc_full_major; } | with
leaves explicit_collections "in a server, with 1.8 %"
{ server; spans 30 90000 explicit_gc_compact; } | with
finds compaction "in a server"
{ server; spans 20 90000 explicit_gc_compact; } | with
leaves compaction "in a server, with 1.8 %"
{ server; spans 60 90000 major_slice custom_memory; } | with
finds custom_memory "in a server"
{ server; spans 50 90000 major_slice custom_memory; } | with
leaves custom_memory "in a server, with 4.5 %"
{ server; spans 60 90000 finalisers; } | with
finds finalisers "in a server"
{ server; spans 50 90000 finalisers; } | with
leaves finalisers "in a server, with 4.5 %"
# Two domains that wait four fifths of the time
both_wait() { waits 200000; waits 200000 | sed 's/^0/1/'; }
late() {
  second_domain
  every "$1" \
    "0 T+190000 instant stop_the_world 1000 0 minor 0 0 1000 0 1 150000 0"
}
{ both_wait; late 60; } | with
finds domain_late "in a server"
{ both_wait; late 40; } | with
leaves domain_late "in a server, with 1.5 %"
{ waits 200000; late 100; echo "1 3 instant thread_run $backup"; } | with
finds idle_domains "in a server"
{ waits 200000; late 50; echo "1 3 instant thread_run $backup"; } | with
leaves idle_domains "in a server, with 3.8 %"
# worker COUNT EVENT NS: in each of COUNT times, a tenth is active or EVENT,
# which waits NS
worker() {
  tenth=$((100000000 / $1))
  every "$1" "0 T+$tenth instant $2 $3 0" \
    "0 T+$((tenth * 10 - 1)) instant blocking_section $((tenth * 9 - 1)) 0"
}
worker 25 mutex_wait 300000 | with
finds mutex_contention "in a server"
worker 25 mutex_wait 150000 | with
leaves mutex_contention "in a server, with 3.8 %"
worker 10 thread_yield 3000000 | with
finds domain_lock_contention "in a server"
worker 10 thread_yield 1500000 | with
leaves domain_lock_contention "in a server, with 15 %"
# hardly BUSY_NS COLLECTING_NS: active and in the collector for that much of each ms,
# with much free memory
hardly() {
  { waits "$1"; minors 1000 "$2" 1000
    cycles 4 "4000000 1000000 0 0 1 0 2400000 0 1 0"; } | with
  diagnose
}
first() { jq -e --arg rule "$1" '.findings[0].rule == $rule' out; }
hardly 60000 18000
ok "active for 6 %: a share of it counts in full" eval \
  'first collector_time && jq -e ".level == \"bad\"" out'
hardly 30000 9000
ok "active for 3 %: the same share counts for less than free memory" \
  first fragmentation
ok "it is still found, and certain" jq -e '.findings[] |
  select(.rule == "collector_time") | .certainty == "certain" and .weight > 0.29' out
ok "and makes no bad verdict" jq -e '.level == "warning"' out
every 25 "0 T+20400000 instant mutex_wait 20000000 0" \
  "0 T+39999999 instant blocking_section 19599999 0" | with
finds mutex_contention "in a program that is active for 1 %"
ok "waits of threads for a mutex count in full" jq -e '.level == "bad"' out
# Hardly active at all
{ waits 10000; minors 1000 5000 1000; } | with
diagnose
ok "collector_time: not judged when the program is active for 10 ms" \
  unjudged collector_time
ok "the level is not known then" jq -e '.level == "unknown"' out
ok "the verdict says so" jq -e '.verdict | startswith(
  "Too little is known to say that all is well, since the program was active")
  ' out

if command -v taskset >/dev/null; then
  # The processors that diagnose itself may use count.
  boot=boot=$(cat /proc/sys/kernel/random/boot_id)
  cpu=$(taskset -pc $$ | sed 's/.*: \([0-9]*\).*/\1/')
  by="taskset -c $cpu"
  stops 150 400000 | with "$boot"
  finds more_domains_than_processors
  leaves domain_late "when there are more domains than processors"
  ok "more_domains_than_processors: the processors" \
    [ "$(fact more_domains_than_processors processors)" = 1 ]
  ends_after() { second_domain; echo "1 $1 instant domain_terminate 1"; }
  ends_after 500000000 | with "$boot"
  finds more_domains_than_processors "half of the time"
  ends_after 100000000 | with "$boot"
  leaves more_domains_than_processors "for a tenth of the time"
  by=
else
  skip "more_domains_than_processors" "no taskset"
fi

spans 60 1000000 finalisers | with
finds finalisers
spans 40 1000000 finalisers | with
leaves finalisers

last=1200000000
# growth WORDS LAST: major cycles, and one more a tenth of a second later
growth() {
  cycles 10 "16000000 $1 0 0 1 0 0 0 1 0"
  echo "0 1100000000 begin major_gc_cycle_domains"
  echo "0 1100000001 end major_gc_cycle_domains 0 0"
  echo "0 1100000002 instant heap 16000000 $2 0 0 1 0 0 0 1 0"
}
growth 'I*1000000' 11000000 | with
finds memory_growth
growth 1000000 1000000 | with
leaves memory_growth "when it stays"
growth 'I*40000' 440000 | with
leaves memory_growth "below 4 MiB"
last=

cycles 4 "4000000 1000000 0 0 1 0 2400000 0 1 0" | with
finds fragmentation
cycles 4 "4000000 2000000 0 0 1 0 1200000 0 1 0" | with
leaves fragmentation
cycles 4 "1000000 250000 0 0 1 0 600000 0 1 0" | with
leaves fragmentation "of 8 MiB"
{ cycles 4 "4000000 1000000 0 0 1 0 2400000 0 1 0"
  echo "0 900000000 begin major_gc_cycle_domains"
  echo "0 900000001 end major_gc_cycle_domains 0 0"
  echo "0 900000002 instant heap 4000000 2000000 0 0 1 0 1200000 0 1 0"; } | with
leaves fragmentation "when the last cycle has less"

sorted() { jq -e '[.findings[].weight] | . == (sort | reverse)' out; }
{ spans 10 5000000 explicit_gc_full_major
  every 25 "0 T+30000000 instant mutex_wait 5000000 0"; } | with
diagnose
ok "two findings: the larger weight is first" eval \
  'found explicit_collections && found mutex_contention && sorted'

{ server; minors 1000 30000 1000
  cycles 4 "4000000 1000000 0 0 1 0 2400000 0 1 0"; } | with
diagnose
ok "the collector is before free memory" jq -e '[.findings[].rule] |
  index("collector_time") < index("fragmentation")' out

ok "the verdict has the collector's share, the cause and what is promoted" jq -e '
  .level == "bad" and (.verdict | test(
    "^The collector takes [0-9.]+% of active time: minor heap full, [0-9.]+% promoted"))
  ' out
{ minors 100 2000000 1000
  every 100 "0 T+5000000 begin major_slice" "0 T+6900000 end major_slice cycle_done"
} | with
diagnose
ok "the verdict has two causes of about as much time" jq -e '
  .verdict | test("^The collector takes [0-9.]+% of active time: minor heap full and " +
    "cycle done, ")' out
ok "a rule that found nothing has its limits, and what was measured" jq -e '.passed[] |
  select(.rule == "long_stop") | .limits[0] |
  .number == 100 and .unit == "ms" and .measured == 2' out
ok "but not what was not measured" jq -e '.passed[] | select(.rule == "open_request") |
  .limits | length == 4 and all(.measured == null)' out
ok "each rule is in one of the three arrays" jq -e '
  [.findings[], .not_judged[], .passed[] | .rule] | length == 19 and
  (unique | length) == 19' out

# Text
first_line_is() { [ "$(head -n 1 out)" = "$1" ]; }
spans 10 5000000 explicit_gc_full_major | with
run eventring diagnose ring.eventring
ok "text: the verdict is the first line" first_line_is \
  'verdict: The program itself calls for collections (certain); 5.0% of active'
ok "text: and has the longest pause" eval \
  'sed -n 2p out | grep -qx "   time in the collector, longest pause 5.00 ms"'
ok "text: title, rule and certainty" out_has \
  '^[1-9]\. The program itself calls .* (explicit_collections; certain)$'
ok "text: evidence" out_has '^   calls of Gc.full_major: 10$'
ok "text: advice" out_has '^   What to do: Remove the calls'
ok "text: no line below the path is longer than a screen" \
  [ "$(grep -v "^process" out | wc -L)" -le 79 ]
: | with
run eventring diagnose ring.eventring
ok "nothing found: says so, and what was looked for" eval \
  'exits 0 && first_line_is \
     "verdict: All is well, as far as 14 of 19 rules can tell; 0.0% of active time in" &&
   out_has "^looked for: collector_time " &&
   ! sed "/^not judged/,$ d" out | grep hot_function'
ok "what could not be judged, and why" out_has \
  '^  category profile is not recorded: hot_function$'

# What cannot be judged
: | with control=1
diagnose
for rule in domain_late mutex_contention finalisers; do
  ok "$rule: not judged without its category" unjudged $rule
done
make_ring gap
run eventring diagnose --json gap.eventring
ok "a short recording is not judged" eval \
  'exits 0 && unjudged explicit_collections'
make_ring stock
run eventring diagnose --json stock.eventring
ok "stock OCaml: rules without their events are not judged" eval \
  'exits 0 && unjudged mutex_contention'
for kind in hostile lost overtaken damaged; do
  make_ring $kind
  run eventring diagnose $kind.eventring
  ok "$kind: ends in order" eval 'exits 0 || exits 3'
done
run eventring diagnose --json lost.eventring
ok "events that a ring has overwritten are no finding" eval \
  'exits 0 && ! found events_lost'
finish
