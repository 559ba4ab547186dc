#!/usr/bin/perl
# profile_truth.pl PROGRAM OUTPUT COPIES SAMPLES [PLANT]
#
# Compares samples, a line "TID NS STATE REQUEST FRAME..." each, with the copies
# of the shadow stack that PROGRAM (profile_truth.ml) made at the same moments.
# OUTPUT is the program's: the names of the numbered functions, and its maps.
# Prints what was compared, by kind, and each stack that is marked complete and
# is wrong (the first 20); exit code 1 if there is one.
#
# A stack is right if its functions that have numbers are those of the copy, in
# the same order and as often; if each other frame is in code that is mapped;
# and if an instruction that calls is before each return address. While OCaml
# code runs, the innermost function may be missing: it is about to be called, or has
# just returned. PLANT makes a mistake in each other stack, which must be found:
# "drop" or "double" a frame, "swap" two, or "shift" an address.
use strict;
use warnings;
no warnings 'portable';
use Cwd 'abs_path';

my ($program, $output, $copies, $samples, $plant) = @ARGV;
$plant //= '';
use constant FIRST => 1_000_000;        # the number of the first copy

my (%numbered, @maps, %bytes);
open my $o, '<', $output or die "$output: $!";
while (<$o>) {
  $numbered{$2} = $1 if /^name (\d+) (\w+)$/;
  push @maps, { low => hex $1, high => hex $2, offset => hex $3, path => $4 }
    if /^map ([0-9a-f]+)-([0-9a-f]+) ..x. ([0-9a-f]+) \S+ \d+ *(.*)$/;
}

# Symbols of the program, by address
my (@address, @symbol, %at);
open my $nm, '-|', 'nm', $program or die "nm: $!";
for (sort { $a->[0] <=> $b->[0] }
     map { /^([0-9a-f]+) [tTwW] (.*)$/ ? [hex $1, $2] : () } <$nm>) {
  push @address, $_->[0];
  push @symbol, $_->[1];
  $at{$_->[1]} = $_->[0];
}

my $path = abs_path($program);
sub map_of {
  my ($pc) = @_;
  return (grep { $pc >= $_->{low} && $pc < $_->{high} } @maps)[0];
}

my %names;
sub symbol_of {
  my ($pc) = @_;
  return $names{$pc} //= do {
    my ($low, $above) = (0, scalar @address);
    while ($above - $low > 1) {
      my $middle = int(($low + $above) / 2);
      if ($address[$middle] <= $pc) { $low = $middle } else { $above = $middle }
    }
    my $map = map_of($pc);
    $map && $map->{path} eq $path ? $symbol[$low] : '';
  };
}

sub file_of {
  my ($pc) = @_;
  my $map = map_of($pc);
  return '?' if !$map;
  return sprintf '%s+%x', $map->{path} =~ s,.*/,,r,
    $pc - $map->{low} + $map->{offset};
}

# The number of the function that has the instruction at PC; 0: none
my %numbers;
sub number_of {
  my ($pc) = @_;
  return $numbers{$pc} //= do {
    my $name = symbol_of($pc);
    $name = $1 if $name =~ /^camlProfile_truth\.(\w+)_\d+$/;
    $numbered{$name} // 0;
  };
}

sub is_ocaml {
  my ($pc) = @_;
  return 1 if symbol_of($pc) =~ /^caml[A-Z]|^caml_(apply|curry|tuplify)\d/;
  return $pc >= $at{caml_system__code_begin}
    && $pc < $at{caml_system__code_end};
}

# Returns 1 if PC is in code of a mapped file and, as a return address, follows
# a call.
my %fine;
sub is_code {
  my ($pc, $return) = @_;
  return $fine{"$pc $return"} //= do {
    my $map = map_of($pc);
    if (!$map) { 0 }
    elsif (!$return || $map->{path} =~ /^\[v/) { 1 }
    else {
      my $file = $bytes{$map->{path}} //= do {
        open my $f, '<:raw', $map->{path} or die "$map->{path}: $!";
        local $/;
        my $all = <$f>;
        \$all;
      };
      my $before = substr $$file, $pc - $map->{low} + $map->{offset} - 7, 7;
      $before =~ /(\xe8....|\xff(
          [\xd0-\xd7] | [\x10-\x13\x16\x17] | \x14.
        | [\x50-\x53\x55-\x57]. | \x54..
        | [\x15\x90-\x93\x95-\x97].... | \x94.....))$/xs ? 1 : 0;
    }
  };
}

# The copies, by number
my %copy;
open my $c, '<:raw', $copies or die "$copies: $!";
while (read($c, my $head, 12) == 12) {
  my ($number, $length, $switching, $target, $stepped) = unpack 'lSSSS', $head;
  last if $number == 0;
  read $c, my($ids), $length;
  $copy{$number} = [$ids, $switching, $target, $stepped];
}

# Returns 1 if PC is in code that returns to an exception handler.
sub raises { return symbol_of($_[0]) =~ /^caml_raise_exn$/ }

