#!/bin/sh
# Numbers, CSV and flame graphs of the page: see logic.js.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
command -v node >/dev/null || { echo "1..0 # SKIP node is not installed"; exit 0; }
exec node "$here/logic.js"
