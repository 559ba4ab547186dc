#!/bin/sh
# eventring profile --type on ring files with known samples: allocation, live
# memory and its growth, waits, wall-clock time, input and output; every output
# with the same totals, and the options that go with each type.
# Needs no OCaml.
. "$(dirname "$0")/lib.sh"
compile_program

# All frames of these samples are return addresses, also the first one.
inlined="$(after middle leaf)$(after main middle)"
main="$(after main other)"
other="$(after other leaf)$main"
{
  mapping program
  echo "event 1024 1 4 handle"
  echo "event 1025 10 4 get"
  echo "at 1000000 100 0"
  echo "start 1000 1"
  echo "begin 1025 1"
  # 1000 blocks of 10 words that die at 3 s, 250 of 40 words that stay.
  echo "alloc 10000 0 1 1 10 0 0 $inlined"
  echo "alloc 10000 0 0 2 40 1 0 $other"
  echo "at 2000000000 101 1"
  echo "begin 1024"
  # A block in the other ring, one that is not followed, a cut stack.
  echo "alloc 20000 0 0 3 2000 2 0 $other"
  echo "alloc 30000 1 0 0 3 3 0 $inlined"
  echo "wait 5000000 0 1 1 4000000 $other"
  echo "io 7000000 0 1 1 4096 0 5 3 $main"
  echo "at 2500000000 101 1"
  echo "end 1024"
  echo "at 3000000000 100 0"
  # Blocks that were allocated before; 99 is not known.
  echo "freed 1 99"
  echo "live 50000 0 0 70 100 0 0 2500000000 $inlined"
  # A block that is known already.
  echo "live 10000 0 0 2 40 1 0 2999000000 $other"
  echo "promoted 2 3"
  echo "wait 15000000 0 0 0 15000000 $inlined"
  echo "io 1000000 0 0 0 100 11 6 1 $inlined"
  echo "io 0 0 0 0 0 0 6 1 $inlined"
  echo "at 4000000000 100 0"
  echo "sample 80000000 0 0 $(at leaf)$inlined"
  echo "end 1025 1"
} | ./make_profile samples.eventring || exit 1

rest() { sed 1d out | diff "$1" -; }
profile() { run eventring profile "$@" samples.eventring; }
has_line() { grep -q "$1\$" out; }

# Tables

cat >table <<'END'
        self                    total                blocks  function
   312 KiB  57.14% ± 5.91   312 KiB  57.14% ± 5.91   11.0 k  inlined  program.c
   234 KiB  42.86% ± 5.91   234 KiB  42.86% ± 5.91      260  other  program.c
   0 bytes   0.00%          547 KiB 100.00%          11.3 k  main  program.c
   0 bytes   0.00%          312 KiB  57.14% ± 5.91   11.0 k  middle  program.c
   0 bytes   0.00%          234 KiB  42.86% ± 5.91   10.0 k  [truncated]
END
profile --type=alloc
ok "alloc: bytes by function, and the blocks that they are" rest table
ok "alloc: the head says what the number is" out_has \
  '(ended): allocated: 547 KiB in 11.3 k blocks, estimated from 4 samples$'
ok "alloc: nothing else is said" [ ! -s err ]

profile --type=alloc --by=line
ok "alloc: a call is at its line, also that of the first frame" eval '
  has_line "inlined  program.c:$(line_of INLINED)" &&
  has_line "other  program.c:$(line_of OTHER)"'

cat >table <<'END'
        self                    total                blocks  function
   391 KiB  62.50% ± 5.41   391 KiB  62.50% ± 5.41      500  inlined  program.c
   234 KiB  37.50% ± 5.41   234 KiB  37.50% ± 5.41      260  other  program.c
   0 bytes   0.00%          625 KiB 100.00%             760  main  program.c
   0 bytes   0.00%          391 KiB  62.50% ± 5.41      500  middle  program.c
END
profile --type=live
ok "live: the blocks that are alive at the end" rest table
ok "live: the head has the time" out_has \
  ': alive at 4.00 s: 625 KiB in 760 blocks, estimated from 3 samples$'