# Returns why the stack @frame is not what the copy tells; '' if it is.
sub compare {
  my ($copy, @frame) = @_;
  my ($ids, $switching, $target) = @$copy;
  my @stack;
  for my $i (0 .. $#frame) {
    return sprintf 'no code at frame %d, %x', $i, $frame[$i]
      if !is_code($frame[$i], $i > 0 && !($i == 1 && raises($frame[0])));
    my $number = number_of($frame[$i] - ($i > 0));
    push @stack, $number if $number;
  }
  # Lengths, from the root, that the stack may have
  my (@truth, %length);
  for my $id (unpack 'C*', $ids) {
    if ($id != 0) { push @truth, $id } else { $length{scalar @truth} = 1 }
  }
  %length = map { @truth - $_ => 1 } keys %length;
  %length = map { $_ => 1 } grep { $switching && $_ >= $target } keys %length;
  $length{$target} = 1 if $switching;
  $length{scalar @truth} = 1;
  # A function that is just being called, or has just returned
  $length{@truth - 1} = 1 if !$switching && is_ocaml($frame[0]);
  my $same = @stack <= @truth && $length{scalar @stack};
  for my $i (1 .. @stack) {
    $same = 0 if $same && $stack[-$i] != $truth[-$i];
  }
  # A thread's root is in the C library.
  return 'it does not end at the root'
    if symbol_of($frame[-1]) !~ /^_start$|^$/;
  return $same ? '' : "stack @stack, truth @truth"
    . ($switching ? ", switching at $target" : '');
}

# Makes the mistake PLANT in @frame; returns () if it would make none.
sub mistaken {
  my (@frame) = @_;
  my @i = grep { number_of($frame[$_] - 1) } 1 .. $#frame;
  return () if @i < 3;
  my $i = $i[1];               # neither the innermost nor the outermost
  if ($plant eq 'drop') { splice @frame, $i, 1 }
  elsif ($plant eq 'double') { splice @frame, $i, 0, $frame[$i] }
  elsif ($plant eq 'shift') { $frame[$i] += 1 }
  elsif ($plant eq 'swap') {
    my ($j) = grep { number_of($frame[$_] - 1) != number_of($frame[$i] - 1) }
      @i[2 .. $#i];
    return () if !defined $j;
    @frame[$i, $j] = @frame[$j, $i];
  }
  return @frame;
}

my %kinds = (
  'in C code without allocation' => sub { $_[0] =~ / truth_noalloc / },
  'in the collector' =>
    sub { $_[0] =~ / caml_(garbage_collection|alloc_small_dispatch|gc_\w+) / },
  'in callbacks' => sub { $_[0] =~ / truth_callback / },
  'without the domain lock' => sub { $_[0] =~ / truth_block / },
  'in finalisers' => sub { $_[0] =~ / camlProfile_truth\.finalise_/ },
  'with exceptions' => sub { $_[0] =~ / camlProfile_truth\.raiser_/ },
  'in fibers' => sub { ($_[1][0] =~ tr/\0//) > 1 },
  'in fibers of fibers' => sub { ($_[1][0] =~ tr/\0//) > 2 },
  'in a switch between fibers' =>
    sub { $_[0] =~ /^ caml_(perform|reperform|resume|runstack) / },
  'where a fiber grows' => sub { $_[0] =~ / caml_call_realloc_stack / },
);
my $left_in_ocaml = 0;
my (%count, $compared, $wrong, $planted, $found, %state, %left, %used);
$compared = $wrong = $planted = $found = 0;
open my $s, '<', $samples or die "$samples: $!";
while (<$s>) {
  my ($tid, $ns, $state, $request, @frame) = map { hex } split;
  my $number = $request;
  my $copy = $copy{$number};
  next if $number < FIRST;      # of a thread that keeps none
  die "no copy, or two samples, of number $number\n"
    if !$copy || $used{$number}++;
  $state{$state}++;
  my $line = join ' ', '',
    map({ symbol_of($frame[$_] - ($_ > 0)) || file_of($frame[$_]) }
      0 .. $#frame), '';
  if ($state != 0) {
    $left{$1}++ if $line =~ /^ (\S+)/;
    $left_in_ocaml++ if is_ocaml($frame[0]) || $line =~ / caml_call_realloc/;
    next;
  }
  if ($plant ne '') {
    # Elsewhere a stack may be short of one function: see compare.
    next if is_ocaml($frame[0]) || $copy->[1] || !(@frame = mistaken(@frame));
    $planted++;
    $found++ if compare($copy, @frame);
    next;
  }
  $compared++;
  for my $kind (keys %kinds) {
    $count{$kind}++ if $kinds{$kind}->($line, $copy);
  }
  my $why = compare($copy, @frame);
  if ($why) {
    print "wrong: $number: $why;$line\n" if $wrong < 20;
    $wrong++;
  }
}
if ($plant ne '') {
  print "planted $planted, found $found\n";
  exit !($planted > 0 && $found == $planted);
}
printf "%7d %s\n", $count{$_} // 0, $_ for sort keys %kinds;
printf "%7d not complete, in state %d\n", $state{$_}, $_
  for grep { $_ != 0 } sort keys %state;
my @left = sort { $left{$b} <=> $left{$a} } keys %left;
splice @left, 10 if @left > 10;
print "          at $_: $left{$_}\n" for @left;
print "incomplete in OCaml code: $left_in_ocaml\n";
print "compared $compared, wrong $wrong\n";
exit !($compared > 0 && $wrong == 0);
