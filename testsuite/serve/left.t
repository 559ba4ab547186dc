#!/bin/sh
# If this breaks, hidden files of servers that were killed fill the store, or the
# start of a server removes a file that another program still writes.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
gone=4194305                    # no process has a number so large
make_ring summary

# left NAME [TIME]: a file in the store, changed two hours ago or at TIME
left() {
  mkdir -p "$EVENTRING_STORE"
  : >"$EVENTRING_STORE/$1"
  touch -d "${2:-2 hours ago}" "$EVENTRING_STORE/$1"
}
is_there() { [ -e "$EVENTRING_STORE/$1" ]; }
is_gone() { ! is_there "$1"; }

left .saving-$gone-0.evr
left .saving-$gone-1.evr 'tomorrow'
left .saving-$$-0.evr
left .saving-x-0.evr
left .other
left saved.evr
exec 8>>"$EVENTRING_STORE/.saving-$gone-2.evr"
left .saving-$gone-2.evr
ln -s saved.evr "$EVENTRING_STORE/.saving-$gone-3.evr"
serve --read-only summary.eventring
ok "a server that only reads removes nothing" is_there .saving-$gone-0.evr
end_server
serve summary.eventring
ok "the hidden file of a program that is gone is removed at the start" \
  is_gone .saving-$gone-0.evr
ok "one that has just been written is kept" is_there .saving-$gone-1.evr
ok "the file of a program that runs is kept" is_there .saving-$$-0.evr
ok "a file that a program of another container writes is kept" \
  is_there .saving-$gone-2.evr
ok "a link is kept" is_there .saving-$gone-3.evr
for name in .saving-x-0.evr .other saved.evr; do
  ok "$name is kept" is_there $name
done
end_server

# In a container each server has the same number.
cat >numbered <<'S'
#!/bin/sh
: >"$EVENTRING_STORE/.saving-$$-0.evr"
: >"$EVENTRING_STORE/.saving-$$-1.evr"
touch -d '2 hours ago' "$EVENTRING_STORE/.saving-$$-0.evr"
touch -d 'tomorrow' "$EVENTRING_STORE/.saving-$$-1.evr"
exec "$REAL" "$@"
S
chmod +x numbered
REAL=$EVENTRING_BIN EVENTRING_BIN=$tmp/numbered
export REAL
serve summary.eventring
ok "a file of an earlier server with the same number is removed" \
  is_gone .saving-$server-0.evr
find_process 4242424
post "/api/processes/$id/save" '{"seconds":3600}' >body
ok "one that may still be in use is not in the way" \
  eval '[ -f "$(jq -r .file body)" ] && is_there .saving-$server-1.evr'
end_server
finish
