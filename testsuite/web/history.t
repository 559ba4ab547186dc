#!/bin/sh
# The rows of a process that the page keeps: see history.js.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
command -v node >/dev/null || { echo "1..0 # SKIP node is not installed"; exit 0; }
exec node "$here/history.js"
