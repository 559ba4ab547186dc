#!/bin/sh
# cppcheck finds something in our C code, other than cppcheck.suppressions.
# cppcheck-macros.t looks at files with other macros defined, too.
# Only in make check-long: clang-tidy looks at the same code in the gate.
# Needs the machine alone: it checks a file on each processor.
ONE_CONFIGURATION=yes exec "$(dirname "$0")/each" cppcheck
