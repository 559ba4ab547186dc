#!/bin/sh
# eventring profile on ring files with known samples: functions and lines,
# every output with the same totals, every filter, files that do not fit.
# Needs no OCaml.
. "$(dirname "$0")/lib.sh"
compile_program

stack_leaf="$(at leaf)$(after middle leaf)$(after main middle)"
stack_other="$(at other)$(after main other)"
{
  mapping program
  echo "event 1024 1 4 handle"
  echo "event 1025 10 4 get"
  echo "event 1026 10 4 put"
  echo "event 12 1 0 minor"
  # Two requests, of which one is slow, in the same thread in turn.
  echo "at 1000000 100 0"
  echo "begin 1025 1"
  echo "at 1000001 100 0"
  echo "begin 1025 2"
  echo "at 1000002 100 0"
  echo "begin 1026 3"
  echo "at 2000000 100 0"
  echo "sample 10000000 0 1 $stack_leaf"
  echo "at 3000000 100 0"
  echo "sample 20000000 0 2 $stack_other"
  echo "at 4000000 100 0"
  echo "end 1025 1"
  echo "at 900000000 100 0"
  echo "end 1025 2"
  # A span of each of two threads; one is fast.
  echo "at 1000000000 100 0"
  echo "begin 1024"
  echo "at 1000000001 101 1"
  echo "begin 1024"
  echo "at 1001000000 101 1"
  echo "sample 40000000 0 3 $stack_other"
  echo "at 1002000000 101 1"
  echo "end 1024"
  echo "at 1003000000 100 0"
  echo "sample 80000000 1 0 $stack_leaf"
  echo "at 2000000000 100 0"
  echo "end 1024"
  # A collection that has not ended.
  echo "at 2100000000 101 4294967295"
  echo "begin 12"
  echo "at 2200000000 101 4294967295"
  echo "sample 160000000 0 0 1234"
} | ./make_profile samples.eventring || exit 1

run eventring profile samples.eventring
sed "s/LEAF/$(line_of LEAF)/" >table <<'END'
      self                  total                  function
  160 ms  51.61% ±29.31  160 ms  51.61% ±29.31  [unknown]
 90.0 ms  29.03% ±24.14 90.0 ms  29.03% ±24.14  leaf  program.c
 60.0 ms  19.35% ±16.14 60.0 ms  19.35% ±16.14  other  program.c
    0 ns   0.00%         150 ms  48.39% ±29.31  main  program.c
    0 ns   0.00%        90.0 ms  29.03% ±24.14  inlined  program.c
    0 ns   0.00%        90.0 ms  29.03% ±24.14  middle  program.c
    0 ns   0.00%        80.0 ms  25.81% ±23.63  [truncated]
END
rest() { sed 1d out | diff "$1" -; }
ok "functions, with the inlined one, by their own time" rest table
ok "the head has the sum" \
  out_has '(ended): 310 ms of processor time in 5 samples$'
ok "nothing else is said" [ ! -s err ]

has_line() { grep -q "^ *$1  *[0-9.]*%[ ±0-9.]*  *$2  *[0-9.]*%[ ±0-9.]*  $3\$" out; }
run eventring profile --by=line samples.eventring
ok "lines: a call is at its line, not at the next" eval \
  "has_line '0 ns' '90.0 ms' \"inlined  program.c:$(line_of INLINED)\" &&
   has_line '0 ns' '90.0 ms' \"middle  program.c:$(line_of MIDDLE)\" &&
   has_line '0 ns' '90.0 ms' \"main  program.c:$(line_of MAIN)\" &&
   has_line '0 ns' '60.0 ms' \"main  program.c:$(($(line_of MAIN) + 1))\""

{
  mapping program
  echo "sample 1000 0 0 $(at leaf)$(after nested leaf)$(after main nested)"
} | ./make_profile nested.eventring || exit 1
run eventring profile --by=line nested.eventring
ok "a function inlined in an inlined one: each is at its line" eval \
  "has_line '0 ns' '1.00 us' \"inner  program.c:$(line_of INNER)\" &&
   has_line '0 ns' '1.00 us' \"between  program.c:$(line_of BETWEEN)\" &&
   has_line '0 ns' '1.00 us' \"nested  program.c:$(line_of NESTED)\""

