#!/bin/sh
# OCaml programs for arm64, in qemu, and the command of this machine that reads
# and controls them: a live process could be called killed, its times could be
# wrong, or a request could have another layout there.  Bytecode; native code
# after `make arm64-native`.
# Only in make check-long: check-arm64 has all of arm64.
. "$(dirname "$0")/programs.sh"
ocaml=$EVENTRING_BUILD/arm64
command -v qemu-aarch64 >/dev/null && [ -x "$ocaml/bin/ocamlc" ] || {
  echo "1..0 # SKIP no qemu-aarch64, or no $ocaml, which make arm64 makes"
  exit
}

# value NAME: prints the number after NAME in a JSON object of ./json
value() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" json | head -n 1; }
samples() { grep -c '  counter  *number ' events; }
different() { awk -v n="$1" '!seen[$n]++ { c++ } END { print c + 0 }' works; }

# Naps of 0.3 s last 0.3 to 2 s.
naps() {
  awk -F '  +' '$5 == "nap" || $6 == "nap" {
      for (i = 1; i <= NF; i++) if ($i == "begin" || $i == "end") what = $i
      if (what == "begin") began[$3] = $1
      else { n++; t = $1 - began[$3]; print t; bad = bad || t < 0.3 || t > 2 }
    } END { exit bad || n != 6 }' events
}

ends_by_itself() {
  record arm64 200
  ok "$mode: the program comes to its end" eval 'exits 0 && no_line'
  eventring stat --json "$(ring)" >json
  ok "$mode: it is a program for arm64" \
    [ "$(od -An -td2 -j18 -N2 "$(eventring stat --json "$(ring)" |
      sed -n 's/.*"program": "\(.*\)".*/\1/p')" | tr -d ' ')" = 183 ]
  ok "$mode: all 1200 samples are read" \
    [ "$(cat "$tmp/out") $(samples)" = "1200 1200" ]
  ok "$mode: its trace is balanced, and each collection has its cause" well
  grep 'begin  *work' events >works
  ok "$mode: events of 3 domains" \
    [ "$(cut -c 13-24 works | sort -u | wc -l)" = 3 ]
  ok "$mode: events of 6 threads" \
    [ "$(sed 's/.*thread \([0-9]* *#*[0-9]*\).*/\1/' works | sort -u |
      wc -l)" = 6 ]
  ok "$mode: collections and stops are there" eval \
    'has "  end  *minor  .*cause=minor_heap_full" && has "  stop_the_world  "'
  ok "$mode: durations are right" naps
  ok "$mode: stat has its domains" eval \
    'eventring stat "$(ring)" | grep -q "of 3 domains"'
}

# state PID: its state in ps
state() { eventring ps --no-rate | awk -F '  +' -v pid="$1" '$1 == pid { print $3 }'; }
reads() { eventring events "$pid" 2>/dev/null | grep -q -e "$1"; }
sum() { eventring stat --json "$pid" >json && value events; }
still() { a=$(sum); sleep 0.5; [ "$(sum)" = "$a" ]; }
grows() { a=$(sum); sleep 0.5; [ "$(sum)" -gt "$a" ]; }

controlled() {
  fresh
  OCAML_EVENTRING_START=1 "$tmp/arm64.$mode" 1000000 >"$tmp/out" 2>"$tmp/err" &
  pid=$! started="$started $!"
  within 60 reads "  end  *work"
  ok "$mode: ps shows a live process as recording" [ "$(state $pid)" = recording ]
  run eventring ps --prune --yes
  ok "$mode: ps --prune keeps its file" [ -e $pid.eventring ]
  ok "$mode: its number of events grows" grows
  run eventring pause $pid
  ok "$mode: it is paused from outside" eval 'exits 0 && still'
  ok "$mode: ps shows that it is paused" [ "$(state $pid)" = paused ]
  run eventring resume $pid
  ok "$mode: it is resumed from outside" eval 'exits 0 && grows'
  run eventring disable $pid user
  eventring record $pid -o without.evr --for 1s 2>"$tmp/err"
  run eventring enable $pid gc_detail
  ok "$mode: a category is enabled from outside" \
    within 60 reads "  begin  *minor_local_roots"
  begins() { eventring events "$1" | awk '$1 > '"$2" | grep -c '  begin  *work '; }
  last=$(eventring events without.evr | awk 'END { print $1 - 0.8 }')
  ok "$mode: a category is disabled from outside" \
    [ "$(begins without.evr "$last")" = 0 ]
  eventring enable -q $pid user
  eventring record $pid -o all.evr --for 1s 2>"$tmp/err"
  ok "$mode: a recording of it is balanced" eventring check all.evr
  run eventring detach $pid
  ok "$mode: detach ends its tracing" eval 'exits 0 && [ ! -e $pid.eventring ]'
  run eventring attach --dir . $pid
  ok "$mode: attach starts its tracing" eval 'exits 0 && within 60 reads minor'
  kill -9 $pid
  wait $pid 2>/dev/null
  ok "$mode: a killed process is called killed" \
    [ "$(state $pid)" = killed ]
  ok "$mode: its last events are read" reads "  work"
}

modes=byte
compile_to arm64.byte ocamlc unix threads arm64.ml || give_up arm64.byte
if [ -x "$ocaml/bin/ocamlopt" ]; then
  compile_to arm64.opt ocamlopt unix threads arm64.ml || give_up arm64.opt
  modes="byte opt"
fi
for mode in $modes; do
  ends_by_itself
  controlled
done
finish
