#!/bin/sh
# Every program of this folder and of examples/, with the default categories and
# with all: a span without its end, time that goes back, a duration that cannot
# be, a cause that is not known.
# Only in make check-long: it runs every program twice.
. "$(dirname "$0")/programs.sh"
tests_of=$here

# PROGRAM; libraries and files that it is built with; its arguments
table() {
  cat <<'END'
arm64; unix threads; 200
c_interface; c_reader.c runtime_events;
causes; unix dynlink runtime_calls.c; gc_compact
causes; unix dynlink runtime_calls.c; three
domains; unix threads runtime_events; once 8
domains; unix threads runtime_events; churn 20
domains; unix threads runtime_events; late
domains; unix threads runtime_events; threads
drop_in; unix threads runtime_events;
endless; unix; uncaught
endless; unix; _exit
endless; unix; domains
eventring_control; unix check.ml recorded.ml; started
eventring_cursor; unix check.ml recorded.ml; write
eventring_events; unix threads runtime_events check.ml recorded.ml;
eventring_fields; unix check.ml;
eventring_names; unix threads check.ml; forks
eventring_snapshot; unix check.ml recorded.ml;
eventring_stubs; check.ml recorded.ml stubs.c;
eventring_watch; unix check.ml recorded.ml;
forever; ;
fork; raw_fork.c unix runtime_events; grandchild
fork; raw_fork.c unix runtime_events; storm 5
identity; unix threads runtime_calls.c c_thread.c; threads
identity; unix threads runtime_calls.c c_thread.c; c
limits; unix runtime_events check.ml; early
loss; unix runtime_events check.ml; own
memory; unix dynlink; finalisers
other_version; runtime_events;
plain; ;
runtime_counters; runtime_events check.ml;
sizes; ;
switch; unix runtime_events check.ml; resume
two_domains; ;
user_events; unix runtime_events check.ml;
waits; unix threads runtime_calls.c; lock_wait
waits; unix threads runtime_calls.c; raises
attach; unix threads; threads 0.1
checksum; example_stubs.c;
contention; unix threads;
demo; unix;
pause_times; ;
pool; ;
request_callbacks; unix;
request_fibers; unix;
request_threads; unix threads;
requests; unix threads check.ml recorded.ml requests_stubs.c; pause
server; unix; 1
slow_request; unix;
totals; unix; pause
totals; unix; calls
END
}
# Not run: modules of other programs; programs that read a file of another test,
# that do nothing without a partner or do not end; operations that are only counted.
left_out='check recorded orphan  cursors cursor_memory chrome_trace  later metrics_socket  cost bare_fork
          watch_threads cursor_names stock_calls threshold profile profile_stress
          profile_requests profile_dynlink profile_plugins profile_harm profile_slow
          profile_alloc profile_alloc_plugin io wait_samples
          profile_truth profile_bias profile_perf profile_threads stacks
          points flush resize tombstone loop main_ends'

complete() {
  for file in "$tests_of"/*.ml "$EVENTRING_TOP"/examples/*.ml; do
    name_of=$(basename "$file" .ml)
    table | grep -q "^$name_of;" && continue
    case " "$(echo $left_out)" " in *" $name_of "*) continue ;; esac
    echo "$name_of is neither run nor left out"
    return 1
  done
}
run true
ok "no program is forgotten" complete

folder_of() {
  if [ -e "$tests_of/$1.ml" ]; then echo "$tests_of"
  else echo "$EVENTRING_TOP/examples"; fi
}

# Checks every ring file, at least one; the output of checks that succeed is
# not wanted.
sensible() {
  [ "$status" != 124 ] || { echo "it did not end"; return 1; }
  found=0
  for file in *.eventring; do
    [ -e "$file" ] || break
    found=1
    eventring check "$file" || return 1
  done
  [ $found = 1 ] || { echo "no ring file"; return 1; }
}

# One word: "forever" is killed in the end, which a trace must bear as well.
limit() { [ "$1" = forever ] && echo "-s KILL 0.5" || echo 60; }

traced_run() {
  fresh
  # shellcheck disable=SC2046
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    OCAML_EVENTRING_CATEGORIES="$categories" \
    timeout $(limit "$1") "$tmp/$1.$mode" $2
  ok "$mode: $1 ${2:+$2 }(${categories:-default}): its trace makes sense" sensible
}

table >"$tmp/table"
built=
while IFS=';' read -r program with_what arguments; do
  if [ "$program" = runtime_counters ] && ! since 5.3; then
    skip "$program: its trace makes sense" \
      "Runtime_events of this OCaml has no pacing counters"
    continue
  fi
  if [ "$built" != "$program" ]; then
    here=$(folder_of "$program")
    cd "$tmp" || exit 1
    # shellcheck disable=SC2086
    build "$program" $with_what
    built=$program
  fi
  arguments=${arguments# }
  for mode in opt byte; do
    for categories in '' all; do traced_run "$program" "$arguments"; done
  done
done <"$tmp/table"
finish
