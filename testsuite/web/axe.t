#!/bin/sh
# Each view of the page of eventring serve, light and dark, by the rules of axe-core: no
# serious violation; and what a click does something to is reached by the Tab key.
# Only in make check-long: 40 views, each with all rules.
. "$(dirname "$0")/needs_browser.sh"
exec node "$here/axe.js"
