#!/bin/sh
# eventring pauses: the table of files whose pauses are known.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

make_ring pauses
run eventring pauses pauses.eventring
ok "the table" prints pauses.expected
ok "exits with 0" exits 0
ok "nothing to remark" [ ! -s err ]
run eventring pauses --now pauses.eventring
ok "--now prints the same of an ended process" prints pauses.expected

make_ring lost
run eventring pauses lost.eventring
ok "says what was lost" \
  out_has '^504 events were overwritten before they could be read$'
ok "says that the process was killed" out_has '(killed)'
finish
