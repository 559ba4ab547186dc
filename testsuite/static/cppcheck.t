#!/bin/sh
# cppcheck finds something in our C code, other than cppcheck.suppressions.
# cppcheck-macros.t looks at files with other macros defined, too.
# Needs the machine alone: it checks a file on each processor.
ONE_CONFIGURATION=yes exec "$(dirname "$0")/each" cppcheck
