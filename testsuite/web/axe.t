#!/bin/sh
# Each view of the page of eventring serve, light and dark, by the rules of axe-core: no
# serious violation.
# Only in make check-long: 40 views, each with all rules.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
for program in node npm "${CHROMIUM:-/usr/bin/chromium}"; do
  command -v "$program" >/dev/null ||
    { echo "1..0 # SKIP $program is not installed"; exit 0; }
done
exec node "$here/axe.js"
