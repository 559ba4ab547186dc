#!/bin/sh
# page.t in a browser that is four times slower: races of the page, and of its tests,
# that twenty runs on a busy machine do not find.
# Only in make check-long: page.t is in the gate, and this takes five minutes.
BROWSER_SLOWNESS=4 exec "$(dirname "$0")/page.t"
