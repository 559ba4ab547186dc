#!/bin/sh
# clang-tidy finds something in our C code; .clang-tidy has the list of checks.
exec "$(dirname "$0")/each" clang-tidy
