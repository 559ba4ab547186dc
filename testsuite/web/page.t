#!/bin/sh
# The page of eventring serve in a real browser, with a server that does on
# demand what the real one does seldom: see mock.js.
# Waits most of the time: for numbers that arrive each second.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
for program in node npm "${CHROMIUM:-/usr/bin/chromium}"; do
  command -v "$program" >/dev/null ||
    { echo "1..0 # SKIP $program is not installed"; exit 0; }
done
exec node "$here/page.js"
