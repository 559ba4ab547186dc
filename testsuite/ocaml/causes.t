#!/bin/sh
# Causes: a collection or a stop that says the wrong reason, or none; a stop
# that leaves out a domain or names one twice.
. "$(dirname "$0")/programs.sh"
build causes unix dynlink runtime_calls.c
echo 'let () = print_endline "loaded"' >"$tmp/plugin.ml"
(cd "$tmp" && "$ocaml/bin/ocamlopt" -shared -o plugin.cmxs plugin.ml &&
   "$ocaml/bin/ocamlc" -c plugin.ml) >"$tmp/build.log" 2>&1 || give_up plugin

number() { grep -c -e "$1" events; }
stops() { has "  stop_the_world  .* reason=$1 cause=$2\( \|\$\)"; }

# provoke WAY: the program's trace, all of whose causes and reasons are known
provoke() {
  record causes "$@"
  ok "$mode: $1: nothing is unknown, all is balanced" well
}

# one SPAN CAUSE [WAY]: SPAN was recorded with CAUSE; test named WAY, else CAUSE
one() {
  ok "$mode: ${3:-$2}: $1 of this cause" ends "$1" "cause=$2"
}
stop() {
  ok "$mode: ${3:-$2}: a stop for $1 of this cause" stops "$1" "$2"
}

minor() {
  provoke "$1"
  one minor "$1"
  stop minor_collection "$1"
}

cycles() {
  with=OCAML_EVENTRING_CATEGORIES=all provoke "$1"
  one major_slice "$1"
  provoke "$1"
  for span in minor major_finish_cycle major_gc_cycle_domains; do
    one "$span" "$1"
  done
  stop finish_cycle "$1"
  # A domain that waits for others does thousands of them.
  ok "$mode: $1: its slices are a detail" hasnt "  major_slice .*cause=$1"
}

of_the_program() {
  minor gc_minor
  ok "$mode: it lies within the call" \
    has '  begin  *explicit_gc_minor'
  provoke gc_major_slice
  one major_slice gc_major_slice
  cycles gc_major
  stop minor_collection gc_major
  ok "$mode: gc_major: no compaction" hasnt '  compaction'
  cycles gc_full_major
  cycles gc_compact
  one compaction gc_compact
  cycles gc_stat
  ok "$mode: gc_stat: it is not that of the full collection in it" \
    hasnt 'cause=gc_full_major'
  provoke gc_set
  one minor gc_set
  stop minor_heap_reservation gc_set
  minor minor_heap_resize
}
both of_the_program

of_allocation() {
  minor minor_heap_full
  minor array_make
  if since 5.3; then
    with=OCAMLRUNPARAM=s=4k minor memprof
  fi
  minor ref_table_full
  minor ephe_ref_table_full
  minor custom_table_full
  minor custom_memory
  provoke custom_memory_slice
  one major_slice custom_memory
  stop major_slice custom_memory
  provoke half_minor_heap
  one major_slice half_minor_heap
  provoke early_minor
  one major_slice early_minor
  provoke major_allocation
  one major_slice major_allocation
  stop major_slice major_allocation
}
both of_allocation

from_c() {
  # Bytecode programs do a minor collection from C as they start.
  provoke array_make
  before=$(number '  end  *minor  .*cause=c_call')
  minor c_call
  ok "$mode: c_call: one more than in a program that does not call it" \
    [ "$(number '  end  *minor  .*cause=c_call')" = $((before + 1)) ]
  provoke c_call_slice
  one major_slice c_call
  provoke nested_slices
  ok "$mode: nested_slices: each of 20 has its cause" \
    [ "$(number '  end  *major_slice  .*cause=c_call')" -ge 20 ]
}
both from_c

of_domains() {
  minor domain_end
  ok "$mode: domain_end: it is the end of the other domain" \
    has 'domain [1-9].*  end  *minor  .*cause=domain_end requested_by=[1-9]'
  provoke other_domain
  one major_slice other_domain
  provoke global_slice
  one major_slice global_slice
  stop major_slice major_allocation
  ok "$mode: global_slice: in the domain that was told" \
    has 'domain [1-9].*  end  *major_slice  *cause=global_slice'
  provoke interrupted
  one major_slice interrupted
  with=OCAMLRUNPARAM=v=0x40 provoke opportunistic
  one major_slice opportunistic
}
both of_domains

