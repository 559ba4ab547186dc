#!/bin/sh
# Tables, ranges of time, requests, events and batches of the page: see page.t.
# Only in make check-long: minutes in a browser; walk.t has all views.
# Waits most of the time: for numbers that arrive each second.
. "$(dirname "$0")/needs_browser.sh"
exec node "$here/run_pages.js" page_tables page_runs