live_at() { # TIME TEXT: the head of the profile of blocks at TIME
  profile --type=live --at="$1"
  exits 0 && out_has ": alive at $2\$"
}
ok "live --at: a block is alive until it is freed" live_at 2.5s \
  '2.50 s: 703 KiB in 1.76 k blocks, estimated from 4 samples'
ok "live --at: a live_sample tells since when its block was alive" live_at 1s \
  '1.00 s: 547 KiB in 1.75 k blocks, estimated from 3 samples'
ok "live --at: not alive before" live_at 0.4s \
  '400 ms: 156 KiB in 1.25 k blocks, estimated from 2 samples'
ok "live --at: freed at that time is dead" live_at 3s \
  '3.00 s: 625 KiB in 760 blocks, estimated from 3 samples'
profile --type=live --at=0s
ok "live --at: before the first event" err_has \
  'the first event is from a later time'

cat >growth <<'END'
      self       total    was self    now self  function
  +156 KiB    +156 KiB    78.1 KiB     234 KiB  other  program.c
   0 bytes   +78.1 KiB     0 bytes     0 bytes  main  program.c
   0 bytes   -78.1 KiB     0 bytes     0 bytes  middle  program.c
 -78.1 KiB   -78.1 KiB     469 KiB     391 KiB  inlined  program.c
END
profile --type=live --since=1s --at=3.5s
ok "live --since: the growth of each function, the largest first" rest growth
ok "live --since: the head has the sum" out_has \
  ': alive at 3.50 s: 625 KiB .*; +78.1 KiB since 1.00 s$'

cat >table <<'END'
      self                  total                  function
 15.0 ms  75.00% ± 8.39 15.0 ms  75.00% ± 8.39  inlined  program.c
 5.00 ms  25.00% ± 8.39 5.00 ms  25.00% ± 8.39  other  program.c
    0 ns   0.00%        20.0 ms 100.00%         main  program.c
    0 ns   0.00%        15.0 ms  75.00% ± 8.39  middle  program.c
END
profile --type=wait
ok "wait: the time that was waited" rest table
ok "wait: the head" out_has ': 20.0 ms of waits in 2 samples$'

profile --type=wall
cat >table <<'END'
      self                  total                  function
 80.0 ms  80.00% ±16.10 80.0 ms  80.00% ±16.10  leaf  program.c
 15.0 ms  15.00% ±12.00 15.0 ms  15.00% ±12.00  [blocking_section]
 5.00 ms   5.00% ± 4.53 5.00 ms   5.00% ± 4.53  [mutex_wait]
    0 ns   0.00%         100 ms 100.00%         main  program.c
    0 ns   0.00%        95.0 ms  95.00% ± 4.53  inlined  program.c
    0 ns   0.00%        95.0 ms  95.00% ± 4.53  middle  program.c
    0 ns   0.00%        5.00 ms   5.00% ± 4.53  other  program.c
END
ok "wall: processor time by function, and waits by their kind" rest table
ok "wall: the head" out_has \
  ': 100 ms of processor time and waits in 3 samples$'

profile --type=io
cat >table <<'END'
      self           total            bytes    calls  function
 7.00 ms  87.50% 8.00 ms 100.00%   4.10 KiB        3  main  program.c
 1.00 ms  12.50% 1.00 ms  12.50%  100 bytes        2  inlined  program.c
    0 ns   0.00% 1.00 ms  12.50%  100 bytes        2  middle  program.c
END
ok "io: time, bytes and operations" rest table
ok "io: the head" out_has \
  ': 8.00 ms of input and output, 4.10 KiB in 3 operations$'

profile --type=cpu
cp out cpu
profile
ok "cpu is the default" cmp out cpu

# The other outputs

