#!/usr/bin/env perl
# crash.pl PROGRAM READER TRIES SECONDS SEED
#
# Runs PROGRAM (crash.ml) in the current folder until it was killed TRIES times,
# and for SECONDS, each time at another moment, and compares every ring file
# that it leaves with the values that the program says it wrote: each worker's
# values follow each other from 1, and the last one is the value of the worker's
# last event or of the one that it was about to note.

use strict;
use warnings;

my ($program, $reader, $tries, $seconds, $seed) = @ARGV;
my ($killed, $ended, $files, $empty, $events, $bad) = (0) x 6;
my $until = time + $seconds;
srand $seed;

sub wrong {
  print "# ", @_, "\n";
  $bad++;
}

# Spread over the whole life, and often over its beginning
sub moment { int(rand() < 0.4 ? rand 3e6 : rand 3e8) + 1 }

sub check {
  my ($file) = @_;
  my %last;
  $files++;
  open my $in, '-|', "timeout 20 $reader events $file 2>why" or die;
  while (<$in>) {
    $events++;
    next unless /  counter  *w(\d+)  *(\d+)$/;
    my ($worker, $n) = ($1, $2);
    wrong("$file: worker $worker: $n follows ", $last{$worker} // 'nothing')
      if $n != ($last{$worker} // 0) + 1;
    $last{$worker} = $n;
  }
  if (!close $in) {
    # Killed before its header was whole: refused in words is right.
    my $why = do { local (@ARGV, $/) = 'why'; <> };
    open my $start, '<', $file;
    read $start, my $magic, 16;
    if (($magic // '') !~ /^OCaml Eventring/ && $why =~ /not a ring file/) {
      $empty++;
    } else {
      wrong("$file: the reader says $?: $why");
    }
  }
  return %last;
}

while ($killed < $tries || time < $until) {
  unlink glob '*.eventring progress';
  local $ENV{KILL} = moment() . ' ' . moment();
  pipe my $alive, my $end or die;
  my $pid = fork // die;
  if ($pid == 0) {
    close $alive;
    $^F = 255;                  # [$end] stays open in it and in its child
    open STDOUT, '>&', $end;
    open STDERR, '>', 'said';
    exec $program, 'progress' or die;
  }
  close $end;
  waitpid $pid, 0;
  ($? & 127) == 9 ? $killed++ : $ended++;
  wrong("exit code $?") if $? != 0 && ($? & 127) != 9;
  my $line = <$alive>;          # its child has ended as well
  wrong("it says: ", do { local (@ARGV, $/) = 'said'; <> }) if -s 'said';
  my @progress = (0) x 16;
  if (open my $file, '<', 'progress') {
    read $file, my $words, 128;
    @progress = unpack 'q16', $words if length $words == 128;
  }
  my %last;
  for my $file (glob '*.eventring') {
    my %of_file = check($file);
    @last{keys %of_file} = values %of_file;
  }
  for my $worker (0 .. 9) {
    my ($wrote, $read) = ($progress[$worker], $last{$worker} // 0);
    wrong("worker $worker: wrote $wrote, $read is read (KILL=$ENV{KILL})")
      if $read != $wrote && $read != $wrote + 1;
  }
}
print "# seed $seed: killed $killed times, ended in order $ended times:",
  " $files files, $empty of them without a header yet, $events events,",
  " $bad wrong\n";
exit($bad != 0 || $files < $killed / 4);
