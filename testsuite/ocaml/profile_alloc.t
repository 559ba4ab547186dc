#!/bin/sh
# Samples of allocation: words that are not counted, blocks that are taken for
# alive or dead and are not, a program that runs otherwise than without.
# Only in make check-long: it tests a statistic.
. "$(dirname "$0")/programs.sh"
ocaml_flags=-g
build profile_alloc unix threads dynlink
plugin=profile_alloc_plugin
compile_to $plugin.cmxs ocamlopt -shared $plugin.ml || give_up $plugin.cmxs
gcc -O2 -I "$EVENTRING_TOP/consumer/reader" -o toggle "$here/profile_toggle.c" \
  "$EVENTRING_BUILD/lib/libeventring.a" -lzstd -lxxhash -lpthread ||
  give_up toggle
debug=profile_alloc.debug
compile_to $debug ocamlopt -runtime-variant d unix threads dynlink \
  profile_alloc.ml || give_up $debug
mode=opt

# sampled RATE ARG...: runs the program, each word sampled with the probability
# RATE, and leaves its output in ./out, the sums of its samples in ./sums.
sampled() {
  rate=$1
  shift
  fresh
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 OCAMLRUNPARAM=e=20 \
    OCAML_EVENTRING_PROFILE_ALLOC="$rate" timeout $((300 + 2 * ${EVENTRING_PROFILE_SECONDS:-0})) \
    "$tmp/${program:-profile_alloc.opt}" "$@"
  cp "$tmp/out" out
  cp "$tmp/err" err
  ended && python3 "$here/profile_alloc.py" *.eventring >sums 2>sums.err
}
program=
ended() { [ "$status" = 0 ] && [ "$(tail -n 1 out)" = end ]; }
makes_sense() { cat sums sums.err && [ "$(tail -n 1 sums)" = 'complaints 0' ]; }

# sum NAME: the number of that name in ./sums; said NAME: in ./out
sum() { sed -n "s/^$1 //p" sums; }
said() { sed -n "s/^$1 //p" out; }

# Words that the runtime allocates before samples are taken, and in its end.
start=100000

# near NAME RATE: the estimate differs from the truth by less than 4.5 standard
# deviations, which happens by chance in one of 150,000 runs
near() {
  awk -v estimate="$(sum "$1")" -v truth="$(said "$1")" -v rate="$2" \
    -v start=$start 'BEGIN {
    sigma = sqrt(truth * (1 - rate) / rate)
    print estimate, truth, (estimate - truth) / sigma
    exit !(truth > 0 && estimate > truth - 4.5 * sigma - start &&
           estimate < truth + 4.5 * sigma) }'
}

sampled 1 exact
since 5.3 || {
  ok "this OCaml has no samples of allocation: a line says so" eval \
    'ended && grep "samples of allocation are supported in .* OCaml 5.3" err'
  finish
}
ok "with every word sampled, the samples make sense" makes_sense
ok "exactly the small blocks that are kept are alive" [ "$(sum live_of_38)" = 100 ]
ok "exactly the large blocks that are kept are alive" [ "$(sum live_of_1235)" = 100 ]
combined() {
  eventring events --json *.eventring | python3 -c '
import json, sys
places, before = {}, None
for line in sys.stdin:
    e = json.loads(line)
    if e["name"] != "alloc_sample" or e["fields"]["allocation"] < 1: continue
    f = e["fields"]
    places.setdefault(f["allocation"], []).append((f["size"], f["allocated"]))
print({p: (len(l), set(l)) for p, l in places.items()})
# A pair, a reference and a list, and the tuple of them, of 3, 2, 3 and 4 words.
found = {p: len([1 for x in l if x in ((3, 3), (2, 2), (4, 4))])
         for p, l in places.items()}
sys.exit(not all(found.get(p, 0) >= 500 for p in (1, 2, 3)))'
}
ok "each block of a combined allocation is a sample of its own" combined

for kind in moved adopted; do
  sampled 1 $kind
  ok "$kind: the samples make sense" makes_sense
  case $kind in
  moved) want='500 0' ;;
  adopted) want='100 0' ;;
  esac
  ok "$kind: exactly the blocks that are kept are alive" \
    [ "$(sum live_of_38) $(sum live_of_1235)" = "$want" ]
done

# A ring of 16384 words wraps.
fresh
run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 OCAMLRUNPARAM=e=14 \
  OCAML_EVENTRING_PROFILE_ALLOC=1 "$tmp/profile_alloc.opt" orphaned
stacks_of() {
  eventring profile --type="$1" --folded *.eventring 2>/dev/null |
    grep made_by_domain
}
ok "blocks of an ended domain are in its ring" stacks_of alloc
ok "and do not live on when the ring that had their end has wrapped" \
  eval '! stacks_of live'

