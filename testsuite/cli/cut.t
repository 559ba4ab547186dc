#!/bin/sh
# If this breaks, a file that becomes shorter while it is read ends the command
# by a signal, without a message.
. "$(dirname "$0")/tap.sh"

compile work
start work 60 1

# Runs the command on a copy of the ring file and cuts the copy while the
# command waits for new events, which never come.
cut() {
  cp "$ring" "$tmp/copy.eventring"
  : >"$tmp/out"         # the shell truncates it later
  eventring "$@" "$tmp/copy.eventring" >"$tmp/out" 2>"$tmp/err" &
  reader=$!
  started="$started $reader"
  within 60 test -s "$tmp/out" || echo "# it printed nothing"
  : >"$tmp/copy.eventring"
  wait $reader 2>/dev/null
  status=$?
}

cut events --follow
ok "a file that is cut while it is read: the exit code is 3" exits 3
ok "a file that is cut while it is read: one line reports it" \
  test "$(wc -l <"$tmp/err")" -eq 1
ok "a file that is cut while it is read: the line names the file" \
  err_has "^eventring: $tmp/copy.eventring: cut shorter while it was read$"

# A SIGBUS that was sent with kill gives no message about a file.
: >"$tmp/out"
eventring events --follow "$ring" >"$tmp/out" 2>"$tmp/err" &
reader=$!
started="$started $reader"
within 60 test -s "$tmp/out"
kill -BUS $reader
wait $reader 2>/dev/null
status=$?
ok "a SIGBUS sent by another process ends the command by that signal" \
  test $status -gt 128

finish
