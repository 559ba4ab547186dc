#!/bin/sh
# Needs no OCaml.
# The short form of calibration.t: how often the comparison of runs and the search
# for changes are wrong, on the same real runs and with the same seeds, but fewer
# batches and series.  It makes the same numbers each time.
unset CALIBRATION_RUNS
CALIBRATION_BATCHES=1000 CALIBRATION_SERIES=100 \
  exec "$(dirname "$0")/calibration.t"
