# Sets CHROMIUM, if it is not set, to the browser of the tests: the shell if it is
# installed, which draws the same pages with a quarter less of the processor, since it has
# no window.
: "${CHROMIUM:=$(command -v chromium-headless-shell || command -v chromium ||
  echo chromium-headless-shell)}"
export CHROMIUM
