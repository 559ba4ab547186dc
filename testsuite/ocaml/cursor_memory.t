#!/bin/sh
# Cursors that are neither closed nor kept, of Eventring and of Runtime_events:
# the collector must know how much memory they take. Else it finds them when
# hundreds are open.
. "$(dirname "$0")/programs.sh"
build cursor_memory unix runtime_events

few_readers() {
  for module in eventring runtime_events; do
    fresh
    run "$tmp/cursor_memory.$mode" "$module"
    open=$(cat "$tmp/out")
    echo "# $mode, $module: $open"
    ok "$mode: of 150 cursors of $module, less than 64 are open" \
      eval 'exits 0 && [ "$open" -gt 0 ] && [ "$open" -lt 64 ]'
  done
}
both few_readers
finish
