#!/bin/sh
# Needs no OCaml.
# Only in make check-long: it changes with the statistics only; short.t is in the gate.
#
# How often the comparison of runs and the search for changes are wrong, measured
# on real runs: runs.tsv, or with CALIBRATION_RUNS=N on N new ones.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
top=$here/../..
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
runs=$here/runs.tsv
if [ -n "${CALIBRATION_RUNS:-}" ]; then
  runs=$tmp/runs.tsv
  "$here/measure-runs" "$CALIBRATION_RUNS" "$runs" ||
    { echo "Bail out! measure-runs failed"; exit 1; }
fi
for name in calibrate calibrate_changes; do
  ${CC:-cc} -std=gnu11 -O2 -I"$top/analysis" -o "$tmp/$name" \
    "$here/$name.c" "$here/real_runs.c" "$top/analysis/statistics.c" \
    "$top/analysis/rank_test.c" "$top/analysis/ratio_interval.c" \
    "$top/analysis/change_points.c" "$top/analysis/memory.c" -lm ||
    { echo "Bail out! $name cannot be compiled"; exit 1; }
done

# The tests of both programs, numbered on.
{ "$tmp/calibrate" "$runs" "${CALIBRATION_BATCHES:-2000}"
  "$tmp/calibrate_changes" "$runs" "${CALIBRATION_SERIES:-1000}"; } |
  awk '/^Bail out/ { print; exit 1 }
       /^1\.\./ { next }
       /^(not )?ok / { count++; failed += /^not/; sub(/ok [0-9]+/, "ok " count) }
       { print }
       END { print "1.." count; exit failed > 0 || count < 15 }'
