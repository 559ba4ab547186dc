#!/bin/sh
# Files that the page has the browser save, and the changes of saved recordings, in a
# real browser with the server of mock.js.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
for program in node npm "${CHROMIUM:-/usr/bin/chromium}"; do
  command -v "$program" >/dev/null ||
    { echo "1..0 # SKIP $program is not installed"; exit 0; }
done
exec node "$here/downloads.js"
