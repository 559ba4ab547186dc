#!/bin/sh
# Samples of programs that run for short times: parts that a profile prefers to
# others, by the processor time that the program itself has measured.
# Only in make check-long: it compares processor times.
# Needs the machine alone: its samples depend on the ticks of the clock.
. "$(dirname "$0")/programs.sh"
ocaml_flags=-g
compile_to bias.opt ocamlopt unix threads profile_bias_stubs.c profile_bias.ml ||
  give_up bias.opt

# sampled PROGRAM ARG...: $rate samples a second, by perf_event_open if $perf is 1,
# with alarms if $alarms is 1
sampled() {
  fresh
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    OCAML_EVENTRING_PROFILE=$rate OCAML_EVENTRING_PROFILE_PERF=$perf \
    OCAML_EVENTRING_PROFILE_ALARMS=$alarms \
    OCAMLRUNPARAM=e=20 "$tmp/bias.opt" "$@"
  sed -n 's/^process //p' "$tmp/out" >process
  grep '^part_' "$tmp/out" >out
  eventring profile --json ./*.eventring >profile.json
  jq -r '.functions[] | select(.function | test("^part_|^.signals blocked"))
    | "\(.function) \(.total_ns)"' profile.json |
    sed 's/^.signals blocked./part_b/' >sampled
}
# The time of the process is known but for 1 %; samples and causes have it but for
# 3 %.
complete() {
  jq -r '"\(.process_cpu_ns) \(.cpu_ns) \(.unsampled_ns)"' profile.json |
    awk -v real="$(cat process)" '{
      printf "%.2f s, by times %.2f s; in the profile %.2f s, %.2f s without samples\n",
        $1 / 1e9, real / 1e9, $2 / 1e9, $3 / 1e9
      exit $1 < .99 * real || $1 > 1.01 * real || $2 < .97 * $1 || $2 > 1.03 * $1
    }'
}
# Each part has its share of the samples, but for 3 points.
shares() {
  awk 'NR == FNR { real[$1] = $2; all += $2; next }
    { sampled[$1] = $2; sum += $2 }
    END {
      for (part in real) {
        is = 100 * sampled[part] / sum
        ought = 100 * real[part] / all
        printf "%s: %.1f %%, by its clock %.1f %%\n", part, is, ought
        if (is - ought > 3 || ought - is > 3) bad = 1
      }
      exit bad || sum == 0
    }' out sampled
}
seconds=${EVENTRING_BIAS_SECONDS:-20}
# bias PERF ALARMS RATE WAY
bias() {
  perf=$1 alarms=$2 rate=$3
  shift
  sampled bursts "$seconds"
  ok "$3: bursts at random times: no part is preferred" shares
  ok "$3: bursts at random times: it has the time of the process" complete
  for ms in 1 5; do
    sampled threads "$seconds" $ms
    ok "$3: threads of $ms ms: they have as many samples as the main one" shares
    ok "$3: threads of $ms ms: it has the time of the process" complete
  done
  sampled domains "$seconds"
  ok "$3: domains that wait for each other have as many samples" shares
  ok "$3: domains that wait: it has the time of the process" complete
  sampled masked "$seconds"
  ok "$3: a thread that blocks signals has its time" shares
  ok "$3: a thread that blocks signals: it has the time of the process" complete
  for way in yields sleeps; do
    sampled $way "$seconds"
    ok "$3: a program that $way: no part is preferred" shares
    ok "$3: a program that $way: it has the time of the process" complete
  done
  # Its calls, which an alarm would interrupt, are made with the domain lock.
  if [ "$alarms" = 0 ]; then
    sampled calls "$seconds"
    ok "$3: system calls for short and long times have their shares" shares
    ok "$3: system calls: it has the time of the process" complete
  fi
  # Of work in step with the ticks, ticks tell neither the shares nor the time.
  [ "$perf$alarms" != 00 ] || return 0
  sampled periodic "$seconds"
  ok "$3: bursts at fixed times: no part is preferred" shares
  ok "$3: bursts at fixed times: it has the time of the process" complete
}
by_ticks() { jq -e ".tick_ns $1 .covered_cpu_ns / 2" profile.json >/dev/null; }
bias 0 0 20000 ticks
ok "ticks: the profile says so" by_ticks '>'
bias 0 0 250 "ticks, some"
bias 0 1 1000 alarms
ok "alarms: the profile does not name ticks" by_ticks '<'
if perf_is_allowed; then
  bias 1 0 1000 events
  ok "events: the profile does not name ticks" by_ticks '<'
else
  skip "events" "perf_event_open is not allowed"
fi
finish