for kind in heavy domains threads dynlink marshal bigarray; do
  sampled 1e-3 $kind "$tmp/$plugin.cmxs"
  ok "$kind: the samples make sense" makes_sense
  ok "$kind: the estimate of allocated words is right" near allocated 1e-3
  ok "$kind: the estimate of live words is right" near live 1e-3
done
# 4000 arrays of 512 words, of which 200 are kept
custom_near() {
  awk -v all="$(sum custom)" -v live="$(sum live_custom)" 'BEGIN {
    print all, live
    exit !(all > 2048000 * 0.9 && all < 2048000 * 1.1 &&
           live > 102400 * 0.55 && live < 102400 * 1.45) }'
}
ok "bigarray: memory outside the heap is counted" custom_near

sampled 1e-1 huge
ok "huge: the estimate of allocated words is right" near allocated 1e-1
ok "huge: the estimate of live words is right" near live 1e-1

# The sigma of the lower rate is an upper bound.
sampled 1e-7 rates
ok "rates: the samples make sense" makes_sense
ok "the estimate is right when the rate changes" near allocated 1e-7
starts() { eventring events --raw --name=alloc_start *.eventring | awk -F'\t' '{ print $9 }'; }
ok "and each change is an event" [ "$(starts | uniq | wc -l)" = 100 ]

# A leak of a hundredth of the allocation, after a minute or the short form
seconds=${EVENTRING_PROFILE_SECONDS:-6}
rate=1e-4
[ "$seconds" -lt 60 ] || seconds=60 rate=1e-5
sampled $rate leak "$seconds"
run eventring profile --type=live --since=$((seconds / 2))s *.eventring
first_line() {
  cat "$tmp/out"
  [ "$(awk '$1 ~ /^[0-9.+-]+$/ { print $(NF - 1); exit }' "$tmp/out")" = \
    Profile_alloc.leaky ]
}
ok "a leak of a hundredth is the first line of what grew" first_line

sampled 1e-3 fork
both_make_sense() {
  set -- *.eventring
  [ $# = 2 ] && python3 "$here/profile_alloc.py" "$@" >sums &&
    grep -c '^live [1-9]' sums | grep -qx 2
}
ok "a forked child follows its parent's blocks" both_make_sense

# The program's own Gc.Memprof samples as many words, within 60 standard
# deviations of the difference: which ones depends on the times of collections.
fresh
"$tmp/profile_alloc.opt" memprof >"$tmp/without"
sampled 1e-3 memprof
same_memprof() {
  cat "$tmp/without" out
  awk '$1 == "memprof" { for (i = 2; i <= 5; i++)
           if (NR == FNR) a[i] = $i; else b[i] = $i }
       END { for (i = 2; i <= 5; i++) {
               d = a[i] - b[i]
               if (!a[i] || d * d > 25 * (a[i] + b[i])) exit 1 } }' \
    "$tmp/without" out
}
ok "Gc.Memprof of the program sees the same" same_memprof
ok "and the samples beside it are right" makes_sense
sampled 1e-3 memprof_all
ok "also when it samples every word" near allocated 1e-3

program=$debug
sampled 1e-1 storm "${EVENTRING_PROFILE_SECONDS:-4}"
ok "the debug runtime finds each followed block in the heap" ended
program=

# toggled: switched on and off from outside all the time
toggled() {
  fresh
  OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 OCAMLRUNPARAM=e=12 \
    OCAML_EVENTRING_PROFILE_ALLOC=1e-2 "$tmp/$debug" storm "${EVENTRING_PROFILE_SECONDS:-4}" toggled >out 2>err &
  pid=$!
  until_file "$pid.eventring" && "$tmp/toggle" "$pid.eventring" 500 4097 1
  status=$?
  : >toggled
  wait "$pid" && [ "$status" = 0 ] && [ "$(tail -n 1 out)" = end ]
}
until_file() {
  n=0
  while [ ! -s "$1" ]; do
    n=$((n + 1))
    [ $n -lt 600 ] || return 1
    sleep 0.1
  done
}
ok "the category is switched 1000 times, and no block is lost or found" toggled

bytecode() {
  fresh
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_PROFILE_ALLOC=1e-3 \
    "$tmp/profile_alloc.byte" exact
  [ "$status" = 0 ] && one_line 'samples of allocation' 'native code'
}
ok "in bytecode one line says that it is not sampled" bytecode

refused() {
  fresh
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_PROFILE_ALLOC="$1" \
    "$tmp/profile_alloc.opt" exact
  [ "$status" = 0 ] && one_line OCAML_EVENTRING_PROFILE_ALLOC "$1" ignored
}
for rate in 2 -1 x 1e-3x nan; do
  ok "a rate of $rate is refused in one line" refused "$rate"
done
finish
