#!/bin/sh
# eventring events: filters, --json and --count.  filter.expected has the output
# of each test under its name.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
make_ring fields
make_ring pauses
make_ring plain
make_ring lost
make_ring hostile

expected() {
  awk -v title="== $1" '$0 == title { on = 1; next } /^== / { on = 0 } on' \
    "$here/filter.expected"
}
as_expected() { exits 0 && expected "$1" | diff - out; }
check() {
  test=$1
  shift
  run eventring events "$@"
  ok "$test" as_expected "$test"
}

check "domain by id" --domain=2 fields.eventring
check "domain by name" --domain='work*' fields.eventring
check "either of two domains" --domain=boss --domain=2 fields.eventring
check "thread by id" --thread=78 fields.eventring
check "thread by id of the threads library" --thread='#3' fields.eventring
check "thread by name" --thread=pool fields.eventring
check "one category" --categories=wait fields.eventring
check "three categories" \
  --categories=wait,user --categories=sync fields.eventring
check "all categories of one domain" \
  --categories=all --domain=2 fields.eventring
check "event name" --name=minor fields.eventring
check "pattern of event names" --name='m*r*' fields.eventring
check "either of two patterns" \
  --name=mutex_wait --name='*.span' fields.eventring
check "number of an event without a name" --name='#6*' plain.eventring
run eventring events --form=begin --name=minor --domain=3 pauses.eventring
ok "form" [ "$(wc -l <out)" = 1 ]
check "minimum duration" --longer-than=97us --name=minor pauses.eventring
check "minimum duration of waits" --longer-than=12ns fields.eventring
check "start time" --from=2.5000007 plain.eventring
check "start and end time include their own moment" \
  --from=1us --to=0.000002 plain.eventring
check "end time" --to=1500ns plain.eventring
check "an event must pass every filter" \
  --domain=1 --thread=77 --categories=user --to=700001ns \
  fields.eventring
check "lost events belong to their domain" --domain=0 --to=504us lost.eventring
check "--raw" --raw --name=mutex_wait fields.eventring

check "--json" --json fields.eventring
check "--json: every form of event" --json plain.eventring
check "--json: hostile names" --json hostile.eventring
check "--json: lost events" --json --to=504us lost.eventring
check "--json: filtered" --json --domain=0 --longer-than=0 fields.eventring
check "--count" --count fields.eventring
check "--count: filtered" --count --categories=gc --domain=0 fields.eventring
check "--count: hostile names" --count hostile.eventring
check "--count --json" --count --json plain.eventring
check "--count: no event matches" --count --name=nothing plain.eventring

# Names of a domain and a thread that change.
./make_ring script renamed.eventring <<'END' || exit 1
0 1000 counter queue 1
0 2000 domain_name import
0 2000 thread_name import job
0 3000 counter queue 2
0 4000 domain_name export
0 4000 thread_name export job
0 4000 counter queue 3
0 5000 domain_name
0 5000 thread_name
0 6000 counter queue 4
0 7000 domain_name import
0 7000 thread_name import job
0 8000 counter queue 5
END
for option in domain=import:"1 2 5" domain=export:3 thread="i*":"1 2 5" \
    thread="export job":3 domain=0:"1 2 3 4 5"; do
  run eventring events --json "--${option%%:*}" renamed.eventring
  ok "--${option%%:*}: events of the time of the name" \
    [ "$(jq -s '[.[].value] | join(" ")' out)" = "\"${option#*:}\"" ]
done
run eventring events --json renamed.eventring
ok "--json: the names of the time of the event" eval \
  'jq -r ".domain_name, .thread_name" out | paste - - | diff - - <<END
import	import job
import	import job
export	export job
null	null
import	import job
END'
run eventring events renamed.eventring
ok "the columns have the names of the time of the event" eval \
  'awk -F "  +" "{ print \$2, \$3 }" out | tr -d "0-9" | uniq -c |
     diff -b - - <<END
      2 domain  "import" thread  "import job"
      1 domain  "export" thread  "export job"
      1 domain  thread 
      1 domain  "import" thread  "import job"
END'

run eventring events --name=nothing plain.eventring
ok "no event matches: nothing is printed" silent
ok "no event matches: the exit code is 0" exits 0
run eventring events --name=queue --domain=0 lost.eventring
ok "lost events are reported also with --name" err_has '504 events were'
ok "lost events match no name" eval '! out_has "  lost  "'

run eventring events --categories=wait,waiting fields.eventring
ok "an unknown category is refused; the message lists the others" refused 2 \
  "no category 'waiting'; there are gc, gc_detail, domain, "
run eventring events --categories= fields.eventring
ok "an empty category is refused" refused 2 "no category ''"
run eventring events --categories=wait, fields.eventring
ok "an empty category in a list is refused" refused 2 "no category ''"
for option in domain thread; do
  run eventring events --$option= fields.eventring
  ok "an empty $option is refused" refused 2 "missing $option"
  run eventring events --$option=4294967296 fields.eventring
  ok "$option 4294967296 is out of range" \
    refused 2 "there is no $option 4294967296"
done
for option in from to longer-than; do
  for time in '' x -1 1x nan 1e30 0x10 ' 1'; do
    run eventring events --$option="$time" fields.eventring
    ok "--$option='$time' is refused" refused 2 'is not a time'
  done
done
for options in "--raw --json" "--raw --count"; do
  run eventring events $options fields.eventring
  ok "$options is refused" refused 2 'exclude each other'
done

# An idle process writes no event after the end time, so the clock must end the
# command.
compile work
start work 120 1
eventring pause -q "$pid"
run timeout 60 "$EVENTRING_BIN" events --follow --to=0.01 "$pid"
ok "events --follow --to ends at that time" exits 0

# In a recording, --from does not read the events before it.
if eventring help dump >help 2>&1; then
  eventring dump -o fields.rec fields.eventring
  run eventring events --from=600us --domain=1 fields.rec
  ok "recording: start time" as_expected "recording: start time"
  run eventring events --longer-than=100us --from=0.4ms fields.rec
  ok "recording: minimum duration and start time" \
    as_expected "recording: minimum duration and start time"
else
  skip "recording: start time" "there is no command dump"
  skip "recording: minimum duration and start time" \
    "there is no command dump"
fi
finish
