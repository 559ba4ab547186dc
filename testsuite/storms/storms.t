#!/bin/sh
# Many domains, many readers, control from outside: something that is taken
# over from the one before could be torn, lost without being counted, or hang.
# Only in make check-long: it is a load.
# Needs the machine alone: it loads the machine.
. "$(dirname "$0")/storms.sh"
build_storm
mode=opt domains_in_turn 500
mode=byte domains_in_turn 100
mode=opt controlled 500 1
mode=byte controlled 200 2
mode=opt switched 300
mode=byte switched 50
mode=opt many_readers 32
finish
