#!/usr/bin/env perl
# account.pl READ [EVENTRING OUT]
#
# Adds up the events that a reader saw of a program "load": for each ring the
# events and how many were lost, for each worker the numbers, and writes the
# sums to the file READ, for watch.pl.  The reader is "eventring events --raw"
# on standard input; or the recordings OUT, OUT with .2, and so on that are
# being made: each is read when there is a next one or the file READ.over, and
# then removed.
#
# The numbers of a worker that stays in one ring are in order, and where some
# are missing, as many events of the ring are lost there.

use strict;
use warnings;

my ($to, $eventring, $out) = @ARGV;
my (%events, %lost, %seen, %top, %last, %lost_at, @wrong);

sub add {
  my ($in) = @_;
  while (<$in>) {
    my (undef, undef, $ring, undef, undef, $form, undef, $name, $value) =
      split /\t/;
    if ($form eq 'lost') {
      $lost{$ring} += hex $value;
      next;
    }
    $events{$ring}++;
    next if $form ne 'counter' || $name !~ /^number\.(.*)/;
    my ($worker, $n) = ($1, hex $value);
    $seen{$worker} //= '';
    push @wrong, "$worker: $n comes twice" if vec($seen{$worker}, $n, 1);
    vec($seen{$worker}, $n, 1) = 1;
    $top{$worker} = $n if $n > ($top{$worker} // 0);
    next if $worker eq 'spawned';
    my $missing = $n - 1 - ($last{$worker} // 0);
    my $lost = ($lost{$ring} // 0) - ($lost_at{$worker} // 0);
    push @wrong, "$worker: $missing before $n are missing, and $lost were lost"
      if $missing < 0 || $missing > $lost;
    $last{$worker} = $n;
    $lost_at{$worker} = $lost{$ring} // 0;
  }
}

sub part { $_[0] == 1 ? "$out.evr" : "$out.$_[0].evr" }

if (!defined $out) {
  add(*STDIN);
} else {
  for (my $i = 1; ; $i++) {
    my $over;
    until (-e part($i + 1)) {
      $over = -e "$to.over";
      last if $over;
      select undef, undef, undef, 0.05;
    }
    last if $over && !-e part($i);
    open(my $in, '-|', $eventring, 'events', '--raw', part($i)) or die $!;
    add($in);
    close $in or push @wrong, part($i) . ": status $?";
    unlink part($i);
  }
}

open(my $f, '>', "$to.new") or die $!;
print $f "ring $_ ", $events{$_} // 0, ' ', $lost{$_} // 0, "\n"
  for sort { $a <=> $b } keys %{{ %events, %lost }};
print $f "worker $_ ", unpack('%32b*', $seen{$_}), ' ',
  $top{$_}, "\n" for sort keys %seen;
print $f "wrong $_\n" for @wrong;
close $f;
rename "$to.new", $to;
