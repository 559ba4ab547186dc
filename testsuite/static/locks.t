#!/bin/sh
# If this breaks, a variable that a lock guards is used without the lock, or a lock
# is not released (clang's -Wthread-safety, see analysis/locks.h).
# Needs no OCaml.
: "${EVENTRING_TOP:=$(cd "$(dirname "$0")/../.." && pwd)}"
cd "$EVENTRING_TOP" || exit 1
command -v clang >/dev/null || { echo "1..0 # SKIP no clang"; exit 0; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# look FILE...: they are compiled without a finding
look() {
  clang -fsyntax-only -std=gnu11 -D_FILE_OFFSET_BITS=64 -DCHECK_LOCKS \
    -Wthread-safety -Werror=thread-safety -Iconsumer/reader -Iconsumer/library \
    -Iruntime -Ianalysis -Ifleet -Irender -Isources -Iserve -Itools "$@" >"$tmp/out" 2>&1
}
tests=0
ok() {
  tests=$((tests + 1))
  name=$1
  shift
  if "$@"; then echo "ok $tests - $name"; else
    echo "not ok $tests - $name"
    sed 's/^/# /' "$tmp/out"
  fi
}

# shellcheck disable=SC2046 # names of ours, without blanks
ok "locks are held where they must be" \
  look $(grep -l 'pthread_mutex_lock(' analysis/*.c fleet/*.c render/*.c serve/*.c sources/*.c tools/*.c)
# The files that cannot be checked
unchecked() {
  grep -l 'pthread_mutex_lock(' analysis/*.c fleet/*.c render/*.c serve/*.c sources/*.c tools/*.c |
    xargs grep -L '"locks\.h"\|"spool_internal\.h"'
}
ok "each file with a lock includes locks.h" [ -z "$(unchecked)" ]
without() {
  sed "/$1/d" serve/actions.c >"$tmp/actions.c"
  ! look "$tmp/actions.c" && grep -q "$2" "$tmp/out"
}
# unlocked FILE FUNCTION: its lock is neither taken nor released, which is found
unlocked() {
  awk -v "of=$2" 'index($0, of "(") && !/;$/ { inside = 1 } /^}/ { inside = 0 }
    !inside || !/pthread_mutex_/' "$1" >"$tmp/unlocked.c"
  ! cmp -s "$1" "$tmp/unlocked.c" && ! look "$tmp/unlocked.c" &&
    grep -q 'requires holding mutex' "$tmp/out"
}
ok "planted and found: the lock is not taken" \
  without 'pthread_mutex_lock' 'requires holding mutex'
ok "planted and found: the lock is not released" \
  without 'pthread_mutex_unlock' 'is still held'
for function in serve/rules.c:rule_may_fire serve/registry.c:show_file \
    serve/registry.c:scan_registry; do
  ok "planted and found: ${function#*:} without its lock" \
    unlocked "${function%:*}" "${function#*:}"
done
echo "1..$tests"
