#!/bin/sh
# eventring stat: every amount is right, and signals end the command in order.
# Needs the machine alone: it compares waiting with running.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

make_ring summary
run eventring stat summary.eventring
ok "known amounts are printed as text" prints stat.expected
ok "no line is wider than a terminal, but for names" \
  eval "[ \"\$(grep -v worker out | wc -L)\" -le 80 ]"
ok "the exit code is 0" exits 0
ok "standard error is empty" [ ! -s err ]
run eventring stat --follow summary.eventring
ok "--follow of an ended process prints the same" prints stat.expected

run eventring stat --json summary.eventring
ok "known amounts are printed as JSON" prints stat.json.expected
ok "jq reads the JSON" jq -e '.version == 2' out

ok "the counts of all events add up" jq -e '[.counts[].count] | add == 47' out

run eventring stat --interval=10ms summary.eventring
ok "--interval prints a line for each interval, then the summary" \
  prints stat.interval.expected
run eventring stat --interval=10ms --json summary.eventring
ok "--interval --json prints an object for each interval and one at the end" \
  out_lines 3
for amount in gc_ns idle_gc_ns wait_ns allocated_words promoted_words \
  major_slices; do
  ok "$amount of the intervals add up to the whole" jq -se \
    "(map(select(.interval_ns).$amount) | add) == (.[-1].total.$amount)" out
done

# Domain 0 is paused after 10 ms for 2 ms, which is in no interval.
ok "the time during a pause is in no interval" jq -se \
  'map(select(.interval_ns).watched_ns) == [19000000, 10000000]' out

make_ring stock
run eventring stat stock.eventring
ok "a file of stock OCaml: no causes, counters in bytes, stops as spans" \
  prints stat.stock.expected
run eventring stat --json stock.eventring
ok "a file of stock OCaml: promoted words are not allocated twice" jq -e \
  '.total | [.promoted_words, .major_allocated_words] == [400, 1400]' out

