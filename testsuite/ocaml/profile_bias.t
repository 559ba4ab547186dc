#!/bin/sh
# Samples of programs that run for short times: parts that a profile prefers to
# others, by the processor time that the program itself has measured.
# Only in make check-long: it compares processor times.
# Needs the machine alone: its samples depend on the ticks of the clock.
. "$(dirname "$0")/programs.sh"
ocaml_flags=-g
compile_to bias.opt ocamlopt unix threads profile_bias_stubs.c profile_bias.ml ||
  give_up bias.opt

# sampled PROGRAM ARG...: every tick of the system is a sample
sampled() {
  fresh
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    OCAML_EVENTRING_PROFILE=20000 OCAMLRUNPARAM=e=20 "$tmp/bias.opt" "$@"
  cp "$tmp/out" out
  eventring profile --json ./*.eventring | jq -r '.functions[]
    | select(.function | test("^part_")) | "\(.function) \(.total_ns)"' >sampled
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
sampled bursts "$seconds"
ok "bursts at random times: no part is preferred" shares
for ms in 1 5; do
  sampled threads "$seconds" $ms
  ok "threads of $ms ms: they have as many samples as the main one" shares
done
finish
