#!/bin/sh
# eventring memory on ring files with known numbers: the heap by kind, its growth,
# what a collection would free, and the lines of code with most memory.
# Needs no OCaml.
. "$(dirname "$0")/lib.sh"
compile_program
inlined="$(after middle leaf)$(after main middle)"
other="$(after other leaf)$(after main other)"
events() {
  echo "event 7 1 0 major_gc_cycle_domains"
  echo "at 1000000 100 0"
  echo "minor 1000 200000"
  echo "begin 7"
  echo "end 7"
  echo "heap 10000 4000 1000 300 10 1 5000 128"
  echo "memory 1048576 524288"
  echo "at 2000000000 100 0"
  echo "minor 9000 200000"
  echo "begin 7"
  echo "end 7"
  echo "heap 20000 8000 2000 600 10 1 11000 256"
  echo "memory 2097152 1048576"
  # After the last cycle
  echo "minor 5120 200000"
}
{ mapping program
  events
  echo "start 1000 1"
  echo "alloc 30000 0 0 1 10 0 0 $inlined"
  echo "alloc 10000 0 0 2 10 0 0 $other"
  echo "freed 1"
} | ./make_profile samples.eventring || exit 1

run eventring memory samples.eventring
cat >want <<END
heap        172 KiB: live 62.5 KiB, large 15.6 KiB, free 85.9 KiB, fragmented 4.69 KiB
custom      2.00 KiB that custom blocks hold outside of the heap
growth      live blocks, large ones too: from 39.1 KiB to 78.1 KiB in 2.00 s, +39.1 KiB
memory      resident 1.00 MiB, mapped 2.00 MiB
collection  would free about 40.0 KiB, if as much stays alive as at the
            end of the last major cycle; an estimate: all that came to
            the heap since then
compaction  would give back up to 90.6 KiB: free and fragmented memory

allocated: 312 KiB in 4.00 k blocks, estimated from 2 samples
        self                    total                blocks  line
   234 KiB  75.00% ± 6.85   234 KiB  75.00% ± 6.85   3.00 k  inlined  program.c:$(line_of INLINED)
  78.1 KiB  25.00% ± 6.85  78.1 KiB  25.00% ± 6.85   1.00 k  other  program.c:$(line_of OTHER)
   0 bytes   0.00%          234 KiB  75.00% ± 6.85   3.00 k  main  program.c:$(line_of MAIN)
   0 bytes   0.00%          234 KiB  75.00% ± 6.85   3.00 k  middle  program.c:$(line_of MIDDLE)
   0 bytes   0.00%         78.1 KiB  25.00% ± 6.85   1.00 k  main  program.c:$(($(line_of MAIN) + 1))

alive at 2.00 s: 78.1 KiB in 1.00 k blocks, estimated from 1 sample
        self                    total                blocks  line
  78.1 KiB 100.00%         78.1 KiB 100.00%          1.00 k  other  program.c:$(line_of OTHER)
   0 bytes   0.00%         78.1 KiB 100.00%          1.00 k  main  program.c:$(($(line_of MAIN) + 1))
END
rest() { sed 1d out | diff want -; }
ok "the heap, the process, and the lines that allocate and keep" rest
ok "nothing else is said" [ ! -s err ]
if command -v jq >/dev/null; then
  run eventring memory --json samples.eventring
  ok "--json: the heap" [ "$(jq -c .heap out)" = '{"pool_bytes":160000,'\
'"live_bytes":64000,"free_bytes":88000,"fragmented_bytes":4800,'\
'"large_bytes":16000,"custom_bytes":2048}' ]
  ok "--json: growth, memory and what a collection would free" [ "$(jq -c '
    [.growth.last_ns - .growth.first_ns, .growth.first_live_bytes,
     .growth.last_live_bytes, .resident_bytes, .mapped_bytes, .cycles,
     .freeable_bytes]' out)" = \
    '[1999000000,40000,80000,1048576,2097152,2,40960]' ]
  ok "--json: the same lines as eventring profile" eval '
    eventring profile --type=alloc --json samples.eventring >profile &&
    [ "$(jq -c .allocated.lines out)" = "$(jq -c .lines profile)" ] &&
    [ "$(jq -c "[.alive.bytes, .alive.blocks]" out)" = "[80000,1000]" ]'
else
  skip "--json" "no jq"
fi

events | ./make_profile none.eventring || exit 1
run eventring memory none.eventring
ok "no samples: the heap, and one line how to get them" eval '
  exits 0 && out_has "^heap  *172 KiB" && ! out_has "allocated" &&
  [ "$(wc -l <err)" = 1 ] && err_has "start .*_PROFILE_ALLOC=1e-5\$"'
echo "at 1 100 0" | ./make_profile empty.eventring || exit 1
run eventring memory empty.eventring
ok "no events: says so" eval 'exits 0 && out_has "^heap  *not known"'
run eventring memory --json empty.eventring
ok "no events: null in JSON" eval 'exits 0 && out_has "\"heap\": null" &&
  out_has "\"allocated\": null" && out_has "\"freeable_bytes\": null"'
run eventring memory no.eventring
ok "no file" refused 3 'no.eventring'
finish
