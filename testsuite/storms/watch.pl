#!/usr/bin/env perl
# watch.pl EVENTRING SECONDS NAME=COMMAND...
#
# Runs each COMMAND, a program "load" with its argument, in a folder of its own
# for SECONDS or, if this is longer, until there are $ENOUGH samples, with readers
# that stay and others that come and go, under control from outside; prints TAP.
#
# Once a second, when the program says that it rests, a sample is taken of the
# program and of each reader that stays.  A quantity is flat when the least of
# the last third of the samples is not above the least of the middle third, but
# for the slack in %SLACK; for quantities in %ONE_AWAY, the median of the middle
# third.  Readers that come and go only add to a sample; memory that is lost
# each time raises the least sample.

use strict;
use warnings;
use Cwd 'getcwd';
use File::Basename 'dirname';
use IO::Select;
use Time::HiRes qw(time sleep);

my ($eventring, $seconds, @wanted) = @ARGV;
my $account = dirname(__FILE__) . '/account.pl';
my $here = getcwd;
my ($tests, $failed) = (0, 0);
my (@programs, @passing);
$| = 1;
srand($ENV{SOAK_SEED} // time);

# In KB, but for numbers of something.  Memory is memory without a file: the
# allocators keep some of the free memory, and the memory of a recorder depends
# on how much it has to copy at once.
my %SLACK = (memory => 2048, heap => 8, descriptors => 0, mappings => 4,
             threads => 0, 'ring file' => 256, recording => 1100);
my %SLACK_A_DOMAIN = (memory => 0.1, heap => 0.008);

# On a busy machine samples come late, and a recorder has more to copy at some of
# them: so the least of a third is taken of at least 8 samples.
my $ENOUGH = 24;
my $PATIENCE = 300;     # seconds that a run may take longer for them

# A recorder that begins its next file has one descriptor less for a moment:
# so the median of the middle third counts.
my %ONE_AWAY = (descriptors => 1, threads => 1);

# Bytes of the C heap that OCaml 5.3.0, unchanged, loses for each domain.  They
# are scattered, so that memory grows by more.
use constant LOST_A_DOMAIN => 48;

sub ok {
  my ($right, $name, @why) = @_;
  $tests++;
  print $right ? 'ok' : 'not ok', " $tests - $name\n";
  return if $right;
  $failed++;
  print "#   $_\n" for @why > 10 ? @why[0 .. 9] : @why;
}

# Processes

# Options: in, out, err, dir.  Descriptors that are open here are closed there.
sub start {
  my ($o, @command) = @_;
  my $pid = fork // die;
  return $pid if $pid;
  chdir $o->{dir} or die if $o->{dir};
  open my $null, '+<', '/dev/null' or die;
  open STDIN, '<&', $o->{in} // $null or die;
  open STDOUT, '>&', $o->{out} // $null or die;
  open STDERR, '>', $o->{err} // '/dev/null' or die;
  exec @command or die "@command: $!";
}

sub eventring_does {
  my ($p, @command) = @_;
  waitpid start({ err => "$p->{dir}/control.err" }, $eventring, @command), 0;
  push @{$p->{refused}}, "@command: status $?" if $?;
}

sub slurp { local (@ARGV, $/) = @_; -e $_[0] ? <> // '' : '' }

sub ended {
  my ($pid, $until) = @_;
  until (waitpid $pid, 1) {
    return 'did not end' if time > $until;
    sleep 0.02;
  }
  return $?;
}

# Programs and their readers

sub reader {
  my ($p, $name, $what, @command) = @_;
  my $r = { name => $name, err => "$p->{dir}/$name.err" };
  if ($what eq 'lines') {
    pipe my $in, my $out or die;
    $r->{read} = "$p->{dir}/$name.read";
    $r->{accountant} = start({ in => $in }, 'perl', $account, $r->{read});
    $r->{pid} = start({ out => $out, err => $r->{err} }, $eventring, @command);
  } else {
    $r->{pid} = start({ err => $r->{err} }, $eventring, @command);
  }
  if ($what =~ /(.*)\.evr$/) {
    $r->{read} = "$p->{dir}/$name.read";
    $r->{accountant} = start({}, 'perl', $account, $r->{read}, $eventring, $1);
  }
  push @{$p->{readers}}, $r;
}

sub start_readers {
  my ($p) = @_;
  my ($pid, $dir, $ring) = ($p->{pid}, $p->{dir}, $p->{ring});
  mkdir "$dir/$_" for 'all', 'some';
  reader($p, 'follower', 'lines', 'events', '--follow', '--raw', $ring);
  reader($p, 'slow follower', 'lines', 'events', '--follow', '--raw', $ring)
    if $p->{name} =~ /domains/;
  reader($p, 'recorder', "$dir/all/out.evr", 'record', '-o', "$dir/all/out.evr",
         '--max-size', '1M', $pid, '-d', $dir);
  reader($p, 'recorder of the last', '', 'record', '-o', "$dir/some/out.evr",
         '--max-size', '256K', '--max-files', 3, $pid, '-d', $dir);
  reader($p, 'stat', '', 'stat', '--interval', 1, $ring);
  my $until = time + 30;
  for my $r (@{$p->{readers}}) {
    sleep 0.02 until slurp("/proc/$r->{pid}/maps") =~ /\Q$ring\E/
      || time > $until;
  }
}

sub start_program {
  my ($name, $command) = @_;
  my $p = { name => $name, dir => "$here/" . $name =~ tr/ /-/r };
  mkdir $p->{dir} or die;
  pipe my $in, $p->{to} or die;
  pipe $p->{from}, my $out or die;
  $_->autoflush for $p->{to};
  $p->{pid} = start({ in => $in, out => $out, dir => $p->{dir},
                      err => "$p->{dir}/err" }, split ' ', $command);
  $p->{ring} = "$p->{dir}/$p->{pid}.eventring";
  $p->{buffer} = '';
  push @programs, $p;
}

# Samples

# Where most of the memory is.
sub largest {
  my ($pid) = @_;
  my ($name, %rss);
  for (split /\n/, slurp("/proc/$pid/smaps")) {
    $name = $_ if /^[0-9a-f]+-/;
    $rss{$name} = $1 if /^Rss:\s*(\d+)/;
  }
  my @names = sort { $rss{$b} <=> $rss{$a} } keys %rss;
  return map { "$rss{$_} KB: $_" } grep { defined } @names[0 .. 4];
}

sub sample {
  my ($p, $who, $pid) = @_;
  my $status = slurp("/proc/$pid/status");
  my ($rss) = $status =~ /^RssAnon:\s*(\d+)/m;
  my ($threads) = $status =~ /^Threads:\s*(\d+)/m;
  my @fds = glob "/proc/$pid/fd/*";
  my $maps = () = slurp("/proc/$pid/maps") =~ /\n/g;
  $p->{largest}{$who} = [largest($pid)];
  my %now = (memory => $rss, threads => $threads, mappings => $maps,
             descriptors => scalar @fds);
  push @{$p->{samples}{$who}{$_}}, $now{$_} // 0 for keys %now;
}

sub sample_all {
  my ($p, $heap, $domains) = @_;
  my $own = $p->{samples}{program} //= {};
  sample($p, 'program', $p->{pid});
  push @{$own->{heap}}, ($heap - LOST_A_DOMAIN * $domains) / 1024;
  push @{$p->{domains}}, $domains;
  my @ring = stat $p->{ring};
  push @{$own->{'ring file'}}, $ring[12] / 2;
  $p->{sizes}{$ring[7]}++;
  sample($p, $_->{name}, $_->{pid}) for @{$p->{readers}};
  my $kept = 0;
  $kept += (-s $_ // 0) / 1024 for glob "$p->{dir}/some/*";
  push @{$p->{samples}{'recorder of the last'}{recording}}, $kept;
}

sub least { (sort { $a <=> $b } @_)[0] }
sub median { (sort { $a <=> $b } @_)[@_ / 2] }

sub flat {
  my ($p, $who, $what) = @_;
  my @all = @{$p->{samples}{$who}{$what}};
  my $third = int(@all / 3);
  return ok(0, "$p->{name}: $who: $what is flat", 'too few samples')
    if $third < 3;
  my @middle = @all[$third .. 2 * $third - 1];
  my $middle = $ONE_AWAY{$what} ? median(@middle) : least(@middle);
  my $last = least(@all[2 * $third .. $#all]);
  my $domains = $who eq 'program' ? $p->{domains}[-1] - $p->{domains}[$third]
                                  : 0;
  my $slack = $SLACK{$what} * ($who =~ /^recorder/ ? 2 : 1)
              + $domains * ($SLACK_A_DOMAIN{$what} // 0);
  ok($last <= $middle + $slack, "$p->{name}: $who: $what is flat",
     "$middle became $last, of " . @all . " samples",
     (join ' ', map { int } @all),
     $what eq 'memory' ? @{$p->{largest}{$who}} : ());
}

# Actions of others in a round

sub change_categories {
  my ($p) = @_;
  for my $category (qw(gc_detail sync_detail thread wait domain)) {
    eventring_does($p, rand() < 0.5 ? 'enable' : 'disable', '-q', $p->{ring},
                   $category) if rand() < 0.3;
  }
}

# Nobody counts meanwhile.
sub pause {
  my ($p) = @_;
  eventring_does($p, @$_) for
    ['pause', '-q', $p->{ring}], ['categories', $p->{ring}],
    ['resume', '-q', $p->{ring}], ['disable', '-q', $p->{ring}, 'user'],
    ['pause', '-q', $p->{ring}];
}
sub resume {
  my ($p) = @_;
  eventring_does($p, 'resume', '-q', $p->{ring});
  eventring_does($p, 'enable', '-q', $p->{ring}, 'all');
  eventring_does($p, 'disable', '-q', $p->{ring}, 'gc_detail', 'alloc');
}

sub pass_by {
  my ($p) = @_;
  my $ring = $p->{ring};
  my @command = @{(['events', $ring], ['events', '--follow', $ring],
                   ['latency', $ring], ['check', $ring],
                   ['dump', '--force', '-o', "$p->{dir}/dump.evr", $ring],
                   ['record', '--force', '-o', "$p->{dir}/killed.evr", $p->{pid},
                    '-d', $p->{dir}],
                   ['ps', '-d', $p->{dir}])[$p->{rounds} % 7]};
  push @passing, [start({}, $eventring, @command), time + rand];
}

# Ends readers whose time is over.
sub reap {
  for my $r (splice @passing) {
    kill 'KILL', $r->[0] if time > $r->[1];
    push @passing, $r unless waitpid $r->[0], 1;
  }
}

sub round {
  my ($p, $over) = @_;
  $p->{rounds}++;
  if ($p->{held}) { resume($p) }
  $p->{held} = !$over && $p->{rounds} % 5 == 0;
  print {$p->{to}} $over ? "end\n" : $p->{held} ? "held\n" : "go\n";
  return if $over;
  if ($p->{held}) { pause($p) } else { change_categories($p) }
  pass_by($p);
  # Its children leave files, if they did not end in order.
  eventring_does($p, 'ps', '--prune', '-y', '-d', $p->{dir})
    if $p->{rounds} % 4 == 0;
  my ($slow) = grep { $_->{name} =~ /^slow/ } @{$p->{readers}};
  kill $p->{rounds} % 6 == 3 ? 'STOP' : 'CONT', $slow->{pid} if $slow;
}

# The run

sub is_over {
  my ($p, $until) = @_;
  my $samples = @{$p->{domains} // []};
  return time > $until && ($samples >= $ENOUGH || time > $until + $PATIENCE);
}

sub hear {
  my ($p, $until) = @_;
  my $n = sysread $p->{from}, $p->{buffer}, 65536, length $p->{buffer};
  while ($p->{buffer} =~ s/^(.*)\n//) {
    my $line = $1;
    $p->{heard} = time;
    if ($line =~ /^written (\S+) (\d+)$/) {
      $p->{written}{$1} = $2;
    } elsif ($line =~ /^quiet (\d+) (\d+)$/) {
      $p->{readers} ? sample_all($p, $1, $2) : start_readers($p);
      round($p, is_over($p, $until));
    }
  }
  return $n;
}

sub run {
  my $until = time + $seconds;
  my %of = map { $_->{from} => $_ } @programs;
  my $select = IO::Select->new(map { $_->{from} } @programs);
  $_->{heard} = time for @programs;
  while ($select->count) {
    for my $from ($select->can_read(0.2)) {
      $select->remove($from) unless hear($of{$from}, $until);
    }
    reap();
    for my $p (grep { $_->{heard} < time - 60 } @programs) {
      next unless $select->exists($p->{from});
      ok(0, "$p->{name}: goes on", 'nothing was heard for 60 s');
      kill 'KILL', $p->{pid};
      $select->remove($p->{from});
    }
  }
}

# The results of readers

sub totals {
  my ($p, $r) = @_;
  my $name = "$p->{name}: $r->{name}";
  my (%read, @wrong);
  my ($lost, $numbers, $written) = (0, 0, 0);
  for (split /\n/, slurp($r->{read})) {
    if (/^ring (\d+) (\d+) (\d+)$/) {
      $r->{rings}{$1} = $2 + $3;
      $lost += $3;
    } elsif (/^worker (\S+) (\d+) (\d+)$/) {
      $numbers += $2;
      push @wrong, "$1: $3 comes, and the last was " . ($p->{written}{$1} // 0)
        if $3 > ($p->{written}{$1} // 0);
    } else {
      push @wrong, $_;
    }
  }
  $written += $_ for values %{$p->{written}};
  my $missing = $written - $numbers;
  push @wrong, "of $written numbers $missing are missing, and $lost events lost"
    if $missing < 0 || $missing > $lost || !$written;
  ok(!@wrong, "$name: each number is there once, or lost", @wrong);
  print "# $name: $numbers of $written numbers, $lost events lost\n";
}

sub finish_readers {
  my ($p) = @_;
  my $until = time + 60;
  for my $r (@{$p->{readers}}) {
    kill 'CONT', $r->{pid};
    my $status = ended($r->{pid}, $until);
    my $why = slurp($r->{err});
    ok($status eq '0', "$p->{name}: $r->{name} ends with the program",
       $status, $why);
    kill 'KILL', $r->{pid} if $status eq 'did not end';
  }
  for my $r (grep { $_->{accountant} } @{$p->{readers}}) {
    open my $over, '>', "$r->{read}.over";
    ended($r->{accountant}, $until + 60);
    totals($p, $r);
  }
}

# Of each ring they have seen, or lost, the same number of events.
sub agree {
  my ($p) = @_;
  my ($first, @others) = grep { $_->{read} } @{$p->{readers}};
  my @wrong;
  for my $r (@others) {
    for my $ring (sort keys %{{ %{$first->{rings}}, %{$r->{rings}} }}) {
      my ($a, $b) = map { $_->{rings}{$ring} // 0 } $first, $r;
      push @wrong, "ring $ring: $a to the $first->{name}, $b to the $r->{name}"
        if $a != $b;
    }
  }
  ok(!@wrong && @others, "$p->{name}: all readers count the same events",
     @wrong);
}

sub report {
  my ($p) = @_;
  for my $who ('program', map { $_->{name} } @{$p->{readers}}) {
    my $s = $p->{samples}{$who};
    print "# $p->{name}: $who: ", join(', ', map {
      my @all = @{$s->{$_}};
      my $third = int(@all / 3);
      sprintf '%s %.0f -> %.0f', $_, least(@all[$third .. 2 * $third]),
        least(@all[2 * $third .. $#all]);
    } sort keys %$s), "\n";
  }
  print "# $p->{name}: $p->{rounds} rounds, ring file of ",
    join(' or ', keys %{$p->{sizes}}), " bytes\n";
}

sub conclude {
  my ($p) = @_;
  my $status = ended($p->{pid}, time + 30);
  my $err = slurp("$p->{dir}/err");
  ok($status eq '0' && $err eq '', "$p->{name}: ends as untraced", $status,
     split /\n/, $err);
  ok(!$p->{refused}, "$p->{name}: control from outside works",
     @{$p->{refused} // []});
  finish_readers($p);
  agree($p);
  for my $who (sort keys %{$p->{samples}}) {
    flat($p, $who, $_) for sort keys %{$p->{samples}{$who}};
  }
  ok(keys %{$p->{sizes}} == 1, "$p->{name}: the ring file keeps its size");
  report($p);
}

$ENV{OCAML_EVENTRING_START} = $ENV{OCAML_EVENTRING_KEEP} = 1;
$ENV{OCAMLRUNPARAM} = 'e=14';
# Freed memory goes back to the system.
$ENV{MALLOC_MMAP_THRESHOLD_} = $ENV{MALLOC_TRIM_THRESHOLD_} = 131072;
$ENV{MALLOC_ARENA_MAX} = 1;
/(.*?)=(.*)/ && start_program($1, $2) for @wanted;
run();
conclude($_) for @programs;
kill 'KILL', $_->[0] for @passing;
print "1..$tests\n";
exit($failed ? 1 : 0);