run eventring profile --tree samples.eventring
cat >tree <<'END'
     total            self           function
  310 ms 100.00%    0 ns   0.00%  all
  160 ms  51.61%  160 ms  51.61%    [unknown]
 80.0 ms  25.81%    0 ns   0.00%    [truncated]
 80.0 ms  25.81%    0 ns   0.00%      main
 80.0 ms  25.81%    0 ns   0.00%        middle
 80.0 ms  25.81%    0 ns   0.00%          inlined
 80.0 ms  25.81% 80.0 ms  25.81%            leaf
 70.0 ms  22.58%    0 ns   0.00%    main
 60.0 ms  19.35% 60.0 ms  19.35%      other
 10.0 ms   3.23%    0 ns   0.00%      middle
 10.0 ms   3.23%    0 ns   0.00%        inlined
 10.0 ms   3.23% 10.0 ms   3.23%          leaf
END
ok "the tree of calls" rest tree
run eventring profile --tree --inverted samples.eventring
cat >tree <<'END'
     total            self           function
  310 ms 100.00%    0 ns   0.00%  all
  160 ms  51.61%  160 ms  51.61%    [unknown]
 90.0 ms  29.03% 90.0 ms  29.03%    leaf
 90.0 ms  29.03%    0 ns   0.00%      inlined
 90.0 ms  29.03%    0 ns   0.00%        middle
 90.0 ms  29.03%    0 ns   0.00%          main
 80.0 ms  25.81%    0 ns   0.00%            [truncated]
 60.0 ms  19.35% 60.0 ms  19.35%    other
 60.0 ms  19.35%    0 ns   0.00%      main
END
ok "the tree from functions to callers" rest tree

run eventring profile --folded samples.eventring
sort >folded <<'END'
[unknown] 160000000
[truncated];main;middle;inlined;leaf 80000000
main;other 60000000
main;middle;inlined;leaf 10000000
END
ok "folded stacks" eval 'sort out | diff folded -'

run eventring profile --annotate=program.c samples.eventring
ok "annotated file: all lines, and the shares of some" eval \
  '[ "$(sed 1,2d out | wc -l)" = "$(wc -l <program.c)" ] &&
   out_has "^    0.00%  29.03%  *[0-9]*    return leaf(n) + 1; .*INLINED"'
run eventring profile --annotate=other samples.eventring
ok "annotated function: its lines" eval \
  'out_has "OTHER" && ! out_has "MIDDLE"'
mkdir elsewhere
mv program.c elsewhere/
run eventring profile --annotate=leaf samples.eventring
ok "no source: the numbers of the lines" eval \
  'exits 0 && err_has "cannot find the source program.c" && out_has "29.03%"'
mv elsewhere/program.c .
run eventring profile --annotate=nowhere samples.eventring
ok "annotated: no sample is there" refused 1 'file or function nowhere'

# Totals in the formats for programs
run eventring profile --json samples.eventring
sums() { jq -c '[.cpu_ns, ([.functions[].self_ns] | add),
  ([.lines[].self_ns] | add), ([.stacks[].cpu_ns] | add), .samples,
  .incomplete_samples]' out; }
