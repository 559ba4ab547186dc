#!/bin/sh
# The writer of an event: an event that is taken for another domain's or
# thread's, a domain without its parent, a process without its name or exit
# code.
. "$(dirname "$0")/programs.sh"
build identity unix threads runtime_calls.c c_thread.c

# Every event "thread" is shown as of the thread that it says, and every event
# "domain" likewise; $1 threads have written some.
truthful() {
  perl -ne '
    /^\S+ +domain (\d+)\b.*? thread \d+( #(\d+))?.*? +counter +(thread|domain) +(\d+)/
      or next;
    my ($domain, $thread) = ($1, $2 ? $3 : "none");
    $seen{$5} = 1 if $4 eq "thread";
    print if $5 ne ($4 eq "thread" ? $thread : $domain) and ++$bad;
    END { my $n = keys %seen; print "$n threads\n";
          exit($bad || $n != '"$1"') }' events
}
ids() { grep -c "^[0-9]* [0-9]*\$" "$tmp/out"; }
# Each line "child parent" that the program printed is a domain_start.
parents_known() {
  while read -r child parent; do
    has "  domain $child .*  domain_start  *domain=$child spawned_by=$parent " ||
      { echo "no domain $child of $parent"; return 1; }
  done <"$tmp/out"
}
slots() { sed -n 's/.*domain_start .* slot=//p' events | sort -u | wc -l; }

domains() {
  record identity nested
  ok "$mode: nested domains: all is balanced" well
  ok "$mode: each with its parent" eval 'parents_known && [ "$(ids)" = 3 ]'
  record identity slots
  ok "$mode: domains in turn: all is balanced" well
  ok "$mode: in one slot" [ "$(slots)" = 1 ]
  ok "$mode: each under its own id" eval 'parents_known &&
    [ "$(cut -d " " -f 1 "$tmp/out" | sort -u | wc -l)" = 5 ] && truthful 5'
}
both domains

threads() {
  record identity threads
  ok "$mode: four threads in two domains: all is balanced" well
  ok "$mode: each event is its thread's" truthful 8
  ok "$mode: each has been created, and ended" eval '
    [ "$(grep -c "  thread_create  " events)" = 8 ] &&
    [ "$(grep -c "  thread_exit  " events)" -ge 8 ]'
  ok "$mode: an end is that of the thread that ends" eval '
    ! grep "  thread_exit  " events |
      grep -v "thread [0-9]* #\([0-9]*\) .*thread_exit  *thread=\1\$" |
      grep .'
  with=OCAML_EVENTRING_CATEGORIES=all record identity threads
  ok "$mode: everything recorded: as well" eval 'well && truthful 8'
  record identity c
  ok "$mode: a thread of C: all is balanced" well
  ok "$mode: its events are its own" truthful 2
  ok "$mode: it is known from beginning to end" eval \
    'has "  thread_create  " && has "  thread_exit  "'
}
both threads

# Events that the backup thread wrote while the domain's own thread was in a
# system call are not shown as the own thread's.
not_the_sleepers() {
  eventring events --raw "$(ring)" | perl -F'\t' -lane '
    $sleeper = $F[4] if $F[7] eq "thread" && $F[3] == 1;
    push @events, [@F] if $F[3] == 1;
    END {
      # The sleep: when it was over, and how long it took
      ($end, $took) = (0, 0);
      for (@events) {
        next unless $_->[7] eq "blocking_section" && $_->[4] == $sleeper;
        my $t = hex((split " ", $_->[8])[0]);
        ($end, $took) = ($_->[0], $t) if $t > $took;
      }
      for (@events) {
        next unless $_->[0] > $end - $took + 1e6 && $_->[0] < $end - 1e6;
        $_->[4] == $sleeper ? $bad++ : $_->[7] eq "minor" && $good++;
      }
      print "$good by another thread, $bad by the sleeper";
      exit !($good && !$bad && $took > 2e8);
    }'
}
backup() {
  record identity backup
  ok "$mode: stopped in a system call: all is balanced" well
  ok "$mode: the collections are not the sleeping thread's" not_the_sleepers
  ok "$mode: nor of any of the program" \
    has '  domain 1  *thread [0-9]*  .*  end  *minor  '
  ok "$mode: the sleeper's own events are" truthful 1
}
both backup

names() {
  with=OCAMLRUNPARAM=e=20 record identity names
  ok "$mode: names: all is balanced" well
  ok "$mode: of a domain" has 'domain 0 "first domain"'
  ok "$mode: of a thread, by the system" has ' #1 "from C"  '
  ok "$mode: of a thread, by the program" has ' #2 "from OCaml"  '
  ok "$mode: of a thread that had another one before" has ' #3 "last"  '
  ok "$mode: and no other has one" hasnt '#[04-9] "'
}
both names

forks() {
  fresh
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    "$tmp/identity.$mode" fork
  parent=$(cut -d ' ' -f 1 "$tmp/out") child=$(cut -d ' ' -f 2 "$tmp/out")
  for whose in parent child; do
    pid=$(eval echo "\$$whose")
    eventring events "$pid.eventring" >events
    ok "$mode: fork: the $whose's domain has its own name" \
      has "  domain 0 \"$whose\" .*  counter   *thread  "
    ok "$mode: fork: the $whose's trace is balanced" \
      eventring check "$pid.eventring"
  done
  ok "$mode: fork: the child knows its parent" has "  fork_child  *$parent\$"
  ok "$mode: fork: the child's exit is in its trace" has '  exit  *0 code$'
}
both forks

process() {
  record identity exit 3
  ok "$mode: exit 3: all is well" well 3
  ok "$mode: exit 3: it says so" has '  exit  *3 code$'
  record identity exit 0
  ok "$mode: exit 0: it says so" has '  exit  *0 code$'
  record identity raise
  ok "$mode: an exception that nobody handles: all is well" well 2
  ok "$mode: it says 2" has '  exit  *2 code$'
  ok "$mode: once" [ "$(grep -c '  exit  ' events)" = 1 ]
  version=$("$ocaml/bin/ocamlc" -version)
  ok "$mode: it begins with its name and the version" \
    has "  process_start  *\"$tmp/identity.$mode, OCaml $version\"\$"
}
both process

# Bytecode that ocamlrun runs is the program, and not ocamlrun.
build plain
mode=byte record plain
ok "bytecode under ocamlrun: its own name" \
  has "  process_start  *\"$tmp/plain.byte, OCaml "
finish
