#!/bin/sh
# Samples of waits: time that is not accounted for, or twice; stacks of another
# function; a category that cannot be switched on its own.
# Only in make check-long: it measures shares.
# Needs the machine alone: it compares waiting with running.
. "$(dirname "$0")/programs.sh"
ocaml_flags='-g -ccopt -no-pie'
build wait_samples unix threads profile_stubs.c
gcc -O2 -I "$EVENTRING_TOP/consumer/reader" -o toggle "$here/profile_toggle.c" \
  "$EVENTRING_BUILD/lib/libeventring.a" -lzstd -lxxhash -lpthread ||
  give_up toggle

# sampled CATEGORIES ARG...: runs the program, and leaves its output in ./out and
# its samples in ./samples: "NAME TID NS STACK REQUEST ...", integers in
# hexadecimal digits
sampled() {
  fresh
  categories=$1
  shift
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    OCAML_EVENTRING_CATEGORIES="$categories" $with \
    timeout 60 "$tmp/wait_samples.$mode" "$@"
  cp "$tmp/out" out
  eventring events --raw "$(ring)" >raw
  awk -F'\t' '$8 ~ /^(cpu|wait)_sample$/ { print $8, $5, $9 }' raw >samples
}
mode=opt with=
ended() { [ "$status" = 0 ] && [ "$(tail -n 1 out)" = end ] && no_line; }

# conserved N: of N threads, the samples of both kinds add up to the time that
# passed, but for 1 % and a period.  On a busy machine a thread may also be ready
# and not run: that time is in a wait, or in neither.  The share of waits is
# right within two percent points.
conserved() {
  perl -e '
    my ($wanted) = @ARGV;
    my $period = 10_000_000;
    open S, "samples"; open O, "out";
    while (<S>) {
      my ($name, $tid, $ns) = split;
      $sum{$tid}{$name} += hex $ns;
    }
    while (<O>) {
      my ($name, $tid, $elapsed, $cpu, $delay) = split;
      next if !$delay;
      my ($c, $w) = map $sum{$tid}{$_} // 0, "cpu_sample", "wait_sample";
      my $idle = $elapsed - $cpu;
      printf "%s: %d = %d cpu + %d; sampled %d cpu + %d wait; delay %d\n",
        $name, $elapsed, $cpu, $idle, $c, $w, $delay;
      $threads++;
      my $slack = $elapsed / 100 + $period;
      my $share = $elapsed / 50;
      $bad++ if $c + $w > $elapsed + $slack
        || $c + $w < $elapsed - $delay - $slack
        || $w > $idle + $share || $w < $idle - $delay - $share
        || abs($c - $cpu) > $share + $period;
    }
    exit !($threads == $wanted && !$bad)' "$1"
}

# in_function NAME: all of the time in samples of waits of the threads NAME has
# a frame of this function, but for 1 %.  The rests have no frames, and a busy
# machine delays the measurement before and after the function.
in_function() {
  perl -I "$here" -MSymbols -e '
    my ($program, $wanted) = @ARGV;
    open S, "samples"; open O, "out";
    read_symbols($program);
    while (<O>) { my ($name, $tid) = split; $is{$tid} = 1 if $name eq $wanted }
    while (<S>) {
      my ($name, $tid, $ns, $stack, $request, $kind, $took, @frame) = split;
      next if $name ne "wait_sample" || !$is{$tid};
      next if hex $took == 0;
      my @name = map symbol_at(hex($_) - 1), @frame;
      my $here = grep /\Q$wanted\E_/, @name;
      next if !$here && grep /delay_ns|Mutex.protect/, @name;
      $n++;
      $here && hex $stack == 0 ? ($good += hex $ns) : ($bad += hex $ns);
    }
    print "$n samples of $wanted: $good ns in it, $bad ns elsewhere\n";
    exit !($n > 10 && $bad * 99 <= $good)' \
    "$tmp/wait_samples.opt" "$1"
}

