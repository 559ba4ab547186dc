#!/bin/sh
# The page of eventring serve in a real browser, with a server that does on
# demand what the real one does seldom (mock.js): processes, the connection, charts,
# control.
# Only in make check-long: minutes in a browser; walk.t has all views.
# Waits most of the time: for numbers that arrive each second.
. "$(dirname "$0")/needs_browser.sh"
exec node "$here/run_pages.js" page
