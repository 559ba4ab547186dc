#!/bin/sh
# cppcheck finds something in our C code, other than cppcheck.suppressions.
# Needs the machine alone: it checks a file on each processor.
exec "$(dirname "$0")/each" cppcheck
