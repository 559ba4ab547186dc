#!/bin/sh
# clang-tidy finds something in our C code; .clang-tidy says what it looks for.
exec "$(dirname "$0")/each" clang-tidy
