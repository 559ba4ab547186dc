#!/bin/sh
# clang-tidy finds something in our C code; .clang-tidy has the list of checks.
# analyzer.t has the slow checks of clang's analyzer, and the files that the last 50
# commits have left alone.
# Needs the machine alone: it checks a file on each processor.
SINCE=HEAD~50 CHECKS='-clang-analyzer-*' exec "$(dirname "$0")/each" clang-tidy