if command -v jq >/dev/null; then
  ok "JSON: the sums of functions, lines and stacks are equal" \
    [ "$(sums)" = "[310000000,310000000,310000000,310000000,5,1]" ]
  ok "JSON: thread, domain, span and request of stacks" [ "$(jq -c '
    [.stacks[] | [.thread, .domain, .span, .request_name]] | sort' out)" = \
    '[[100,0,null,"get"],[100,0,null,"get"],[100,0,"handle",null],'\
'[101,null,null,null],[101,1,"handle","put"]]' ]
else
  skip "JSON" "no jq"
fi

run eventring profile --pprof=out.pb.gz samples.eventring
ok "pprof: quiet" eval 'exits 0 && silent'
# read_pprof: prints the samples of out.pb.gz
read_pprof() {
  gzip -dc out.pb.gz | protoc --decode=perftools.profiles.Profile \
    -I "$here" "$here/profile.proto" >pprof 2>why
  python3 "$here/read_pprof.py" pprof | sort
}
if command -v protoc >/dev/null; then
  read_pprof >stacks
  ok "pprof: the message is whole" [ ! -s why ]
  sort >want <<'END'
[unknown] 1 160000000 thread=101
[truncated];main;middle;inlined;leaf 1 80000000 domain=0 span=handle thread=100
main;other 1 40000000 domain=1 request=3 request_name=put span=handle thread=101
main;other 1 20000000 domain=0 request=2 request_name=get thread=100
main;middle;inlined;leaf 1 10000000 domain=0 request=1 request_name=get thread=100
END
  ok "pprof: stacks, values and labels" diff want stacks
  ok "pprof: the path of a source, from the root" \
    grep -q "\"$(pwd -P)/program.c\"" pprof
else
  skip "pprof" "no protoc"
fi

# Filters
ms() { # MILLISECONDS OPTION...: the options select samples of so much
  wanted=$1
  shift
  run eventring profile "$@" samples.eventring
  exits 0 && out_has ": $wanted ms of processor time"
}
ok "--thread" ms 110 --thread=100
ok "--domain" ms 40.0 --domain=1
ok "--from" ms 280 --from=1
ok "--to" ms 30.0 --to=0.5
ok "--from and --span: the span began before" ms 80.0 --from=1.0025 \
  --span=handle --thread=100
ok "--span" ms 120 --span=handle
ok "--span --slower: of the thread with the slow span" ms 80.0 --span=handle \
  --slower=100ms
ok "--during a span that has not ended" ms 160 --during=minor
ok "--during a category" ms 160 --during=gc
ok "--outside" ms 190 --outside=handle
ok "--during and --outside" ms 80.0 --during=user --outside=minor --thread=100
ok "--request" ms 30.0 --request=get
ok "--request --slower" ms 20.0 --request=get --slower=100ms
ok "a request that has not ended is as slow as it is so far" ms 40.0 \
  --request=put --slower=2s
run eventring profile --request=get --slower=10s samples.eventring
ok "no such request: says so" eval \
  'exits 0 && err_has "no request get took longer than --slower"'
run eventring profile --span=nothing samples.eventring
ok "no such span: says so" err_has 'no span nothing was recorded'

# A thread that is renamed, between its samples.
{
  mapping program
  echo "at 1000000 100 0"
  echo "name idle"
  echo "at 2000000 100 0"
  echo "sample 10000000 0 0 $stack_leaf"
  echo "at 3000000 100 0"
  echo "name export"
  echo "at 4000000 100 0"
  echo "sample 20000000 0 0 $stack_leaf"
  echo "at 5000000 100 0"
  echo "name idle"
  echo "at 6000000 100 0"
  echo "sample 40000000 0 0 $stack_leaf"
} | ./make_profile renamed.eventring || exit 1
of_renamed() { # NAME MILLISECONDS
  run eventring profile --thread="$1" renamed.eventring
  exits 0 && out_has ": $2 ms of processor time"
}
ok "--thread: the samples while the thread had this name" \
  of_renamed export 20.0
ok "--thread: the samples of both times that the thread had this name" \
  of_renamed idle 50.0

# Two profiles
{
  mapping program
  echo "pid 4242425"
  echo "at 1 100 0"
  echo "sample 30 0 0 $stack_leaf"
  echo "sample 10 0 0 $stack_other"
} | ./make_profile base.eventring || exit 1
run eventring profile --diff=base.eventring samples.eventring
cat >diff <<'END'
     self    base  points          total    base  function
   51.61%   0.00%  +51.61 ±29.31  51.61%   0.00%  [unknown]
   29.03%  75.00%  -45.97 ±35.86  29.03%  75.00%  leaf  program.c
   19.35%  25.00%   -5.65 ±31.04  19.35%  25.00%  other  program.c
    0.00%   0.00%   +0.00         25.81%   0.00%  [truncated]
    0.00%   0.00%   +0.00         29.03%  75.00%  inlined  program.c
    0.00%   0.00%   +0.00         48.39% 100.00%  main  program.c
    0.00%   0.00%   +0.00         29.03%  75.00%  middle  program.c
END
ok "--diff: the shares and their difference" rest diff

# Standard errors: samples with equal weights are binomial, and of a sum of n
# weights w the error is w times the root of n.  Of 100 samples, 20 are in leaf:
# 20 % and 400 ms with errors of 4 points and of 89.4 ms; of 25, 5, with 8 points.
equal() { # COUNT FILE
  {
    mapping program
    for i in $(seq "$1"); do
      echo "at $((i * 1000)) 100 0"
      if [ $((i % 5)) = 0 ]; then echo "sample 20000000 0 0 $stack_leaf"
      else echo "sample 20000000 0 0 $stack_other"; fi
    done
  } | ./make_profile "$2" || exit 1
}
equal 100 equal.eventring
equal 25 few.eventring
run eventring profile equal.eventring
ok "errors of shares: binomial" eval '
  out_has "^  400 ms  20.00% ± 4.00  400 ms  20.00% ± 4.00  leaf" &&
  out_has "^  1.60 s  80.00% ± 4.00  1.60 s  80.00% ± 4.00  other"'
ok "errors of shares: none where all samples are" \
  out_has '^    0 ns   0.00%         2.00 s 100.00%         main  '
run eventring profile --diff=few.eventring equal.eventring
ok "--diff: the errors of both are combined" \
  out_has '^   20.00%  20.00%   +0.00 ± 8.94  20.00%  20.00%  leaf '
if command -v jq >/dev/null; then
  run eventring profile --json --diff=few.eventring equal.eventring
  ok "--json: errors of sums and of shares" [ "$(jq -c '
    def errors: [.functions[] | select(.function == "leaf" or
        .function == "main") | .self_error_ns, .total_error_ns,
      (.self_share_error, .total_share_error |
        if . == null then . else . * 1000 | round end)];
    errors, (.base | errors)' out)" = '[89442719,89442719,40,40,null,200000000,'\
'null,null]
[44721360,44721360,80,80,null,100000000,null,null]' ]
fi

# Recordings hold the same
eventring dump samples.eventring -o all.evr 2>/dev/null
same() { eventring profile "$1" >again 2>why; sed 1d again | diff table -; }
ok "a recording has the same profile" same all.evr
eventring dump base.eventring -o base.evr 2>/dev/null
eventring merge -o merged.evr all.evr base.evr 2>/dev/null
ok "and a merged one" same merged.evr:1
eventring cut --from=1 -o cut.evr all.evr
run eventring profile cut.evr
ok "and a part of it, of that part" out_has ': 280 ms .* in 3 samples'
ok "check finds no fault" eventring check samples.eventring
ok "check finds no fault in the recording" eventring check all.evr

# Files with code that do not fit
again() { run eventring profile samples.eventring; }
strip -o stripped program
mv program whole
cp stripped program
again
ok "stripped: says so, once" eval \
  '[ "$(grep -c "program is stripped" err)" = 1 ]'
ok "stripped: the file stands for its functions" \
  has_line '150 ms' '150 ms' '\[program\]'
mkdir .debug
objcopy --only-keep-debug whole .debug/program.debug
objcopy --add-gnu-debuglink=.debug/program.debug stripped program
again
ok "stripped, with a separate debug file: the same table" rest table
rm -r .debug
compile_c -o program -Wl,--build-id=0x12345678 program.c
again
ok "another build id: refused by name, once" eval \
  '[ "$(grep -c "/program is not the file that the process ran" err)" = 1 ]'
ok "another build id: no wrong functions" eval '! out_has leaf'
compile_c -g0 -o program program.c
{
  mapping program
  echo "sample 1 0 0 $(at leaf)"
  echo "sample 1 0 0 $(at other)"
} | ./make_profile plain.eventring
run eventring profile plain.eventring
ok "without -g: functions, no lines, and says so once" eval \
  'out_has "50.00% ±35.36  leaf\$" &&
   [ "$(grep -c "program has no debug information" err)" = 1 ]'
echo text >program
again
ok "not an ELF file" err_has 'cannot read the symbols of .*: not an ELF file'
rm program
again
ok "no file" err_has 'cannot read the symbols of .*: No such file'
mkfifo program
ok "a FIFO does not block" timeout 10 "$EVENTRING_BIN" profile samples.eventring
rm program
cp whole program

# Arguments
run eventring profile --pprof=out.pb.gz samples.eventring
ok "--pprof does not overwrite" refused 4 'out.pb.gz'
run eventring profile --flame=out.pb.gz samples.eventring
ok "--flame does not overwrite" refused 4 'out.pb.gz'
run eventring profile --force --pprof=out.pb.gz samples.eventring
ok "--force does" exits 0
run eventring profile --force --pprof=samples.eventring samples.eventring
ok "the input is never overwritten" eval 'exits 4 && ms 310'
run eventring profile --slower=1ms samples.eventring
ok "--slower alone" refused 2 'needs a --span or --request'
run eventring profile --span=handle --slower=fast samples.eventring
ok "--slower: not a duration" refused 2 "'fast' is not a duration"
run eventring profile --by=day samples.eventring
ok "--by: unknown" refused 2 'function or line'
run eventring profile --tree --json samples.eventring
ok "two outputs" refused 2 'only one of'
run eventring profile --inverted samples.eventring
ok "--inverted without --tree" refused 2 'goes with --tree'
run eventring profile --folded --diff=base.eventring samples.eventring
ok "--diff with --folded" refused 2 'goes with the table'
run eventring metrics samples.eventring
ok "metrics: a ring of samples is no domain" out_has '^ocaml_domains 2$'

# The rate of samples, in the file of a process that is alive.
sleep 120 &
alive=$!
started="$started $alive"
make_ring plain
./make_ring plain alive.eventring pid=$alive state=1 \
  samples=1 boot="$(cat /proc/sys/kernel/random/boot_id)" || exit 1
run eventring enable --rate=200 alive.eventring profile
ok "enable --rate: the category is recorded" eval \
  'exits 0 && out_has "recording .*profile"'
ok "enable --rate: the rate is printed" out_has '; 200 samples a second$'
run eventring profile alive.eventring
ok "no samples yet: says so" eval 'exits 0 && err_has "no samples yet"'
run eventring profile --json alive.eventring
ok "enable --rate: the period is in the file" \
  out_has '"sample_period_ns": 5000000,'
run eventring enable --rate=100 alive.eventring gc
ok "enable --rate: another rate is a change" eval \
  '! out_has "was already" && out_has "; 100 samples a second$"'
eventring disable alive.eventring profile >disabled
run eventring profile alive.eventring
ok "no samples: says how to take some, for this process" eval \
  'exits 0 && err_has "no samples; to take some: eventring enable $alive profile"'
run eventring enable --rate=300 alive.eventring gc
ok "enable --rate without the category: says so" \
  out_has '; 300 samples a second once category profile is recorded$'
run eventring enable --rate=20001 alive.eventring profile
ok "enable --rate: too many" refused 2 'a number from 1 to 20000'
run eventring enable --rate=2x alive.eventring profile
ok "enable --rate: not a number" refused 2 'a number from 1 to 20000'

echo "at 1 100 0" | ./make_profile none.eventring
run eventring profile none.eventring
ok "no samples of an ended process: says how to take some" eval \
  'exits 0 && err_has "no samples; to take some: start .*_PROFILE=100"'
./make_profile bytecode.eventring <<END
bytecode 1
at 1 100 0
minor 1 2
END
run eventring profile bytecode.eventring
ok "bytecode has no samples" eval 'exits 0 && err_has "in native code only"'

# A sample that claims a whole stack and has no frame.
./make_profile frameless.eventring <<END
at 1 100 0
sample 10 0 0 555500001234
sample 20 0 0
END
merged() {
  run eventring profile --all --json frameless.eventring
  exits 0 && [ "$(jq -c '[.samples, .cpu_ns, .incomplete_samples]' out)" = "$1" ]
}
ok "a sample without frames is not whole, and not lost by merging" merged '[2,30,1]'

# Requests without events
{
  mapping program
  echo "event 1025 10 4 get"
  echo "at 1000000 100 0"
  echo "begin 1025 2"
  echo "at 2000000 100 0"
  echo "sample 10000000 0 1 $stack_leaf"
  echo "sample 10000000 0 1 $stack_leaf"
  echo "sample 20000000 0 2 $stack_other"
  echo "sample 20000000 0 0 $stack_other"
} | ./make_profile wrapped.eventring || exit 1
run eventring profile --request=get wrapped.eventring
ok "samples of lost requests are counted" eval \
  'out_has ": 20.0 ms .* in 1 sample of 4" &&
   err_has "2 samples are left out: the events of their requests are lost"'

# Processor time without samples: more than the first second, less than the last
# used FILE NS: with samples of NS at ticks in the second half
used() {
  {
    mapping program
    echo "at 1000000000 100 0"
    echo "used 1000000000 0 0 0 0 0 0 50000000"
    echo "sample 600000000 0 0 $stack_leaf"
    echo "at 1900000000 101 1"
    echo "sample 200000000 0 0 $stack_other"
    echo "at 2000000000 100 0"
    echo "used 1000000000 300000000 40000000 5000000 6000000 7000000 42000000 $2"
  } | ./make_profile "$1"
}
used used.eventring 350000000 && used ticks.eventring 350000001 || exit 1
cat >table <<'END'
      self                  total                  function
  600 ms  50.00% ±26.35  600 ms  50.00% ±26.35  leaf  program.c
  300 ms  25.00%         300 ms  25.00%         [signals blocked]
  200 ms  16.67% ±16.20  200 ms  16.67% ±16.20  other  program.c
 42.0 ms   3.50%        42.0 ms   3.50%         [thread not found]
 40.0 ms   3.33%        40.0 ms   3.33%         [more threads than rings]
 7.00 ms   0.58%        7.00 ms   0.58%         [ended before a sample]
 6.00 ms   0.50%        6.00 ms   0.50%         [between samples]
 5.00 ms   0.42%        5.00 ms   0.42%         [no room on the stack]
END
run eventring profile used.eventring
ok "the head has the time of the process, and of the samples" \
  out_has ': 800 ms of 2.00 s of processor time in 2 samples$'
run eventring profile ticks.eventring
ok "the head tells that most samples were taken at ticks" \
  out_has ': 800 ms of 2.00 s of processor time by ticks in 2 samples$'
run eventring profile used.eventring
causes() { grep -v ' main \| inlined \| middle ' out | sed 1d | diff table -; }
ok "a row for each cause" causes
run eventring profile --to=1500ms used.eventring
ok "a part of the time has what is in it" eval \
  'out_has ": 600 ms of 1.00 s of processor time in 1 sample of 2$" &&
   ! out_has "signals blocked"'
run eventring profile --from=500ms used.eventring
ok "but not the time of before that the first event has" eval \
  'out_has ": 800 ms of processor time in 2 samples (200 ms of 1.00 s as far as known)$"'
run eventring profile --thread=101 used.eventring
ok "of a thread it is not known" eval \
  'out_has ": 200 ms of processor time in 1 sample of 2$" && ! out_has "signals blocked"'
for merge in '' --all; do
  run eventring profile $merge --json used.eventring
  ok "JSON${merge:+, merged}: the time of the process, and without samples" \
    [ "$(jq -c '[.process_cpu_ns, .unsampled_ns, .tick_ns, .cpu_ns, .samples,
      .incomplete_samples, ([.stacks[].cpu_ns] | add)]' out)" = \
      "[2000000000,400000000,400000000,1200000000,2,0,1200000000]" ]
done
# Time between samples that is told late: 0.4, 0, 0.5 and 0.1 s have no samples.
{
  at=0
  while read -r sampled_ms blocked_ms told_ms; do
    echo "at $((at + 900000000)) 100 0"
    echo "sample ${sampled_ms}000000 0 0"
    echo "at $((at += 1000000000)) 100 0"
    echo "used 1000000000 ${blocked_ms}000000 0 0 ${told_ms}000000 0 0"
  done <<END
600 0 0
1000 0 0
400 100 0
900 0 500
1000 0 1000
END
} | ./make_profile late.eventring || exit 1
# unsampled ARGS NS: without samples, NS are told
unsampled() {
  run eventring profile --json $1 late.eventring
  [ "$(jq .unsampled_ns out)" = "$2" ]
}
ok "time between samples that is told is no more than has none" unsampled '' 1100000000
ok "it is spread over the time before, in parts" \
  unsampled '--from=0 --to=1500ms' 400000000
ok "also when it is told after the selection" \
  unsampled '--from=1500ms --to=3500ms' 600000000
ok "the time in which it is told has what is its own" \
  unsampled '--from=3500ms' 0
# Two seconds without samples, of which 1.2 s are told, then half of a third one and
# some of the time before.
{
  echo "at 1000000000 100 0"
  echo "used 1000000000 0 0 0 0 0 0"
  echo "at 2000000000 100 0"
  echo "used 1000000000 0 0 0 1200000000 0 0"
  echo "at 2900000000 100 0"
  echo "sample 500000000 0 0"
  echo "at 3000000000 100 0"
  echo "used 1000000000 0 0 0 700000000 0 0"
} | ./make_profile late.eventring || exit 1
ok "more is told than has no samples: the rest is of before" \
  unsampled '' 1900000000
ok "and is spread in proportion" unsampled '--to=1500ms' 700000000
echo "used 18446744073709551615 0 0 0 18446744073709551615 0 0" |
  ./make_profile late.eventring || exit 1
run eventring profile --json late.eventring
ok "a time that cannot be is the longest one" eval \
  'out_has "\"unsampled_ns\": 9223372036854775807," && ! err_has .'
{
  mapping program
  echo "at 1000000000 100 0"
  echo "used 1000000000 900000000 0 0 0 0 0"
} | ./make_profile blocked.eventring || exit 1
run eventring profile --all blocked.eventring
ok "a process that has only time without samples is one" eval \
  'out_has "^1 process on 1 node: 0 ns of 1.00 s of processor time in 0 samples$" &&
   out_has "900 ms 100.00% .*signals blocked" && ! err_has .'
# Samples are overwritten between 2 and 3 s, and so is some of the time until 4 s.
{
  echo "at 1000000000 100 0"
  echo "used 1000000000 300000000 0 0 0 0 0"
  echo "at 2000000000 100 0"
  echo "sample 600000000 0 0"
  echo "at 3000000000 101 1"
  echo "lost 10"
  echo "sample 200000000 0 0"
  echo "at 4000000000 101 1"
  echo "sample 400000000 0 0"
  echo "used 1000000000 80000000 0 0 0 0 0"
  echo "at 5000000000 101 1"
  echo "sample 300000000 0 0"
  echo "used 500000000 90000000 0 0 0 0 0"
} | ./make_profile overwritten.eventring || exit 1
run eventring profile overwritten.eventring
ok "the time of the process is not known while samples are lost" eval \
  'out_has ": 1.50 s of processor time in 4 samples (300 ms of 1.50 s as far as known)$" &&
   out_has "390 ms .*signals blocked"'
run eventring profile --to=2.5s overwritten.eventring
ok "but in a window before that" eval \
  'out_has ": 600 ms of processor time in 1 sample (0 ns of 1.00 s as far as known) of 4" &&
   out_has "300 ms .*signals blocked"'
run eventring profile --json overwritten.eventring
ok "the time of samples at ticks is not known of older files" eval \
  'exits 0 && ! out_has tick_ns'
# Most samples are known to be taken at ticks only if it is known of most.
{
  echo "pid 4242426"
  echo "at 1000000000 100 0"
  echo "used 20000000 0 0 0 0 0 0 20000000"
  echo "sample 20000000 0 0 $stack_leaf"
} | ./make_profile some.eventring || exit 1
{
  echo "pid 4242427"
  echo "at 1000000000 100 0"
  echo "sample 21000000 0 0 $stack_leaf"
} | ./make_profile most.eventring || exit 1
run eventring profile --all some.eventring most.eventring
ok "merged, the time at ticks is known of few samples" out_has \
  ': 41.0 ms of processor time in 2 samples (20.0 ms of 20.0 ms as far as known)$'
run eventring profile --all some.eventring some.eventring most.eventring
ok "merged, the time at ticks is known of most samples" \
  out_has ': 61.0 ms of processor time by ticks in 3 samples ('
cat >want <<'END'
[between samples] 6000000
[ended before a sample] 7000000
[more threads than rings] 40000000
[no room on the stack] 5000000
[signals blocked] 300000000
[thread not found] 42000000
END
causes() { sort | diff want -; }
in_ms() { awk '/\[.*\]$/ { ns = $1 * 1e6; sub(/.*\[/, "["); print $0, ns }' out; }
run eventring profile --by=line used.eventring
ok "by line: a row for each cause" eval 'in_ms | causes'
run eventring profile --tree used.eventring
ok "tree: a node for each cause" eval 'in_ms | causes'
run eventring profile --folded used.eventring
ok "folded stacks: a line for each cause" eval 'grep "^\[" out | causes'
run eventring profile --flame=- used.eventring
ok "flame graph: a box for each cause" [ \
  "$(sed -n '/id="data"/,/<\/script>/p' out | grep -o '"\[.[a-z ]*\]"' | tr -d '"' |
     sort)" = "$(sed 's/ [0-9]*$//' want)" ]
if command -v protoc >/dev/null; then
  eventring profile --force --pprof=out.pb.gz used.eventring
  ok "pprof: a sample for each cause" eval \
    'read_pprof | sed -n "s/^\(\[.*\]\) 0/\1/p" | causes'
else
  skip "pprof: a sample for each cause" "no protoc"
fi

# A thread that blocks signals all the time
{
  echo "at 1000000000 100 0"
  echo "used 1000000000 0 0 0 0 0 0"
  echo "at 2000000000 100 0"
  echo "used 1000000000 900000000 0 0 0 0 0"
} | ./make_profile blocked.eventring || exit 1
run eventring profile blocked.eventring
ok "without any sample, the row of the cause" eval \
  'exits 0 && [ ! -s err ] && out_has ": 0 ns of 2.00 s .* in 0 samples$" &&
   out_has "900 ms 100.00% .*signals blocked"'

# clang writes no .debug_aranges: units are found by their own ranges of addresses,
# also when the section has other units.
echo 'int pad(int n) { return n + 1; }' >pad.c
compile_c -c pad.c || exit 1
for kind in single several; do
  functions=
  [ $kind = single ] || functions=-ffunction-sections
  compile_c $functions -c program.c && compile_c $functions -c -Dmain=pad_main \
    -Dleaf=pad_leaf -Dmiddle=pad_middle -Dnested=pad_nested -Dother=pad_other \
    -Dsink=pad_sink -o copy.o program.c &&
    objcopy --remove-section .debug_aranges program.o &&
    objcopy --remove-section .debug_aranges copy.o &&
    compile_c -o without copy.o program.o &&
    compile_c -o beside pad.o copy.o program.o || exit 1
  for program in without beside; do
    {
      mapping $program
      echo "sample 1000 0 0 $(at leaf $program)$(
        after nested leaf $program)$(after main nested $program)"
    } | ./make_profile $program.eventring || exit 1
    run eventring profile --by=line $program.eventring
    ok "units $program .debug_aranges, of $kind ranges: lines, and inlined functions" \
      eval "has_line '1.00 us' '1.00 us' \"leaf  program.c:[0-9]*\" &&
       has_line '0 ns' '1.00 us' \"inner  program.c:$(line_of INNER)\" &&
       has_line '0 ns' '1.00 us' \"between  program.c:$(line_of BETWEEN)\" &&
       has_line '0 ns' '1.00 us' \"nested  program.c:$(line_of NESTED)\""
  done
done
finish