of_the_collector() {
  provoke major_allocation
  stop phase_change phase_done
  stop major_cycle cycle_done
  one major_gc_cycle_domains cycle_done
  one minor cycle_done
  ok "$mode: phases: their spans are a detail" hasnt major_gc_phase_change
  with=OCAML_EVENTRING_CATEGORIES=gc_detail provoke gc_major
  one major_gc_phase_change gc_major
  with=OCAML_EVENTRING_CATEGORIES=gc_detail provoke gc_major_slice
  one major_gc_phase_change phase_done
}
both of_the_collector

of_rings() {
  provoke ring_size
  stop session ring_size
}
both of_rings

of_code() {
  case $mode in opt) plugin=plugin.cmxs ;; byte) plugin=plugin.cmo ;; esac
  provoke code_loaded "$tmp/$plugin"
  ok "$mode: code_loaded: it was" out_has '^loaded$'
  if [ $mode = opt ]; then
    stop frametables code_loaded
  else
    skip "$mode: code_loaded" "bytecode has no tables of frames"
  fi
}
both of_code

# The domain that requested a collection: domain A's collections, as B saw them
requester() {
  provoke requester
  a=$(head -n 1 "$tmp/out" | cut -d ' ' -f 1)
  b=$(head -n 1 "$tmp/out" | cut -d ' ' -f 2)
  for domain in "$a" "$b"; do
    ok "$mode: domain $domain's part of what domain $a asked for says so" \
      has "  domain $domain .*  end  *minor  .*cause=gc_minor requested_by=$a\$"
  done
  ok "$mode: so does the stop" has \
    "  stop_the_world  .* requested_by=$a reason=minor_collection cause=gc_minor"
}
both requester

# For each stop: duration, requesting domain, and the domains with their
# arrivals.
well_told() {
  perl -ne '
    next unless /  complete  +stop_the_world  ([\d.]+) \S+ requested_by=(\d+)/;
    my ($took, $by) = ($1, $2);
    if (/reason=major_slice/) {   # told, not stopped
      $bad .= $_ if $took != 0 || /\bdomain=/;
      next;
    }
    my %seen;
    my @domains =
      / domain=(\d+) arrived_after=[\d.]+ [num]?s left_before=[\d.]+ [num]?s/g;
    my $rest = () = /arrived_after=/g;
    $left ||= $_ > 0 for / left_before=([\d.]+) /g;
    $bad .= $_ if $took <= 0 || @domains != $rest || grep { $seen{$_}++ } @domains
      or !$seen{$by};
    $most = @domains if @domains > $most;
    END {
      print "most: $most\n$bad", $left ? "" : "no domain left before the end\n";
      exit 1 if $bad ne "" || $most != '"$1"' || $most > 1 && !$left;
    }
  ' events
}
stops_of() {
  provoke "$1"
  ok "$mode: $1: each stop has a duration, each domain once, and when it left" \
    well_told "$2"
}
each_once() {
  stops_of gc_full_major 1
  stops_of other_domain 2
  stops_of three 3
}
both each_once

both provoke successors

# Every cause and reason of the table has been looked for above.
asked_for() {
  sed -n "s/^$1(EV_[A-Z_]*, \"\([a-z_]*\)\".*/\1/p" \
    "$EVENTRING_TOP/runtime/caml/eventring_events.tbl" |
    grep -v -x unknown >"$tmp/names"
  [ "$(wc -l <"$tmp/names")" -ge "$2" ] &&
    while read -r wanted; do
      grep -q "^ *\(with=[^ ]* \)\?$3.*\<$wanted\>" "$here/causes.t" ||
        { echo "no test of $wanted"; return 1; }
    done <"$tmp/names"
}
ok "there is a test of each cause" asked_for CAUSE 27 \
  '\(one\|minor\|cycles\|stop\) '
ok "there is a test of each reason" asked_for STOP 7 '.*stop'
finish