profile --type=alloc --tree
cat >tree <<'END'
       total              self           function
   547 KiB 100.00%   0 bytes   0.00%  all
   312 KiB  57.14%   0 bytes   0.00%    main
   234 KiB  42.86%   234 KiB  42.86%      other
  78.1 KiB  14.29%   0 bytes   0.00%      middle
  78.1 KiB  14.29%  78.1 KiB  14.29%        inlined
   234 KiB  42.86%   0 bytes   0.00%    [truncated]
   234 KiB  42.86%   0 bytes   0.00%      main
   234 KiB  42.86%   0 bytes   0.00%        middle
   234 KiB  42.86%   234 KiB  42.86%          inlined
END
ok "alloc --tree" rest tree
profile --type=live --tree --inverted
ok "live --tree --inverted" eval '
  has_line "391 KiB  62.50%   391 KiB  62.50%    inlined" &&
  has_line "391 KiB  62.50%   0 bytes   0.00%        main"'
profile --type=wait --annotate=other
ok "wait --annotate" out_has "^   25.00%  25.00%  *$(line_of OTHER) .*OTHER"

# folded TYPE: the stacks of the TYPE, which must be $tmp/want
folded() { profile --type="$1" --folded && sort out | diff want -; }
sort >want <<'END'
main;middle;inlined 80000
main;other 240000
[truncated];main;middle;inlined 240000
END
ok "alloc --folded: bytes" folded alloc
sort >want <<'END'
main;middle;inlined 400000
main;other 240000
END
ok "live --folded: bytes" folded live
sort >want <<'END'
main 7000000
main;middle;inlined 1000000
END
ok "io --folded: ns" folded io
sort >want <<'END'
main;middle;inlined 15000000
main;other 5000000
END
ok "wait --folded: the functions that waited" folded wait
sort >want <<'END'
main;middle;inlined;leaf 80000000
main;middle;inlined;[blocking_section] 15000000
main;other;[mutex_wait] 5000000
END
ok "wall --folded: the stack of a wait ends in its kind" folded wall

