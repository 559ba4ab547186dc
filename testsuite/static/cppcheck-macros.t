#!/bin/sh
# cppcheck finds something in our C code, with any macro defined or not.
# Only in make check-long: it takes twice as long as cppcheck.t.
# Needs the machine alone: it checks a file on each processor.
exec "$(dirname "$0")/each" cppcheck
