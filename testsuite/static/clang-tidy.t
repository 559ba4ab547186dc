#!/bin/sh
# clang-tidy finds something in our C code; .clang-tidy has the list of checks.
# analyzer.t has the slow checks of clang's analyzer.
# Needs the machine alone: it checks a file on each processor.
CHECKS='-clang-analyzer-*' exec "$(dirname "$0")/each" clang-tidy
