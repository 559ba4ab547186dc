#!/bin/sh
# Building and testing write under _build only: the work tree is as it was
# when make check began, which leaves its state. Runs last.
# Needs the machine alone: it compares the work tree.
. "$(dirname "$0")/lib.sh"

cd "$top" || exit 1
if git status --porcelain >"$tmp/after" 2>/dev/null; then
  ok "no file of the work tree was made or changed" \
    diff "$EVENTRING_BUILD/test/tree-before" "$tmp/after"
  finish
else
  echo "1..0 # SKIP not a git checkout"
fi
