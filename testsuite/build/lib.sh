# Shared by the tests of this folder; sourced. TAP on standard output.

set -u
top=$EVENTRING_TOP
work=$(mktemp -d)
failed=
clean_up() {
  [ -n "$failed" ] && [ -n "${EVENTRING_KEEP_FAILED-}" ] || rm -rf "$work"
}
trap clean_up EXIT
count=0

# check NAME COMMAND...: one test; the command's output explains a failure
check() {
  name=$1
  shift
  count=$((count + 1))
  if "$@" >"$work/check.out" 2>&1; then
    echo "ok $count - $name"
  else
    failed=1
    echo "not ok $count - $name"
    sed 's/^/# /' "$work/check.out"
    [ ! -f "$work/out" ] || sed 's/^/# output: /' "$work/out"
  fi
}

plan() { echo "1..$count"; }

# run COMMAND...: keep its output and exit code for the checks that follow
run() {
  "$@" >"$work/out" 2>&1 </dev/null
  rc=$?
}

succeeds() { [ "$rc" -eq 0 ]; }

# The command stopped with one line, which has each of the words.
stops_with() {
  [ "$rc" -ne 0 ] || { echo "exit code 0"; return 1; }
  [ "$(grep -c . "$work/out")" -eq 1 ] || { echo "not one line"; return 1; }
  says "$@"
}

says() {
  for word in "$@"; do
    grep -qF -e "$word" "$work/out" || { echo "does not say: $word"; return 1; }
  done
}

# stub NAME BODY: a program that comes first in PATH
stub() {
  mkdir -p "$work/bin"
  printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
  case :$PATH: in *:$work/bin:*) ;; *) PATH=$work/bin:$PATH ;; esac
}
