#!/bin/sh
# Memory, descriptors or files that a program, or a reader of it, loses with
# each domain, fork or file add up: the shortest run of `load` that sees it.
# Only in make check-long: it is a load.
# Needs the machine alone: it loads the machine, and measures memory.
SOAK_SECONDS=20 exec "$(dirname "$0")/load"
