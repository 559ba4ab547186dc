# Read by the tests of this folder: the functions of testsuite/cli/tap.sh, and
# some for commands whose output and errors are one text.
#
#   run COMMAND...    leaves $status, and both in $tmp/out
#   stub NAME BODY    a program that comes first in PATH
#
# Conditions on the results of run: succeeds, stops_with WORD..., says WORD...

. "$(dirname "$0")/../cli/tap.sh"
set -u
top=$EVENTRING_TOP

run() {
  "$@" >"$tmp/out" 2>&1 </dev/null
  status=$?
}

succeeds() { exits 0; }

# The command stopped with one line, which has each of the words.
stops_with() {
  ! exits 0 || { echo "exit code 0"; return 1; }
  out_lines 1 || { echo "not one line"; return 1; }
  says "$@"
}

says() {
  for word in "$@"; do
    grep -qF -e "$word" "$tmp/out" || { echo "does not say: $word"; return 1; }
  done
}

stub() {
  mkdir -p "$tmp/bin"
  printf '#!/bin/sh\n%s\n' "$2" >"$tmp/bin/$1"
  chmod +x "$tmp/bin/$1"
  case :$PATH: in *:$tmp/bin:*) ;; *) PATH=$tmp/bin:$PATH ;; esac
}
