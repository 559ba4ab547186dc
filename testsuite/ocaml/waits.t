#!/bin/sh
# Waiting: a kind that is missing or goes under another's name, a duration that
# is wrong, code that does not wait but is recorded, a threshold that does not
# hold.
. "$(dirname "$0")/programs.sh"
build waits unix threads runtime_calls.c

# Prints the durations of KIND in ns, the longest last
durations() {
  eventring events --raw "$(ring)" | perl -F'\t' -lane '
    print hex((split " ", $F[8])[0])
      if $F[5] eq "complete" && $F[7] eq "'"$1"'"' | sort -n
}
longest() { durations "$1" | tail -n 1; }
shortest() { durations "$1" | head -n 1; }
# The longest wait of KIND took 40 ms at least, since 60 ms had to pass from
# just before it began, and no longer than the program says.
fits() {
  event=$(longest "$1") program=$(sort -n "$tmp/out" | tail -n 1)
  echo "recorded: $event, measured: $program"
  [ "${event:-0}" -ge 40000000 ] && [ "$event" -le $((program + 1000000)) ]
}
# Prints the longest part of a blocking section that is no wait for the domain
# lock, in ns.  The program sleeps for 60 ms in that part.
outside_lock() {
  eventring events --raw "$(ring)" | perl -F'\t' -lane '
    if ($F[5] eq "complete" && $F[7] eq "blocking_section") {
      my ($took, $lock) = map { hex } split " ", $F[8];
      print $took - $lock;
    }' | sort -n | tail -n 1
}
# all_above KIND NS: all durations of KIND are above the threshold
all_above() {
  [ "$(shortest "$1")" -ge "$2" ]
}

kinds() {
  for way in blocking_section mutex_wait mutex_wait_domains condition_wait \
    condition_wait_domains semaphore_wait semaphore_wait_binary domain_join \
    thread_join lock_wait
  do
    kind=${way%_domains} kind=${kind%_binary}
    record waits $way
    ok "$mode: $way: all is balanced" well
    ok "$mode: $way: it is there, and took as long as it did" fits $kind
    case $kind in
      blocking_section)
        ok "$mode: $way: it is not taken for a wait for the domain lock" \
          [ "$(outside_lock)" -ge 40000000 ] ;;
      semaphore_wait|domain_join)
        ok "$mode: $way: and not as the condition in it" hasnt condition_wait
    esac
  done
  with=OCAML_EVENTRING_THRESHOLD=0 record waits thread_yield
  ok "$mode: thread_yield: all is balanced" well
  ok "$mode: thread_yield: it is there" has '  complete  *thread_yield  '
  # Both waits are in the thread that waited.
  with=OCAML_EVENTRING_CATEGORIES=all record waits condition_wait
  ok "$mode: everything recorded: balanced as well" well
}
both kinds

none() {
  with=OCAML_EVENTRING_THRESHOLD=0 record waits none
  ok "$mode: locks that are free: all is well" well
  ok "$mode: they write nothing" \
    hasnt '  mutex_wait\|  semaphore_wait\|  condition_wait'
  ok "$mode: nor anything else" [ "$(wc -l <events)" -lt 100 ]
}
both none

threshold() {
  with=OCAML_EVENTRING_THRESHOLD=$1 record waits 'short and long'
}
thresholds() {
  for value in 50000000 50000000ns 50000us 50ms; do
    threshold $value
    ok "$mode: THRESHOLD=$value: it is understood" eval 'well && no_line'
    ok "$mode: THRESHOLD=$value: what takes longer is there" \
      [ "$(longest blocking_section)" -ge 100000000 ]
    ok "$mode: THRESHOLD=$value: what is shorter is not" \
      all_above blocking_section 49000000
  done
  threshold 0
  ok "$mode: THRESHOLD=0: what is short is there" eval 'well && no_line &&
    [ "$(shortest blocking_section)" -lt 49000000 ] &&
    [ "$(longest blocking_section)" -ge 100000000 ]'
  threshold 1000s
  ok "$mode: THRESHOLD=1000s: nothing is" eval \
    'well && no_line && hasnt "  complete  *blocking_section"'
  threshold ''
  # In the first millisecond a little more is recorded.
  usual=$(awk '$1 > 0.002 && / ns for_domain_lock=/' events | wc -l)
  ok "$mode: no THRESHOLD: 1 us" [ "$usual" = 0 ]
  for value in fast 5m 5,0ms -1 +5 ms 99999999999999s 0x10; do
    threshold $value
    ok "$mode: THRESHOLD=$value: named in a line" \
      one_line OCAML_EVENTRING_THRESHOLD "$value" ignored
    ok "$mode: THRESHOLD=$value: and ignored" eval 'well &&
      [ "$(durations blocking_section | tail -n 2 | head -n 1)" -ge 5000000 ]'
  done
}
both thresholds

signals() {
  with=OCAML_EVENTRING_CATEGORIES=all record waits raises
  ok "$mode: a handler that raises as the wait begins: it did" \
    out_has 'raised 100 times'
  ok "$mode: all is balanced" well
  ok "$mode: nothing waited on the condition" hasnt '  complete  *condition_wait'
  ok "$mode: what blocks next is not taken for it" \
    [ "$(longest blocking_section)" -ge 60000000 ]
  with=OCAML_EVENTRING_CATEGORIES=all record waits 'raises later'
  ok "$mode: a handler that raises after the wait: it did" out_has raised
  ok "$mode: all is balanced as well" well
  ok "$mode: and the wait is there" has '  complete  *condition_wait'
}
both signals
finish
