#!/bin/sh
# Runtime_events on the file of another version of the runtime, in which events
# have other numbers: a phase, a counter or a field could be taken for another.
. "$(dirname "$0")/programs.sh"
build cursor_names runtime_events
build plain

mkdir files
(cd files && OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
  OCAML_EVENTRING_CATEGORIES=all "$tmp/plain.opt" >/dev/null)
mv files/*.eventring files/1.eventring || give_up "a ring file"

# renamed OLD=NEW...: makes file 2 of file 1, with other names in its schema
renamed() {
  env "$@" perl -e '
    local $/;
    my $file = <STDIN>;
    my ($from, $size, $capacity) = unpack "x32 Q L L", $file;
    for my $i (0 .. $capacity - 1) {
      my $at = $from + $i * $size;
      last if unpack("x$at x2 C", $file) == 0;
      my $name = unpack "Z*", substr $file, $at + 32, 128;
      substr($file, $at + 32, 128) = pack "Z128", $ENV{$name} if $ENV{$name};
    }
    print $file' <files/1.eventring >files/2.eventring
}

# swapped A B: exchanges two names in file 2, and in ./good for ./expected
swapped() {
  renamed "$1=$2" "$2=$1"
  perl -pe 'BEGIN { my ($a, $b) = splice @ARGV, 0, 2; %o = ($a, $b, $b, $a) }
    s/^(\w+) (\w+)/"$1 " . ($o{$2} || $2)/e' "$1" "$2" good >expected
}

reads() { "$tmp/cursor_names.$mode" files "$1"; }
as_expected() { reads 2 >other && diff expected other | head -n 5 >differ
                cat differ; ! [ -s differ ]; }

names() {
  reads 1 >good
  ok "$mode: the good file has the events that are renamed" eval '
    grep -q "^begin minor_local_roots\$" good &&
    grep -q "^end major_mark\$" good &&
    grep -q "^counter minor_promoted [1-9]" good &&
    grep -q "^counter minor_allocated [1-9]" good &&
    grep -q "^counter major_heap_pool_words [1-9]" good &&
    grep -q "^lifecycle domain_spawn [1-9]" good &&
    grep -q "^lifecycle domain_terminate [1-9]" good'
  swapped minor_local_roots major_mark
  ok "$mode: phases go by their names" as_expected
  swapped domain_spawn domain_terminate
  ok "$mode: lifecycle events go by their names" as_expected
  # The field of a slice that is called "allocated" is renamed too.
  renamed promoted=allocated allocated=promoted
  perl -ne 'if (/^counter minor_promoted (\d+)/) { $promoted = $1; next }
    s/^counter (minor_allocated) (\d+)/counter minor_promoted $2
counter $1 $promoted/; print' good |
    grep -v '^counter major_allocated_words' >expected
  ok "$mode: fields go by their names" as_expected
  renamed minor=something_new heap=something_else
  grep -v -e '^begin minor$' -e '^end minor$' -e '^counter minor_' \
    -e '^counter major_heap_' good >expected
  ok "$mode: an event of another name is none of Runtime_events" as_expected
}
both names
finish
