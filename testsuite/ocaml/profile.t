#!/bin/sh
# Samples: processor time that is not accounted for, stacks that end too early,
# a crash in the handler, a system call that is interrupted, a child that the
# signal kills.
# Only in make check-long: it counts samples.
# Needs the machine alone: its samples depend on the ticks of the clock.
. "$(dirname "$0")/programs.sh"
ocaml_flags=-g
build profile unix threads profile_stubs.c
build profile_stress unix threads
gcc -O2 -shared -fPIC -o rate.so "$here/profile_rate.c" || give_up rate.so
gcc -O2 -I "$EVENTRING_TOP/consumer/reader" -o toggle "$here/profile_toggle.c" \
  "$EVENTRING_BUILD/lib/libeventring.a" -lzstd -lxxhash -lpthread ||
  give_up toggle

# sampled PROGRAM ARG...: runs it with samples, with $with in its environment,
# and leaves its samples in ./samples: a line "TID NS STACK REQUEST FRAME..."
# each, integers in hexadecimal digits.
sampled() {
  fresh
  program=$1
  shift
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    OCAML_EVENTRING_PROFILE=100 $with "$tmp/$program.$mode" "$@"
  cp "$tmp/out" out
  for file in *.eventring; do
    eventring events --raw --name=cpu_sample "$file"
  done 2>/dev/null | awk -F'\t' '{ print $5, $9 }' >samples
}
mode=opt with=

ended() { [ "$status" = 0 ] && [ "$(tail -n 1 out)" = end ]; }

# conserved N: N threads tell their processor time, and each has samples of it,
# but for 5 % and a period
conserved() {
  perl -e '
    my ($wanted) = @ARGV;
    open S, "samples"; open O, "out";
    while (<S>) { my ($tid, $ns) = split; $sampled{$tid} += hex $ns }
    while (<O>) {
      my ($name, $tid, $ns) = split or next;
      next if !$ns;
      print "$name: $ns ns, sampled $sampled{$tid}\n";
      $threads++;
      $bad++ if abs($ns - $sampled{$tid}) > $ns / 20 + 10_000_000;
    }
    exit !($threads == $wanted && !$bad)' "$1"
}

# stacks MANY PART: at least MANY samples, PART of which in 10,000, or all but
# two, are complete or have as many frames as a sample holds
stacks() {
  awk -v many="$1" -v part="$2" '
    { n++; state[$3 + 0]++ }
    END { good = state[0] + state[1]
          print n " samples, " n - good " with a stack that ends too early"
          exit !(n >= many && (n - good <= 2 || good * 10000 >= n * part)) }' samples
}

sampled profile threads 2000
ok "the program with samples ends in order" ended
ok "the samples of each thread add up to its processor time" conserved 4
ok "their stacks are complete" stacks 100 9990
sampled profile deep 2000
ok "a stack of 2000 frames is cut, and says so" \
  awk '{ n[$3 + 0]++ } # and one is taken before the recursion, perhaps, or after it
    END { exit n[1] < 10 || n[0] > 2 || NR > n[0] + n[1] }' samples

# Twenty thousand signals a second, in wall time
with="LD_PRELOAD=$tmp/rate.so PERIOD=50000 OCAMLRUNPARAM=e=20
  OCAML_EVENTRING_PROFILE=20000 OCAML_EVENTRING_PROFILE_PERF=0"
sampled profile_stress "${EVENTRING_PROFILE_SECONDS:-4}" all
ok "code of all kinds is not disturbed by 20,000 signals a second" ended
ok "99.9 % of its stacks are complete" stacks 20000 9990
sampled profile_stress "${EVENTRING_PROFILE_SECONDS:-4}" effects
ok "effects are not disturbed by 20,000 signals a second" ended
ok "99.9 % of their stacks are complete" stacks 20000 9990
with=

sampled profile waits "${EVENTRING_PROFILE_WAITS:-3000}"
ok "no wait is interrupted" grep -qx 'interrupted 0' out
ok "a program that waits is sampled when it works" stacks 5 9990

sampled profile itimer 2000
ok "a program with a profiler of its own is sampled" conserved 1
# Its timer looks at ticks of the clock: a program that gets a processor for
# shorter times than a tick misses most of the 200.
ok "and its profiler is called, at most some 200 times" \
  awk '$1 == "ticks" { n = $2 } END { print n; exit n < 30 || n > 300 }' out

sampled profile forks "${EVENTRING_PROFILE_FORKS:-200}"
ok "children that exit or execute a program are not killed" ended
ok "and end with their own exit code" [ "$(wc -l <out)" = 1 ]

# The category, switched from outside
fresh
OCAML_EVENTRING_START=1 "$tmp/profile.opt" threads 6000 >out &
pid=$!
ring=$pid.eventring
within 60 traced
# The default categories, with samples and without
run "$tmp/toggle" "$pid.eventring" 1000 1949 925
ok "the category is switched 1000 times a second" [ "$status" = 0 ]
wait "$pid"
status=$?
ok "and the program ends in order" ended

mode=byte
sampled profile busy 300
ok "bytecode is not sampled, and one line says so" \
  grep -c 'samples of processor time are supported in native code' "$tmp/err"
ok "and runs on" ended
finish
