#!/bin/sh
# A user who may write to the file of a running program could keep its
# snapshots busy: positions that say that a ring was overtaken made it copy each
# of the 128 rings a thousand times.
. "$(dirname "$0")/../ocaml/programs.sh"
here=$EVENTRING_TOP/testsuite/hostile
build snapshot unix
command -v valgrind >/dev/null || { echo "1..0 # SKIP no valgrind"; exit; }

# instructions [hostile]: how many the program executes, in $count
instructions() {
  fresh
  run timeout 120 valgrind --tool=callgrind \
    --callgrind-out-file=out.callgrind "$tmp/snapshot.opt" "$@"
  count=$(sed -n 's/^summary: //p' out.callgrind)
}
instructions
plain=$count
ok "a snapshot is written" eval 'exits 0 && out_has written'
instructions hostile
hostile=$count
ok "with positions that no writer has as well" eval 'exits 0 &&
  out_has written && eventring events snapshot.eventring'
echo "# $plain instructions, with such positions $hostile"
# A ring of the default size has 65,536 words.
ok "and it copies no ring more than 20 times" \
  [ $((${hostile:-1000000000} - plain)) -lt $((20 * 65536 * 10)) ]
finish
