#!/bin/sh
# Answers of profiles: a share that is not that of the program, a function that a
# biased sampler would not see, a slow request whose time is not told apart, a
# profile that differs after the death of the process.
# Only in make check-long: it measures shares.
# Needs the machine alone: it compares processor times.
. "$(dirname "$0")/programs.sh"
ocaml_flags=-g
build profile unix threads profile_stubs.c
build profile_requests unix threads profile_stubs.c
build profile_slow unix threads profile_stubs.c

# sampled PROGRAM ARG...: runs it in a fresh folder with 250 samples a second
sampled() {
  fresh
  program=$1
  shift
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    OCAML_EVENTRING_PROFILE=250 "$tmp/$program.opt" "$@"
  cp "$tmp/out" out
}

# share FUNCTION OPTION...: its part of the samples, in 1/10,000
share() {
  function=$1
  shift
  eventring profile --folded "$@" ./*.eventring | awk -v f="$function" '
    { all += $NF; if (index(";" $0, ";" f ";") || index(";" $0, ";" f " "))
        some += $NF }
    END { printf "%d\n", (all > 0 ? 10000 * some / all : -1) }'
}

# fits SHARE NAME SAMPLES: the share, in 1/10,000, is that which the program has
# measured for NAME, within three standard deviations and a point
fits() {
  perl -e '
    my ($share, $name, $n) = @ARGV;
    open O, "out";
    my (%ns, $all);
    while (<O>) { if (/^(blit|arithmetic|alloc) (\d+)$/) {
      $ns{$1} = $2; $all += $2 } }
    my $p = $ns{$name} / $all;
    my $most = 3 * sqrt($p * (1 - $p) / $n) + 0.01;
    printf "%s: %.1f %%, sampled %.1f %%, at most %.1f %% apart\n", $name,
      100 * $p, $share / 100, 100 * $most;
    exit !(abs($share / 10000 - $p) <= $most)' "$@"
}

sampled profile shares 4000
n=$(eventring events --name=cpu_sample ./*.eventring | wc -l)
ok "C code without allocation has its share of the time" \
  fits "$(share Stdlib.Bytes.blit)" blit "$n"
ok "OCaml code without allocation has its share of the time" \
  fits "$(share Profile.arithmetic)" arithmetic "$n"
ok "code that allocates has its share, collections included" \
  fits "$(share Stdlib.List.init)" alloc "$n"
ok "the first row of the table is the function with the most time" \
  grep -q 'Profile.arithmetic' <<END
$(eventring profile ./*.eventring | sed -n 3p)
END

run "$tmp/profile.opt" polled 3000
cp "$tmp/out" out
polled=$(awk '$1 == "polled" && $2 == "blit" { print $3 }' out)
all=$(awk '$1 == "polled" && $2 == "all" { print $3 }' out)
biased() { ! fits $((10000 * polled / (all + 1))) blit "$all"; }
ok "a sampler that stops at poll points fails this test" biased

for way in fibers threads; do
  sampled profile_requests $way
  ok "$way: the program ends" grep -qx end out
  all=$(share Profile_requests.x)
  # Requests that do x take 15 times as long; how long depends on other load.
  usual=$(eventring stat --json ./*.eventring |
    jq '.requests[] | select(.name == "get").p50_ns')
  slow=$(share Profile_requests.x --request=get --slower=$((usual * 4))ns)
  ok "$way: x has less than 20 % of all samples ($all)" [ "$all" -lt 2000 ]
  ok "$way: x has 95 % of the samples of slow requests ($slow)" \
    [ "$slow" -ge 9500 ]
done

# Snapshots that the program takes of slow spans and requests.
slow_share() {
  eventring profile --folded "$@" | awk '
    { all += $NF; if (/;Profile_slow.x;/) some += $NF }
    END { printf "%d\n", (all > 0 ? 10000 * some / all : -1) }'
}
sampled profile_slow
ok "slow: one snapshot of each is taken" eval \
  '[ "$(cat out)" = "$(printf "%s\n" "span.eventring answer" \
       "request.eventring get")" ]'
while read -r what name; do
  all=$(slow_share $what.eventring)
  slow=$(slow_share --$what=$name --slower=250ms $what.eventring)
  ok "slow $what: the snapshot has samples of fast ones too ($all)" \
    [ "$all" -gt 0 -a "$all" -lt 8000 ]
  ok "slow $what: x has 95 % of the samples of slow ones ($slow)" \
    [ "$slow" -ge 9500 ]
done <<END
span answer
request get
END

# The same table after kill -9, also of a stripped program
fresh
cp "$tmp/profile.opt" program
OCAML_EVENTRING_START=1 OCAML_EVENTRING_PROFILE=250 ./program busy 60000 &
pid=$!
ring=$pid.eventring
sampled_enough() {
  [ "$(eventring events --name=cpu_sample "$ring" 2>/dev/null | wc -l)" -ge 50 ]
}
within 60 sampled_enough
kill -STOP "$pid"
# Times of a process that lives are measured anew by each reader.
table() { eventring profile "$ring" | tail -n +2; }
table >alive
kill -9 "$pid"
wait "$pid" 2>/dev/null
table >dead
ok "the table is the same after kill -9" cmp alive dead
ok "and names the function" grep -q Profile.arithmetic dead
objcopy --only-keep-debug program program.debug
strip program
objcopy --add-gnu-debuglink=program.debug program
table >stripped
ok "and the same for a stripped program with its debug file" \
  cmp alive stripped
finish
