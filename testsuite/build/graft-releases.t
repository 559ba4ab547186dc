#!/bin/sh
# upstream/graft: the edits fit each release of OCaml in EVENTRING_TEST_SOURCES, or
# stop where a function has another name.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/graft.sh"

for sources in "${EVENTRING_TEST_SOURCES:-/nonexistent}"/ocaml/*.tar.xz; do
  if [ ! -e "$sources" ]; then
    skip "other versions" "no .tar.xz in EVENTRING_TEST_SOURCES/ocaml"
    continue
  fi
  tree=$tmp/$(basename "$sources" .tar.xz)
  mkdir "$tree"
  tar -xf "$sources" -C "$tree" --strip-components=1
  real "$tree" "$(basename "$tree")"
  all_renamed "$(basename "$tree")"
done

finish
