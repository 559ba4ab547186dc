#!/bin/sh
# Switching the recorder on and off with module Eventring: a failure without
# its reason, a second start that moves the file, categories that are recorded
# and should not be, a pause that does not.
. "$(dirname "$0")/programs.sh"
build eventring_control unix check.ml recorded.ml

disk=$tmp/disk
clean_up_disk() { umount "$disk" 2>/dev/null; clean_up; }
trap clean_up_disk EXIT

run_checks() {
  fresh
  checks "$tmp/eventring_control.$mode"
  ok "$mode: nothing on standard error" no_line
  fresh
  checks env OCAML_EVENTRING_START=1 "$tmp/eventring_control.$mode" started
  fresh
  checks env OCAML_EVENTRING_PREFIX=/none \
    "$tmp/eventring_control.$mode" refuses /none/none 'No such file'
  checks sh -c 'ulimit -f 100 && exec "$@"' - \
    "$tmp/eventring_control.$mode" refuses . 'too large'

  mkdir -p "$disk"
  if mount -t tmpfs -o size=4k eventring-test "$disk" 2>/dev/null; then
    checks "$tmp/eventring_control.$mode" refuses "$disk" 'No space left'
    umount "$disk"
  else
    skip "$mode: a full disk" "cannot mount a small disk"
  fi
  if can_be_nobody; then
    mkdir denied
    checks setpriv --reuid 65534 --regid 65534 --clear-groups \
      "$tmp/eventring_control.$mode" refuses "$PWD/denied" 'Permission denied'
  else
    chmod 500 .
    checks "$tmp/eventring_control.$mode" refuses . 'Permission denied'
    chmod 700 .
  fi

  # Kept, and in the directory that the environment names
  fresh
  mkdir there
  run env OCAML_EVENTRING_PREFIX=there OCAML_EVENTRING_KEEP=1 \
    "$tmp/eventring_control.$mode"
  ok "$mode: the last file is kept in the directory of the environment" \
    eval 'set -- there/*.eventring; [ -f "$1" ]'
}
both run_checks
finish
