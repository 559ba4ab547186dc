#!/bin/sh
# clang-tidy finds something in our C code, by clang's analyzer too.
# Only in make check-long: it takes minutes.
# Needs the machine alone: it checks a file on each processor.
exec "$(dirname "$0")/each" clang-tidy