sampled profile,profile_wait conserve "${EVENTRING_WAIT_MS:-4000}"
ok "the program ends in order" ended
if grep -q '[1-9]' /proc/thread-self/schedstat 2>/dev/null; then
  ok "samples of processor time and of waits add up to the elapsed time" \
    conserved 8
else
  skip "samples add up to the elapsed time" "no schedstat"
fi
for name in sleeper short_sleeper locker reader writer; do
  ok "waits of $name have its stack" in_function $name
done
ok "eventring check finds nothing" eventring check "$(ring)"

# The clock in ns, so that sums are exact.  Each wait has an event, too.
sums() {
  perl -F'\t' -lane '
    my @n = map hex, split " ", $F[8];
    if ($F[7] eq "wait_sample") { $sampled += $n[0]; $samples++ }
    elsif ($F[5] eq "complete" && $F[7] =~ /section|wait|yield|join/) {
      $waited += $n[0]; $waits++
    }
    END {
      print "$waits waits, $waited ns; $samples samples, $sampled ns";
      my $off = abs($sampled - $waited);
      exit !($waits >= '"$1"' && $samples >= '"$2"' && $off <= '"$3"' * $waited)
    }' raw
}
each_way() {
  with="OCAML_EVENTRING_THRESHOLD=0 OCAML_EVENTRING_CLOCK=monotonic \
OCAMLRUNPARAM=e=20"
  sampled profile_wait,wait short 20000
  ok "$mode: samples of 20,000 waits of 50 us: the program ends in order" ended
  ok "$mode: they add up to the waits exactly" sums 20000 90 0
  with="OCAML_EVENTRING_THRESHOLD=0 OCAMLRUNPARAM=e=20"
  sampled profile_wait,wait short 20000
  ok "$mode: in 0.1 % with the hardware's clock" sums 20000 90 0.001
  # 200 threads, each with less than a period
  sampled profile_wait,wait,thread brief 200
  ok "$mode: so do the waits of threads that end" sums 200 100 0.001
}
both each_way

mode=opt with=OCAML_EVENTRING_THRESHOLD=1s
sampled profile_wait short 20000
ok "the category alone: the program ends in order" ended
# elapsed is a little more than the waits.
ok "it has the samples" perl -e '
    open S, "samples"; open O, "out";
    while (<S>) { $sum += hex((split)[2]) }
    my (undef, undef, $elapsed, $cpu) = split " ", scalar <O>;
    print "$elapsed ns passed, $cpu ns of the processor, sampled $sum\n";
    exit !($sum <= $elapsed * 1.01 + 1e7 && $sum >= $elapsed - $cpu - 1e7)'
ok "and nothing else" [ "$(awk -F'\t' '$6 == "complete"' raw | wc -l)" = 0 ]
with=OCAML_EVENTRING_THRESHOLD=1s
sampled profile_wait,wait short 2000
ok "the threshold of waits holds as before" \
  [ "$(awk -F'\t' '$6 == "complete"' raw | wc -l)" = 0 ]
with=
sampled wait short 100
ok "without the category there are no samples" [ ! -s samples ]

# The categories, switched from outside, and children born meanwhile
fresh
"$tmp/wait_samples.opt" stress 1 >expected
OCAML_EVENTRING_START=1 "$tmp/wait_samples.opt" stress 6000 >out 2>err &
pid=$!
ring=$pid.eventring
within 60 traced
# The default categories, with profile, profile_wait and io, and without
run "$tmp/toggle" "$pid.eventring" 1000 26525 925
ok "the categories are switched 1000 times" [ "$status" = 0 ]
wait "$pid"
status=$?
ok "the program ends in order" [ "$status" = 0 ]
ok "and prints what it prints untraced" diff expected out
ok "nothing else" [ ! -s err ]

mode=byte
sampled profile_wait conserve 300
ok "bytecode has samples without frames" \
  eval 'ended && awk "NF > 7 { exit 1 } END { exit NR == 0 }" samples'
finish
