#!/bin/sh
# cppcheck finds something in our C code, other than cppcheck.suppressions.
exec "$(dirname "$0")/each" cppcheck
