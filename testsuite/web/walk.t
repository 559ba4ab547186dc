#!/bin/sh
# A walk through all views of the page of eventring serve in a real browser, with the
# server of mock.js: each is drawn, with no error on the console.  make check-page tests
# more of them.
# Waits most of the time: for numbers that arrive each second.
. "$(dirname "$0")/needs_browser.sh"
exec node "$here/run_pages.js" walk
