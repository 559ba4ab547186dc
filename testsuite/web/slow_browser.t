#!/bin/sh
# The tests of page*.t in a browser that is four times slower: races of the page, and of
# its tests, that twenty runs on a busy machine do not find.
# Only in make check-long: it takes five minutes.
. "$(dirname "$0")/needs_browser.sh"
BROWSER_SLOWNESS=4 exec node "$here/run_pages.js" page page_timeline page_tables page_flame
