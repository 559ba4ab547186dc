#!/bin/sh
# Files that the page has the browser save, and the changes of saved recordings, in a
# real browser with the server of mock.js.
# Only in make check-long: minutes in a browser; walk.t has all views.
. "$(dirname "$0")/needs_browser.sh"
exec node "$here/downloads.js"
