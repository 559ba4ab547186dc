#!/bin/sh
# clang-tidy finds something in our C code; .clang-tidy has the list of checks.
# Needs the machine alone: it checks a file on each processor.
exec "$(dirname "$0")/each" clang-tidy
