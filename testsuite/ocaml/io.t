#!/bin/sh
# Input and output: an operation without an event, an event without an
# operation, a number that is wrong, a stack of another function, a program that
# behaves otherwise.
. "$(dirname "$0")/programs.sh"
ocaml_flags='-g -ccopt -no-pie'
build io unix

# Prints the operations in ./raw as the program prints them, without those on
# standard output, and without the reads of the bytecode file that come before
# the first write.
operations() {
  perl -F'\t' -lane '
    my ($took, $stack, $request, $operation, $bytes, $error, $fd, $kind) =
      map hex, split " ", $F[8];
    $begun ||= $operation == 1;
    print "$operation $bytes $error $kind $fd" if $begun && $fd != 1' raw
}
# io PROGRAM: runs it with the category io, and leaves its events in ./raw
io() {
  with="OCAML_EVENTRING_CATEGORIES=io $with" record "$@"
  eventring events --raw --name=io "$(ring)" >raw
}
same() { operations | diff "$tmp/out" -; }

# within_function KIND NAME: each operation on a KIND of file has a frame of the
# function NAME
within_function() {
  perl -I "$here" -MSymbols -e '
    my ($program, $kind, $name) = @ARGV;
    open R, "raw";
    read_symbols($program);
    while (<R>) {
      my @f = split " ", (split /\t/)[8];
      next if hex $f[7] != $kind;
      $events++;
      my $here = grep symbol_at(hex($_) - 1) =~ /\Q$name\E_/, @f[8 .. $#f];
      $good++ if $here;
      $whole++ if hex $f[1] == 0;
    }
    print "$events events, $good of the function, $whole whole stacks\n";
    exit !($events && $events == $good && $events == $whole)' \
    "$tmp/io.opt" "$1" "$2"
}

all() {
  io io
  ok "$mode: each operation is there, with bytes, error, kind, descriptor" same
  ok "$mode: and all is well" eval 'well && no_line'
  cp "$tmp/out" "$tmp/expected"
  (fresh && exec "$tmp/io.$mode") >"$tmp/out"
  ok "$mode: the program does the same untraced" \
    diff "$tmp/expected" "$tmp/out"
  with=OCAML_EVENTRING_CATEGORIES=wait record io
  ok "$mode: without the category there is no such event" hasnt '  io  '
}
both all

mode=opt
io io
ok "operations have the stack of their function" within_function 3 sockets
ok "as have those of channels, files and pipes" \
  eval 'within_function 5 devices && within_function 4 devices ||
        ! grep -q "^1 5 0 4" "$tmp/out"'
# Traces nest: the operation begins before its blocking section.
with="OCAML_EVENTRING_THRESHOLD=0 OCAML_EVENTRING_CATEGORIES=io,wait" record io
eventring events --raw "$(ring)" >raw
ok "an operation contains its blocking section" perl -e '
    open R, "raw";
    while (<R>) {
      my @f = split /\t/;
      next if $f[5] ne "complete";
      my $took = hex((split " ", $f[8])[0]);
      if ($f[7] eq "io") {
        $n++;
        $bad++ if !defined $wait || $f[0] - $took > $wait;
        undef $wait;
      } else { $wait = $f[0] - $took }
    }
    print "$n operations, $bad do not\n";
    exit !($n > 20 && !$bad)'
finish
