#!/bin/sh
# Eventring.snapshot: half a file under the target's name, a target destroyed
# by a snapshot that failed, events torn by domains that write meanwhile.
. "$(dirname "$0")/programs.sh"
build eventring_snapshot unix check.ml recorded.ml

disk=$tmp/disk
clean_up_disk() { umount "$disk" 2>/dev/null; clean_up; }
trap clean_up_disk EXIT

run_checks() {
  program=$tmp/eventring_snapshot.$mode
  fresh
  checks "$program"
  ok "$mode: nothing on standard error" no_line
  run eventring events snap
  ok "$mode: the command reads it" eval \
    'exits 0 && out_has "  counter   counter  4$" && out_has "\"hello\"$"'
  fresh
  checks env OCAMLRUNPARAM=e=9 "$program" storm

  mkdir -p "$disk"
  if mount -t tmpfs -o size=64k eventring-test "$disk" 2>/dev/null; then
    echo 'what was there' >"$disk/snap"
    head -c 100000 /dev/zero >"$disk/filler" 2>/dev/null
    checks "$program" full "$disk"
    umount "$disk"
  else
    skip "$mode: a full disk" "cannot mount a small disk"
  fi
}
both run_checks
finish
