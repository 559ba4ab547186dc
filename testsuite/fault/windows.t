#!/bin/sh
# Windows between two steps, in which another domain or thread acts: a session could
# end, start or fork in the middle of a first event, a start, a spawn or a
# registration, and events would vanish without being counted, or memory that is
# gone would be used.  A library delays the one that is in the window.
# Needs the machine alone: it delays threads that others run into.
. "$(dirname "$0")/../ocaml/programs.sh"
here=$EVENTRING_TOP/testsuite/fault
build windows windows_stubs.c unix
slow=windows.opt
. "$here/delay.sh"

# delayed HOW RULES: runs it; says how many delays were met, in $met
delayed() {
  fresh
  run env OCAML_EVENTRING_KEEP=1 DELAY="$2" DELAY_SAYS=1 \
    LD_PRELOAD="$tmp/delay.so" timeout 60 "$tmp/windows.opt" "$1"
  met=$(grep -c '^delayed' "$tmp/err")
  sed -i '/^delayed/d' "$tmp/err"
}
bursts() {
  for file in *.eventring; do eventring events "$file"; done |
    grep -c '  counter  *burst'
}
all_there() {
  exits 0 && no_line && [ "$met" -gt 0 ] && [ "$(bursts)" = 500 ] &&
    eventring check *.eventring
}

# In the middle of a first event, between the slot and the store of its owner.
for symbol in enter_block attach; do
  delayed restart "$(rule pthread_mutex_unlock $symbol 400 1)"
  [ "$met" -gt 0 ] && break
done
ok "a session that ends during a first event: the next one has all events" \
  all_there
delayed restart "$(rule madvise extend_ring 400)$(rule madvise enter_block \
  400)$(rule madvise caml_ring_allocate 100)"
ok "a session that ends while a ring is extended: likewise" all_there

for window in "mmap64 caml_ring_start_session" "ftruncate64 caml_ring_start_session" \
  "madvise caml_ring_allocate" "munmap caml_ring_release_mapping" \
  "pthread_mutex_unlock caml_ring_unmap_session" \
  "pthread_mutex_lock caml_ring_unmap_session" \
  "pthread_mutex_lock caml_eventring_start"; do
  # shellcheck disable=SC2086
  set -- $window
  rules=$(rule "$1" "$2" 30)
  # Inlined by the compiler: its caller has it.
  [ -n "$rules" ] || rules=$(rule "$1" caml_eventring_start 30)$(
    rule "$1" caml_ring_unmap_session 30)$(rule "$1" caml_eventring_end 30)
  delayed starts "$rules"
  ok "starts and stops delayed in $2, after $1: all events are there" all_there
  delayed spawn "$rules"
  ok "spawns meanwhile: all events are there" all_there
done

delayed register "$(rule realloc add_name 300)$(
  rule realloc reserve_name 300)$(rule realloc caml_eventring_register_once \
  300)"
ok "a fork while a C thread registers names: the child has them" \
  eval '[ "$met" -gt 0 ] && exits 0'

# A signal handler that forks, in a thread that has the session's lock
for window in "mmap64 caml_eventring_replace" "pthread_mutex_lock before_fork" \
  "pthread_mutex_timedlock caml_ring_mappings_before_fork"; do
  # shellcheck disable=SC2086
  set -- $window
  delayed forks "$(rule "$1" "$2" 0 1)"
  ok "a handler forks in $2, after $1: the program goes on, its child has all events" \
    eval '[ "$met" -gt 0 ] && exits 0 && no_line && [ "$(bursts)" = 500 ] &&
      [ "$(cat "$tmp/out")" = "child 0, in handlers $met" ]'
done
finish
