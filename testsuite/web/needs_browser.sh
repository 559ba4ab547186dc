# Skips a test if the machine has no browser, or no node to drive it with.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$here/chromium.sh"
for program in node npm "$CHROMIUM"; do
  command -v "$program" >/dev/null ||
    { echo "1..0 # SKIP $program is not installed"; exit 0; }
done
