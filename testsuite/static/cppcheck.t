#!/bin/sh
# cppcheck finds something in our C code, other than cppcheck.suppressions.
# cppcheck-macros.t looks at tests with other macros defined.
# Needs the machine alone: it checks a file on each processor.
ONE_CONFIGURATION=yes exec "$(dirname "$0")/each" cppcheck