# The totals of each type in all formats
if command -v jq >/dev/null; then
  for type in alloc live wall wait io; do
    key=ns
    case $type in alloc | live) key=bytes ;; esac
    profile --type=$type --json
    cp out json
    total=$(jq ".$key" json)
    ok "$type --json: the sums of functions, lines and stacks are equal" eval '
      [ "$total" -gt 0 ] && [ "$(jq -c "[([.functions[].self_$key] | add),
        ([.lines[].self_$key] | add), ([.stacks[].$key] | add)] | unique" json
        )" = "[$total]" ] && [ "$(jq -r .type json)" = $type ]'
    profile --type=$type --folded
    ok "$type --folded has the same sum" eval \
      '[ "$(awk "{ s += \$NF } END { print s }" out)" = "$total" ]'
    profile --type=$type --flame=page.html --force
    sed -n '/id="data">/,/<.script>/p' page.html | sed -n '2s,</script>$,,p' >data
    ok "$type --flame has the same sum and type" eval \
      '[ "$(jq -c "[([.nodes[][2]] | add), .type]" data)" = \
         "[$total,\"$type\"]" ]'
  done
  profile --type=alloc --json
  ok "alloc --json: blocks, period, and the sources of stacks" [ "$(jq -c '
    [.samples, .blocks, .period_words, ([.functions[].self_blocks] | add),
     ([.stacks[].blocks] | add), ([.stacks[].source] | sort)]' out)" = \
    '[4,11260,1000,11260,11260,["custom","major","marshal","minor"]]' ]
  profile --type=live --json --at=1s
  ok "live --json: a block whose alloc_sample is lost has no thread" \
    [ "$(jq -c '[.at_ns, ([.stacks[] | [.thread, .bytes]] | sort)]' out)" = \
    '[1000000000,[[null,400000],[100,80000],[100,80000]]]' ]
  profile --type=live --json --since=1s --at=3s
  ok "live --since --json: both times" [ "$(jq -c \
    '[.at_ns, .bytes, .base.at_ns, .base.bytes]' out)" = \
    '[3000000000,640000,1000000000,560000]' ]
  profile --type=alloc --json
  ok "alloc --json: a block with many samples is not one sample" [ \
    "$(jq -c '[.functions[] | select(.function == "other") | .self_bytes,
      .self_error_bytes]' out)" = '[240000,43818]' ]
  profile --type=wall --json
  ok "wall --json: waits have a kind of frame, without an address" [ "$(jq -c '
    [.functions[] | select(.kind == "wait") | .function],
    [.stacks[].frames[] | select(.kind == "wait") | .address // 0]' out |
    tr '\n' ' ')" = '["[blocking_section]","[mutex_wait]"] [0,0] ' ]
  profile --type=wait --json
  ok "wait --json: a wait as long as its weight is no estimate" [ "$(jq -c '
    [.functions[] | [.function, .self_error_ns]] | sort' out)" = \
    '[["inlined",null],["main",null],["middle",null],["other",2236068]]' ]
  profile --type=io --json
  ok "io --json: all operations are recorded, so there are no errors" \
    [ "$(jq '[.functions[], .lines[] | keys[] | select(test("error"))] |
      length' out)" = 0 ]
  ok "io --json: operations, bytes and kinds" [ "$(jq -c '[.operations, .bytes,
    ([.stacks[] | [.operation, .kind, .operations, .bytes]] | sort)]' out)" = \
    '[3,4196,[["read","file",2,100],["write","socket",1,4096]]]' ]
else
  skip "the totals in all formats" "no jq"
fi

# pprof TYPE EXPECTED...: the profile of TYPE is $tmp/want
pprof() {
  profile --type="$1" --pprof=out.pb.gz --force
  exits 0 && [ ! -s out ] && ! grep -v 'samples are left out' err || return
  shift
  gzip -dc out.pb.gz | protoc --decode=perftools.profiles.Profile \
    -I "$here" "$here/profile.proto" >pprof || return
  python3 -B "$here/read_pprof.py" pprof "$@" | sort | diff want -
}
if command -v protoc >/dev/null; then
  sort >want <<'END'
main;middle;inlined 1000 80000 domain=0 request=1 request_name=get source=minor thread=100
main;other 250 80000 domain=0 source=major thread=100
main;other 10 160000 domain=1 source=marshal span=handle thread=101
[truncated];main;middle;inlined 10000 240000 domain=1 source=custom span=handle thread=101
END
  ok "alloc --pprof: types and labels as pprof expects them" pprof alloc \
    alloc_objects/count alloc_space/bytes 8000
  sort >want <<'END'
main;middle;inlined 500 400000 source=minor
main;other 250 80000 domain=0 source=major thread=100
main;other 10 160000 domain=1 source=marshal span=handle thread=101
END
  ok "live --pprof" pprof live inuse_objects/count inuse_space/bytes 8000
  sort >want <<'END'
main;middle;inlined 1 15000000 domain=0 thread=100 wait=blocking_section
main;other 1 5000000 domain=1 request=1 request_name=get span=handle thread=101 wait=mutex_wait
END
  ok "wait --pprof" pprof wait contentions/count delay/nanoseconds 10000000
  sort >want <<'END'
main;middle;inlined;[blocking_section] 1 15000000 domain=0 thread=100 wait=blocking_section
main;other;[mutex_wait] 1 5000000 domain=1 request=1 request_name=get span=handle thread=101 wait=mutex_wait
main;middle;inlined;leaf 1 80000000 domain=0 thread=100
END
  ok "wall --pprof" pprof wall samples/count wall/nanoseconds 10000000
  sort >want <<'END'
main 1 4096 7000000 domain=1 kind=socket operation=write request=1 request_name=get span=handle thread=101
main;middle;inlined 2 100 1000000 domain=0 kind=file operation=read thread=100
END
  ok "io --pprof" pprof io operations/count bytes/bytes time/nanoseconds 0
else
  skip "pprof" "no protoc"
fi

# Filters
of() { # TEXT OPTION...: the head has TEXT
  wanted=$1
  shift
  profile "$@"
  exits 0 && out_has "$wanted"
}
ok "alloc --thread" of ': allocated: 156 KiB in 1.25 k' --type=alloc --thread=100
ok "alloc --span" of ': allocated: 391 KiB in 10.0 k' --type=alloc --span=handle
ok "alloc --request --slower" of ': allocated: 78.1 KiB in 1.00 k' --type=alloc \
  --request=get --slower=1s
ok "alloc --from --to" of 'from 2 samples of 4$' --type=alloc --from=1 --to=2
ok "wait --domain" of ': 5.00 ms of waits' --type=wait --domain=1
ok "wait --outside" of ': 15.0 ms of waits' --type=wait --outside=handle
ok "io --request" of ': 7.00 ms of .* in 1 operation of 3$' --type=io \
  --request=get
ok "live --from --to: when the blocks were allocated" of \
  ': alive at 4.00 s: 391 KiB in 500 ' --type=live --from=0.4 --to=1
ok "live --thread: only blocks whose thread is known" of \
  ': alive at 4.00 s: 78.1 KiB in 250 ' --type=live --thread=100
ok "live --thread: says that others are left out" err_has \
  ': 1 blocks are left out: the thread that allocated them is not known'
ok "live --outside: likewise" of ': alive at 4.00 s: 78.1 KiB ' --type=live \
  --outside=handle

# Blocks that are not followed, times outside of the events, a category that is
# switched off
{
  mapping program
  echo "at 100000000000 100 0"
  echo "start 1000 1"
  echo "alloc 1000 0 0 1 10 0 0 $inlined"
  for i in 1 2 3; do echo "alloc 1000 0 0 0 10 0 0 $other"; done
  echo "at 105000000000 100 0"
  echo "alloc 500 0 0 0 10 0 0 $other"
} | ./make_profile late.eventring || exit 1
late() { run eventring profile --type=live "$@" late.eventring; }
late
ok "live: samples of blocks that are not followed are left out, and counted" \
  eval 'out_has ": 7.81 KiB in 100 blocks" &&
  err_has "4 samples are left out: a domain follows 65536 blocks at most"'
late --since=1s
ok "live --since: earlier than the events" err_has \
  '\-\-since is earlier than the first event'
late --since=1000s
ok "live --since: later than the events" err_has \
  '\-\-since is later than the last event'
late --at=1000s
ok "live --at: later than the events" err_has \
  'the last event is from an earlier time: blocks that were freed after it'

# Two files
{
  mapping program
  echo "start 1000 1"
  echo "alloc 1000 0 0 1 10 0 0 $inlined"
  echo "alloc 3000 0 0 2 10 0 0 $other"
} | ./make_profile base.eventring || exit 1
profile --type=alloc --diff=base.eventring
ok "alloc --diff: shares of bytes" has_line \
  ' 57.14%  25.00%  +32.14 ±22.44  57.14%  25.00%  inlined  program.c'
run eventring profile --all --type=wall --folded samples.eventring
ok "--all: waits keep their kind" eval '
  exits 0 && has_line "main;other;\[mutex_wait\] 5000000"'
run eventring profile --all --type=alloc samples.eventring
ok "--all: merged" eval '
  exits 0 && out_has "1 process on 1 node: allocated: 547 KiB in 11.3 k blocks"'
run eventring dump samples.eventring -o all.evr
run eventring profile --type=live --json all.evr
cp out recorded
profile --type=live --json
same_stacks() { jq .stacks out >a && jq .stacks recorded >b && cmp a b; }
ok "a recording has the same live blocks" same_stacks
ok "check finds no fault" eventring check samples.eventring

# Growth: a leak of 1 % of the allocation, among blocks that come and go
for n in $(seq 1 400); do
  echo "at $((n * 100000000)) 100 0"
  echo "alloc 1000 0 0 $n 3 0 0 $(
    case $((n % 100)) in 7) echo "$other" ;; *) echo "$inlined" ;; esac)"
  # All but the leak dies after 20 samples.
  [ $n -le 20 ] || [ $((n % 100)) = 27 ] || echo "freed $((n - 20))"
done >events
{ mapping program; echo "start 1000 1"; cat events; } |
  ./make_profile leak.eventring || exit 1
run eventring profile --type=live --since=5s --at=40s leak.eventring
first_is() { sed -n 3p out | grep -q "$1"; }
ok "live --since: a leak of 1 % is the first line" first_is \
  '^ *+23.4 KiB *+23.4 KiB .*  other  program.c$'
run eventring profile --type=live --since=5s --by=line leak.eventring
ok "live --since --by=line: and its line" first_is \
  "other  program.c:$(line_of OTHER)\$"

# Blocks that no major cycle has found dead or kept: 2 dies before the end of the
# first whole cycle after 2 s, 4 is younger than the last whole cycle before 5 s.
cycle() { echo "at $1 100 0"; shift; echo "begin 7"; "$@"; echo "end 7"; }
{
  mapping program
  echo "event 7 1 0 major_gc_cycle_domains"
  echo "start 1000 1"
  echo "at 1000000000 100 0"
  echo "alloc 10000 0 0 1 10 0 0 $other"
  echo "alloc 20000 0 0 2 10 0 0 $inlined"
  cycle 2500000000 true
  echo "at 2600000000 100 0"
  echo "alloc 40000 0 0 3 10 0 0 $other"
  cycle 3500000000 echo "freed 2"
  echo "at 4000000000 100 0"
  echo "alloc 80000 0 0 4 10 0 0 $inlined"
  cycle 4500000000 true
} | ./make_profile cycles.eventring || exit 1
since() { run eventring profile --type=live "$@" cycles.eventring; }
since --since=2s
ok "live --since: only what whole major cycles have kept" out_has \
  ': alive at [^ ]* s: 391 KiB .*; +312 KiB since 2.00 s, of blocks that a major cycle has kept$'
ok "live --since: the first line is what grew" first_is \
  '^ *+312 KiB *+312 KiB .*  other  program.c$'
since --since=2s --json
ok "live --since --json: likewise" [ "$(jq -c '[.base.bytes, .bytes, .survivors]' out)" = \
  '[80000,400000,true]' ]
since --since=3.8s
ok "live --since: all blocks, when there is no whole cycle between" out_has \
  '; +625 KiB since 3.80 s$'

# Sampling begins anew: blocks with lower numbers are no longer followed.
{
  mapping program
  echo "start 1000 1"
  echo "alloc 1000 0 0 1 10 0 0 $inlined"
  echo "alloc 1000 0 0 2 10 0 0 $inlined"
  echo "at 1000000000 100 0"
  echo "start 1000 2"
  echo "at 2000000000 101 1"
  # Another domain begins, with the same number; a block that is not followed.
  echo "start 1000 2"
  echo "alloc 1000 0 0 1 10 0 0 $inlined"
  echo "alloc 2000 0 0 3 10 0 0 $inlined"
} | ./make_profile started.eventring || exit 1
run eventring profile --type=live started.eventring
ok "live: a start gives up blocks with lower numbers" out_has \
  ': 23.4 KiB in 300 blocks, estimated from 2 samples$'
run eventring profile --type=live --at=0.5s started.eventring
ok "live: before the start they were alive" out_has \
  ': 15.6 KiB in 200 blocks, estimated from 2 samples$'

# No samples
{
  mapping program
  echo "sample 1000 0 0 $(at leaf)"
} | ./make_profile cpu.eventring || exit 1
says() { # TYPE TEXT
  run eventring profile --type="$1" cpu.eventring
  exits 0 && err_has "$2"
}
ok "alloc: says how to get samples" says alloc \
  'no samples of allocation; to take some: start .*_PROFILE_ALLOC=1e-5$'
ok "live: likewise" says live 'start .*_PROFILE_ALLOC=1e-5$'
ok "wait: likewise" says wait \
  'no samples of waits; to take some: start .*_CATEGORIES=all,profile_wait$'
ok "io: likewise" says io 'no input and output; .*_CATEGORIES=all,io$'
ok "wall: says that only half of it is there" says wall 'no samples of waits;'
{
  mapping program
  echo "wait 1000 0 0 0 1000 $inlined"
} | ./make_profile waits.eventring || exit 1
run eventring profile --type=wall waits.eventring
ok "wall: also when it is the other half" err_has \
  'no samples of processor time; to take some: start .*_PROFILE=100$'
sleep 120 &
alive=$!
started="$started $alive"
make_ring plain
./make_ring plain alive.eventring pid=$alive state=1 samples=1 \
  boot="$(cat /proc/sys/kernel/random/boot_id)" || exit 1
enables() { # TYPE CATEGORIES
  run eventring profile --type="$1" alive.eventring
  exits 0 && err_has "to take some: eventring enable $alive $2\$"
}
ok "alloc: of a process that runs" enables alloc profile_alloc
ok "wall: of a process that runs" enables wall 'profile profile_wait'
ok "io: of a process that runs" enables io io

# Rings that go back for different times
leaf="$(at leaf)$inlined"
{
  mapping program
  echo "at 1000000000 101 1"
  echo "wait 1000000 0 0 1 1000000 $other"
  echo "used 700000000 100000000 0 0 0 0 0"
  echo "sample 100000000 0 0 $leaf"
  echo "at 2000000000 100 0"
  echo "overwritten 0"
  echo "minor 10 100"
  echo "at 2100000000 100 0"
  echo "wait 5000000 0 0 1 5000000 $other"
  echo "at 2200000000 101 1"
  echo "used 400000000 200000000 0 0 0 0 0"
  echo "at 2500000000 101 1"
  echo "sample 80000000 0 0 $leaf"
  echo "wait 3000000 0 0 0 3000000 $inlined"
  echo "used 90000000 10000000 0 0 0 0 0"
} | ./make_profile waits_lost.eventring || exit 1
{
  mapping program
  echo "at 1000000000 100 0"
  echo "wait 5000000 0 0 1 5000000 $other"
  echo "at 2000000000 100 0"
  echo "overwritten 2"
  echo "sample 80000000 0 0 $leaf"
} | ./make_profile samples_lost.eventring || exit 1
# The thread has waited since long before the ring begins.
{
  mapping program
  echo "at 1000000000 100 0"
  echo "overwritten 0"
  echo "minor 10 100"
  echo "at 1200000000 100 0"
  echo "wait 900000000 0 0 0 900000000 $inlined"
  echo "at 1300000000 100 0"
  echo "sample 80000000 0 0 $leaf"
} | ./make_profile long_wait.eventring || exit 1
# No waits are recorded, and the ring of the samples is whole.
{
  mapping program
  echo "at 1000000000 100 0"
  echo "sample 80000000 0 0 $leaf"
  echo "at 2000000000 100 0"
  echo "overwritten 0"
  echo "minor 10 100"
  echo "control 0x400"          # profile
} | ./make_profile no_waits.eventring || exit 1
lost() { run eventring profile --type=wall "$@" waits_lost.eventring; }
lost --folded
sort >want <<'END'
[signals blocked] 10000000
main;middle;inlined;leaf 80000000
main;middle;inlined;[blocking_section] 3000000
main;other;[mutex_wait] 5000000
END
ok "wall: from the time on from which all rings have their samples" eval \
  'sort out | diff want -'
lost
ok "wall: the head has that time" out_has ': 98.0 ms of processor time and waits from 2.00 s to 2.50 s in 3 samples of 5$'
ok "wall: says that earlier samples are left out" err_has \
  ': 2 samples are left out: other samples of their time are lost$'
lost --from=2.4s
ok "wall --from: after that time no sample is left out" eval '
  out_has ": 83.0 ms of processor time and waits in 2 samples of 5$" &&
  ! err_has "left out"'
if command -v jq >/dev/null; then
  lost --json
  ok "wall --json: the time, and the processor time since then" [ "$(jq -c \
    '[.from_ns, .ns, .unsampled_ns, .process_cpu_ns]' out)" = \
    '[2000000000,98000000,10000000,90000000]' ]
fi
lost --to=1.5s
ok "wall --to: samples of a time out of which waits are lost do not count" \
  err_has ': 2 samples are left out: other samples of their time are lost$'
run eventring profile --type=wall --folded long_wait.eventring
ok "wall: of a wait, the time since then counts" \
  out_has '\[blocking_section\] 200000000$'
run eventring profile --type=wall no_waits.eventring
ok "wall: a ring that has no samples leaves none out" eval '
  out_has ": 80.0 ms of processor time and waits in 1 sample$" && ! err_has "left out"'
run eventring profile --type=cpu waits_lost.eventring
ok "cpu: samples count while waits are lost" out_has ': 180 ms of '
run eventring profile --type=wall samples_lost.eventring
ok "wall: waits are left out while samples of processor time are lost" out_has \
  ': 80.0 ms of processor time and waits from 2.00 s to 2.00 s in 1 sample of 2$'
run eventring profile --all --type=wall waits_lost.eventring samples_lost.eventring
ok "wall --all: each process from its own time on" eval '
  out_has ": 178 ms of processor time and waits in 4 samples of 7$" &&
  err_has ": 3 samples are left out: other samples of their time are lost$"'
run eventring profile --type=wall --flame=page.html --force waits_lost.eventring
ok "wall --flame: the page has the time and the kind of waits" eval '
  grep -q "\"about\":\"98.0 ms of processor time and waits from 2.00 s to 2.50 s" page.html &&
  grep -q "\"kinds\":\[[^]]*\"wait\"" page.html'

# Bad input: sums that are too large, sizes of 0, unknown values, short events
{
  mapping program
  echo "start 0 0"
  echo "start 7"
  echo "freed "
  echo "alloc 18446744073709551615 0 0 1 0 0 0 $inlined"
  echo "alloc 1000000000000000000 0 0 2 1 300 300 $inlined"
  echo "alloc 1000000000000000000 0 0 3 1 0 0 $inlined"
  echo "alloc 5 9 0 4 0 18446744073709551615 18446744073709551615"
  echo "live 5 0 0 5 18446744073709551615 0 0 18446744073709551615 1"
  echo "alloc 5 0 0"
  echo "wait 18446744073709551615 0 0 99 0 $inlined"
  echo "wait 5 0 0 99 0 $inlined"
  echo "io 5 0 0 99 18446744073709551615 0 0 99 $inlined"
} | ./make_profile bad.eventring || exit 1
for type in alloc live wall wait io; do
  run eventring profile --type=$type --json bad.eventring
  ok "$type: bad input, no number is negative" eval 'exits 0 &&
    ! grep "self_\|total_\|\"ns\"\|\"bytes\"\|samples" out | grep -q ": -"'
done
run eventring profile --type=wall --folded bad.eventring
ok "wall: a wait of an unknown kind" has_line 'main;middle;inlined;\[wait\] 5'
run eventring profile --type=alloc bad.eventring
ok "alloc: samples that are too much are left out" err_has \
  '2 samples are left out: their sizes are impossible$'

# Arguments
wrong() { # TEXT OPTION...
  text=$1
  shift
  profile "$@"
  refused 2 "$text"
}
ok "--type: unknown" wrong \
  "unknown type 'heap' (types: cpu, alloc, live, wall, wait, io)" --type=heap
ok "--at without live" wrong '\-\-at goes with --type=live' --at=1s --type=alloc
ok "--since without live" wrong '\-\-since goes with --type=live' --since=1s
ok "--at: not a time" wrong '\-\-at=later: not a time' --type=live --at=later
ok "--since: not a time" wrong '\-\-since=-1s: not a time' --type=live \
  --since=-1s
ok "--since later than --at" wrong '\-\-since is later than --at' --type=live \
  --since=2s --at=1s
ok "--since and --diff" wrong 'only one of --since and --diff' --type=live \
  --since=1s --diff=base.eventring
ok "--since with --tree" wrong '\-\-since goes with the table' --type=live \
  --since=1s --tree
ok "--since with --all" wrong '\-\-since goes with one process' --type=live \
  --since=1s --all
finish