make_ring hostile
run eventring stat hostile.eventring
escapes() { LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" out; }
ok "names are printed without control characters" eval '! escapes'
run eventring stat --json hostile.eventring
ok "--json escapes names that are not UTF-8" \
  jq -e 'any(.spans[].name; contains("\\xc0\\xafoverlong"))' out

make_ring lost
run eventring stat lost.eventring
ok "the number of lost events is printed" out_has '^504 events were overwritten'
run eventring stat --json lost.eventring
ok "--json has the number of lost events" jq -e '.lost_events == 504' out
ok "--json has the state of the process" jq -e '.process.state == "killed"' out

# Compares stat with the program's own numbers at its end; no event may be lost.
compile counts
count_in() { # LOG_WORDS DOMAINS
  rm -f rings/*.eventring
  (cd rings && OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    OCAMLRUNPARAM=e=$1 ../counts "$2") >said || exit 1
  run eventring stat --json rings/*.eventring
}
# as_said DOMAINS MEMBER: this member of ./out has the counts of ./said.
as_said() {
  # Printing its counts, the program allocates more.
  set -- "$1" "$2" $(eventring events --json --name=allocated_at_end 2>/dev/null \
    rings/*.eventring | jq -s '.[-1].fields | .minor, .direct')
  while read -r name said; do
    counted=$(jq ".$2.$name" out)
    case $name in
      allocated_words) counted=$((counted - $3)) ;;
      major_allocated_words) counted=$((counted - $4)) ;;
    esac
    ok "$1 domains, $2: $name is as Gc.quick_stat says, $said" \
      [ "$counted" = "$said" ]
  done <said
}
counted() {
  count_in 20 "$1"
  ok "$1 domains: no event was lost" jq -e '.lost_events == 0' out
  as_said "$1" total
  ok "$1 domains: the totals are the sums over the events" jq -e '
    . as $all | "minor_collections major_slices major_cycles compactions
      explicit_calls allocated_words promoted_words major_allocated_words"
    | split("\\s+"; null) | all($all.totals[.] == $all.total[.])' out
}
count_in 9 3
ok "small rings: events are lost" jq -e '.lost_events > 0' out
as_said 3 totals
ok "small rings: there are pauses, the longest is one of them" jq -e \
  '.totals | .pauses > 0 and .longest_pause_ns > 0
     and .paused_ns >= .longest_pause_ns' out
ok "small rings: the totals are of all rings, of four domains" jq -e \
  '.totals | ([.rings[].major_slices] | add) == .major_slices
     and .domains == 4 and ([.rings[].domains] | add) == 4
     and any(.rings[]; .ring == 0 and .last_domain == 0)' out
counted 40
run eventring stat rings/*.eventring
ok "many domains: 32 have rows" \
  [ "$(sed -n '/^domain  watched/,/^and/p' out | grep -c '^[0-9]')" = 32 ]
ok "many domains: a line counts the rest" out_has '^and 9 domains '
counted 1
ok "a program: the causes add up to the number of minor collections" jq -e \
  '(.causes.minor | add) == .total.minor_collections' out
ok "a program: the collector took some of the time, not all" jq -e \
  'all(.domains[]; .gc_ns > 0 and .gc_ns < .watched_ns)' out
ok "a program: domain 1 has ended, domain 0 has not" jq -e \
  '[.domains[].ended] == [false, true]' out
ok "a program: domain 0 slept while domain 1 worked" jq -e \
  '.domains[0].idle_gc_ns > 0 and .domains[1].idle_gc_ns == 0' out
ok "a program: pauses of all kinds fit into the time in the collector" jq -e \
  '.domains[1] | .pauses.any.total_ns == .gc_ns
     and .pauses.minor.total_ns <= .gc_ns' out

# How domains spend their time.
shares() { # FILE: running, collecting and waiting add up in all domains
  run eventring stat --json "$1"
  jq -e 'all(.domains[], .total;
             .running_ns + .gc_ns + .waiting_ns == .watched_ns)' out
}
for file in summary.eventring lost.eventring hostile.eventring; do
  ok "$file: running, collecting and waiting add up to the time" shares $file
done
run eventring stat --json summary.eventring
ok "a domain with one thread waits as long as the thread" jq -e \
  '[.domains[].waiting_ns] == [800000, 700000]' out
ok "collections by the backup thread are not in the other rows" jq -e \
  'all(.domains[]; .pauses.while_waiting.total_ns == .idle_gc_ns
         and .pauses.minor.total_ns <= .pauses.any.total_ns)' out

# script LINE...: stat of a ring with these events, in which T counts the times
# from 1 to 10 and T+N is N ms after T times 100 ms
script() {
  awk 'BEGIN {
    for (i = 1; i <= 10; i++)
      for (l = 1; l < ARGC; l++) {
        count = split(ARGV[l], word, " ")
        sub(/T\+/, "", word[2])
        word[2] = sprintf("%d", i * 1e8 + word[2] * 1e6)
        for (w = 1; w <= count; w++)
          printf "%s%s", word[w], w < count ? " " : "\n"
      }
    print "0/100 1020000000 instant ring_stop 0"
  }' "$@" >lines
  { echo "0/100 0 instant ring_start 1"; echo "0/100 1 instant thread_run 0 100"
    echo "0/77 2 instant thread_run 1 77"; cat lines; } |
    ./make_ring script script.eventring || exit 1
  run eventring stat --json script.eventring
}
# Each of two threads runs for a tenth of the time, one after the other.
script "0/100 T+0 instant thread_run 0 100" \
  "0/100 T+0 instant blocking_section 90000000 0" \
  "0/77 T+10 instant thread_run 1 77" \
  "0/77 T+10 instant blocking_section 90000000 0"
ok "two threads: the domain waits when both sleep" jq -e \
  '.domains[0] | .waiting_ns == 810000002 and .running_ns == 209999998' out
ok "two threads: the sum of their waits is longer" jq -e \
  '.domains[0].wait_ns == 1800000000' out

# Thread 2 collects and ends while thread 1 waits for it.
printf '%s\n' "0/100 0 instant ring_start 1" "0/100 1 instant thread_run 1 100" \
  "0/77 20000000 instant thread_run 2 77" "0/77 30000000 begin minor" \
  "0/77 70000000 end minor 10 20 gc_minor 0" \
  "0/77 80000000 instant thread_exit 2" \
  "0/100 80000000 instant thread_run 1 100" \
  "0/100 80000001 instant thread_join 70000000 0" \
  "0/100 100000000 instant ring_stop 0" |
  ./make_ring script join.eventring || exit 1
run eventring stat --json join.eventring
ok "two threads: one that has ended has collected, not waited" jq -e \
  '.domains[0] | .gc_ns == 40000000 and .idle_gc_ns == 0' out

printf '%s\n' "0 0 instant ring_start 1" \
  "0 1000000000 instant blocking_section 900000000 0" \
  "0 1010000000 instant ring_stop 0" | ./make_ring script one.eventring || exit 1
run eventring stat --json one.eventring
ok "a domain with one thread waits as long as that" jq -e \
  '.domains[0] | .waiting_ns == 900000000 and .running_ns == 110000000' out

# Domain 1 goes on 6 ms before the end of a stop, and does a slice before that.
printf '%s\n' "0/100 0 instant ring_start 1" "0/100 1 instant domain_start 0 0 0" \
  "1/101 2 instant domain_start 1 0 1" "1/101 10000000 begin minor" \
  "1/101 13900000 end minor 10 20 minor_heap_full 0" \
  "1/101 16000000 begin major_slice" \
  "1/101 17000000 end major_slice half_minor_heap 0" \
  "0/100 20000000 instant stop_the_world 10000000 0 minor_collection \
minor_heap_full 0 0 0 1 0 6000000" "0/100 30000000 instant ring_stop 0" \
  "1/101 30000000 counter queue 0" | ./make_ring script left.eventring || exit 1
run eventring stat --json left.eventring
ok "a domain that has left a stop runs, though others are still in it" jq -e \
  '[.domains[] | [.gc_ns, .pauses.stopped.total_ns, .pauses.any.count]]
     == [[10000000, 10000000, 1], [5000000, 4000000, 2]]' out

# It does as many slices before the stop is told as the summary keeps.
{ printf '%s\n' "0/100 0 instant ring_start 1" \
    "0/100 1 instant domain_start 0 0 0" "1/101 2 instant domain_start 1 0 1"
  awk 'BEGIN {
    for (i = 0; i < 64; i++) {
      print "1/101", 15000000 + i * 50000, "begin major_slice"
      print "1/101", 15010000 + i * 50000, "end major_slice half_minor_heap 0"
    }
  }'
  printf '%s\n' "0/100 20000000 instant stop_the_world 10000000 0 \
minor_collection minor_heap_full 0 0 0 1 0 6000000" \
    "0/100 30000000 instant ring_stop 0" "1/101 30000000 counter queue 0"
} | ./make_ring script slices.eventring || exit 1
run eventring stat --json slices.eventring
ok "it runs, and collects, however often it did so meanwhile" jq -e \
  '.domains[1] | [.gc_ns, .pauses.any.count] == [4640000, 65]' out

# It ends after it has gone on, and before the stop is told.
printf '%s\n' "0/100 0 instant ring_start 1" "0/100 1 instant domain_start 0 0 0" \
  "1/101 2 instant domain_start 1 0 1" "1/101 11000000 begin minor" \
  "1/101 13000000 end minor 10 20 domain_end 1" \
  "1/101 15000000 instant domain_terminate 1" \
  "0/100 20000000 instant stop_the_world 10000000 0 minor_collection \
minor_heap_full 0 0 0 1 0 6000000" "0/100 30000000 instant ring_stop 0" |
  ./make_ring script ended.eventring || exit 1
run eventring stat --json ended.eventring
ok "a domain that ends right after a stop has been in it" jq -e \
  '[.domains[] | [.ended, .gc_ns, .pauses.any.count]]
     == [[false, 10000000, 1], [true, 4000000, 1]]' out

compile idle threads.cmxa
start idle nothing 600
waits() {
  run eventring stat --json "$pid"
  jq -e '.domains[0] | .waiting_ns > 0.8 * .watched_ns' out
}
ok "a wait that has not ended counts as waiting" within 60 waits
run eventring stat "$pid"
ok "no collections: one line and no table of pauses" eval \
  "[ \"\$(sed -n 1p out | grep -c ', no collections, running ')\" = 1 ] &&
     ! out_has '^pause' && ! out_has ' -  '"
kill -9 "$pid"
wait "$pid" 2>/dev/null
make_ring idle
run eventring stat idle.eventring
ok "no collections and no spans: the summary is one line" \
  [ "$(cat out)" = "process 4242424 \
/usr/bin/program (ended): 3 events over 20.0 ms, no collections, running \
75.0%, waiting 25.0%" ]

# Running processes.
compile work
start work 60 2
run eventring stat "$pid"
ok "running process: stat exits without --follow" exits 0
ok "running process: the summary says that it runs" out_has '(running)'
# A shell starts background commands with SIGINT ignored, and truncates their
# output after it has gone on.
: >out
perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' \
  "$EVENTRING_BIN" stat --interval 0.2 --json "$pid" >out 2>err &
intervals=$!
started="$started $intervals"
within 60 eval '[ "$(wc -l <out)" -ge 3 ]'
kill -INT "$intervals"
wait "$intervals"
status=$?
ok "Ctrl-C: stat --interval exits with 0" exits 0
ok "Ctrl-C: stat --interval prints its summary before it ends" jq -se \
  'length > 2 and .[-1].process.state == "running"
     and all(.[:-1][]; .interval_ns >= 200000000 and .gc_share <= 1)' out
ok "stat --interval has the processor time of an interval" \
  jq -se 'any(.[:-1][]; .cpu_ns > 0)' out
kill -9 "$pid"
wait "$pid" 2>/dev/null
run eventring stat --interval 0.2 "$ring"
ok "killed process: stat prints that it was killed" out_has '(killed)'

# A domain leaves a stop of 5 ms and runs N slices of 10 us, before the stop is told:
# the domain that asked for it had no processor.
slices_before_stop() {
  awk -v n="$1" 'BEGIN {
    print "0 0 instant domain_start 0 0 0"
    for (i = 0; i < n; i++) {
      t = 10010000 + i * 20000
      printf "0 %d begin major_slice\n", t
      printf "0 %d end major_slice gc_major_slice 0\n", t + 10000
    }
    print "0 30000000 instant ring_stop 0"
    print "1 1 instant domain_start 1 0 1"
    print "1 29000000 instant stop_the_world 24000000 0",
      "minor_collection minor_heap_full 0 0 19000000 1 0 0"
  }' | ./make_ring script late.eventring || exit 1
  run eventring stat --json late.eventring
  jq -c '.domains[0] | [.pauses.any.count, .pauses.any.total_ns, .gc_ns]' out
}
for n in 64 65 500; do
  ok "a stop that is told after $n slices counts" \
    [ "$(slices_before_stop $n)" = "[$((n + 1)),$((n * 10000 + 5000000)),$((n * 10000 + 5000000))]" ]
done

# 1030 domains, one after the other, each with a collection
awk 'BEGIN {
  CONVFMT = OFMT = "%.0f"
  for (i = 0; i < 1030; i++) {
    t = i * 1000000
    print i % 2, t, "instant domain_start", i, 0, 0
    print i % 2, t + 100000, "begin minor"
    print i % 2, t + 200000, "end minor 10 20 minor_heap_full", i
    print i % 2, t + 500000, "instant domain_terminate", i
  }
}' | sort -s -k 1,1n -k 2,2n | ./make_ring roomy many.eventring || exit 1
run eventring stat --json many.eventring
ok "the times and collections of more than 1024 domains count" [ "$(jq -c '.total |
  [.watched_ns, .gc_ns, .minor_collections, .pauses.any.count]' out)" = \
  '[515000000,103000000,1030,1030]' ]
ok "those that ended first are added" [ "$(jq -c '.domains[-1] |
  [.id, .watched_ns, .gc_ns, .minor_collections]' out)" = '[null,3000000,600000,6]' ]
run eventring metrics many.eventring
ok "so are their times in metrics, so that the sum over domains is whole" \
  [ "$(awk '/^ocaml_domain_seconds_total.*"collecting"/ {
      sum += $2; if (/"others"/) others = $2 }
    END { printf "%.4f %.4f", sum, others }' out)" = '0.1030 0.0006' ]

# A domain is watched twice, and ends; a stop that is told later began before the
# second time.
printf '%s\n' "0 0 instant domain_start 0 0 0" \
  "0 10000000 instant ring_pause 0" "0 50000000 instant ring_resume 0" \
  "0 52000000 instant stop_the_world 32000000 0 minor_collection minor_heap_full 0 0 0 1 0 1500000" \
  "0 60000000 instant ring_stop 0" "1 1000000 instant domain_start 1 0 1" \
  "1 50400000 begin my.span" "1 51000000 instant domain_terminate 1" |
  ./make_ring script ended.eventring || exit 1
run eventring stat --json ended.eventring
ok "a domain that has ended was in the collector only while it was watched" \
  [ "$(jq -c '.domains[1] | [.watched_ns, .gc_ns]' out)" = '[10000000,500000]' ]

for interval in 0 9ms -1 x 1001h ''; do
  run eventring stat --interval="$interval" summary.eventring
  ok "'$interval' is not an interval" refused 2 'not an interval'
done
finish
