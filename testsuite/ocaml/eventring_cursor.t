#!/bin/sh
# Reading rings with Eventring.Cursor: an event missed or read twice, a cursor
# that an exception, a close or another domain breaks, a file that should have
# been refused.
. "$(dirname "$0")/programs.sh"
build eventring_cursor unix check.ml recorded.ml

run_checks() {
  program=$tmp/eventring_cursor.$mode
  fresh
  checks env OCAMLRUNPARAM=e=18 "$program"
  fresh
  checks env OCAMLRUNPARAM=e=9 "$program" loss
  fresh
  run env OCAML_EVENTRING_KEEP=1 OCAMLRUNPARAM=e=13,d=4 "$program" write
  mv -- *.eventring good
  checks "$program" file good read
  : >empty
  checks "$program" file empty refused
  head -c 8000 good >cut
  checks "$program" file cut refused
  # poke NAME OFFSET BYTES
  poke() {
    cp good "$1" &&
      printf '%b' "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
  }
  poke other-magic 0 X
  checks "$program" file other-magic refused
  poke other-version 16 '\0377'
  checks "$program" file other-version refused
  ok "$mode: a file of another version: the reason says so" \
    grep -q 'version' "$tmp/checks"
  poke newer-minor 18 '\0377'
  checks "$program" file newer-minor read
  # A year ahead of this machine's clock, as from one that has run longer:
  # the second word of each block that has been begun, and the header's times
  perl -e 'local $/; binmode STDIN; binmode STDOUT; my $f = <STDIN>;
    my ($rings, $offset, $words, $block) = unpack "x60 L Q Q L", $f;
    my $add = sub { my $at = shift; my $ns = unpack "x$at Q", $f;
      substr($f, $at, 8) = pack "Q", $ns + 365 * 86400 * 10**9 if $ns };
    for (my $at = $offset; $at < $offset + $rings * $words * 8;
         $at += 8 * $block) { $add->($at + 8) }
    print $f' <good >ahead
  ok "$mode: a file made to be ahead differs" eval '! cmp -s good ahead'
  checks "$program" file ahead read
}
both run_checks
finish
