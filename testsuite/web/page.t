#!/bin/sh
# The page of eventring serve in a real browser, with a server that does on
# demand what the real one does seldom (mock.js): processes, the connection, charts,
# control.
# Waits most of the time: for numbers that arrive each second.
. "$(dirname "$0")/needs_browser.sh"
exec node "$here/run_pages.js" page
