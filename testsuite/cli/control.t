#!/bin/sh
# eventring pause, resume, enable, disable, categories: for one process, for all
# processes, and by a user without permission.  This test reads the settings
# from the ring file; live.t tests that the program follows them.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile work

# Two processes.
start work 120 1
second=$pid
start work 120 1
first=$pid
dir=$tmp/rings
# Prints the categories that are on, separated by spaces.
on() {
  eventring categories "$1" | awk '$2 == "on" { printf "%s%s", s, $1; s = " " }'
}
is_on() { now=$(on "$1"); [ "$now" = "$2" ] || { echo "on: $now"; false; }; }
is() {
  eventring categories "$1" | head -1 | grep -qx "$1 $tmp/work: $2"
}
default="gc domain sync user wait thread runtime"
# All categories of events; samples are not among them.
every="gc gc_detail domain sync user alloc sync_detail wait thread runtime"

# Lists
run eventring categories "$first"
ok "categories lists the default categories as recorded" \
  is_on "$first" "$default"
sed "s/^$first .*work:/PID PROGRAM:/" out >said
ok "categories prints the table of all categories" \
  diff "$here/control.categories.expected" said
run eventring categories "$ring"
ok "categories accepts the path of a ring file" out_has ': recording$'
run eventring categories --names "$first"
ok "categories --names prints the names of all categories" \
  [ "$(tr '\n' ' ' <out)" = \
    "$every profile points profile_alloc profile_wait io " ]
run eventring categories --all --dir "$dir"
ok "categories --all prints each process" \
  [ "$(grep -c ': recording$' out)" = 2 ]
run eventring categories --json "$first"
ok "categories --json: a category that is off is not 'recorded'" \
  [ "$(grep -A 1 '"name": "gc_detail"' out | tail -1)" = \
    '          "recorded": false,' ]

# One process
run eventring enable "$first" gc_detail
ok "enable prints the categories that are recorded now" out_has \
  "^$first .*/work: recording gc, gc_detail, domain, sync, user, wait, thread, runtime\$"
ok "enable changes the categories of the process" \
  is_on "$first" "gc gc_detail domain sync user wait thread runtime"
ok "enable leaves the other process unchanged" is_on "$second" "$default"
run eventring enable "$first" gc_detail
ok "enabling a category twice is no error" exits 0
ok "enabling a category twice: the line says 'already'" \
  out_has ': was already recording gc, gc_detail, '
run eventring disable "$first" gc,gc_detail wait
ok "disable accepts categories separated by commas and spaces" \
  is_on "$first" "domain sync user thread runtime"
run eventring disable "$first" wait
ok "disabling a category twice: the line says 'already'" \
  out_has ': was already recording domain, '
run eventring enable --quiet "$ring" all
ok "enable --quiet FILE all enables every category but samples and prints nothing" \
  eval "silent && is_on $first '$every'"
run eventring disable --dir "$dir" "$first" all
ok "disabling all categories is refused; the message names pause" \
  refused 2 "to record nothing: eventring pause .*$first.eventring"
ok "refused disabling of all categories changes nothing" is_on "$first" "$every"
run eventring enable "$first" gc gcc
ok "enable with an unknown category lists the known categories" refused 2 \
  "no category 'gcc'; there are gc, gc_detail, .*, runtime"
run eventring disable "$first" gc,
ok "disable with an empty category is refused" refused 2 "no category ''"
run eventring disable "$first" gc gcc
ok "disable with an unknown category changes nothing" is_on "$first" "$every"

# Paused
eventring pause -q "$first"
ok "paused: the list says so" is "$first" paused
run eventring disable "$first" gc_detail,sync_detail,alloc
ok "disable while paused: what will be recorded" out_has \
  ': paused; will record gc, domain, sync, user, wait, thread, runtime$'
ok "disable during a pause leaves the process paused" is "$first" paused
run eventring enable "$first" user
ok "enable of what is enabled during a pause says so" out_has \
  ': paused; will record gc, domain, sync, user, wait, thread, runtime, unchanged$'
run eventring stat "$first"
ok "stat says that a process is paused" out_has '(running, paused): '
run eventring latency "$first"
ok "latency says that a process is paused" out_has '(running, paused): '
run eventring resume "$first"
ok "resume records the categories set during the pause" \
  is_on "$first" "$default"
ok "resume ends the pause" is "$first" recording

# JSON
run eventring pause --json "$first"
ok "pause --json prints the process id" out_has "\"pid\": $first,\$"
ok "pause --json prints that the process is paused" out_has '"paused": true,$'
run eventring enable --json "$first" nothing
ok "--json: an unknown category is reported on standard error" \
  err_has "no category 'nothing'"

# All
run eventring resume --all --dir "$dir"
ok "resume --all: exits with 0" exits 0
ok "resume --all prints a line for each process" out_lines 2
ok "resume --all: a process that was not paused was 'already' recording" \
  out_has "^$second .* was already rec"
ok "resume --all: a paused process is recording now" \
  out_has "^$first .*/work: recording gc"
run eventring disable -a -d "$dir" wait,thread runtime
ok "disable --all changes both processes" \
  eval "is_on $first 'gc domain sync user' &&
  is_on $second 'gc domain sync user'"
run eventring enable --all --dir "$dir" nothing
ok "enable --all with an unknown category reports it for each process" \
  [ "$(grep -c "no category 'nothing'" err)" = 2 ]
ok "enable --all with an unknown category exits with 3" exits 3
make_ring plain
mv plain.eventring 4242424.eventring
run eventring pause --all --dir "$tmp"
ok "--all ignores the file of a dead process and finds none to pause" \
  refused 3 "no traced process in $tmp to pause"
run eventring pause --all --dir "$tmp/nowhere"
ok "--all with a missing directory is refused" refused 3 nowhere
run eventring disable ./4242424.eventring gc
ok "disable is refused for an ended process" refused 3 'has ended'

# Another user may change one of two processes.
if can_be_nobody; then
  mkdir shared && chmod 777 shared
  setpriv --reuid 65534 --regid 65534 --clear-groups env \
    OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX="$tmp/shared" \
    "$tmp/work" 120 1 >/dev/null &
  theirs=$!
  started="$started $theirs"
  OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/shared \
    "$tmp/work" 120 1 >/dev/null &
  ours=$!
  started="$started $ours"
  both() { eventring ps --dir shared --pids | awk 'END { exit NR != 2 }'; }
  within 60 both
  run as_nobody pause --all --dir "$tmp/shared"
  ok "pause --all by another user pauses that user's process" \
    is "$theirs" paused
  ok "pause --all by another user leaves root's process unchanged" \
    is "$ours" recording
  ok "pause --all by another user exits with 3" exits 3
  ok "pause --all by another user names the owner and a remedy" err_has \
    "$ours.* belongs to user 0 (root).* as that user or as root"
  ok "pause --all by another user prints one line on standard error" \
    [ "$(wc -l <err)" = 1 ]
  for command in "pause" "resume" "enable" "disable"; do
    case $command in *able) categories=wait ;; *) categories= ;; esac
    run as_nobody $command "$ours" $categories
    ok "$command PID by another user is refused" \
      refused 3 "belongs to user 0 (root)"
    run as_nobody $command "$tmp/shared/$ours.eventring" $categories
    ok "$command FILE by another user is refused" refused 3 \
      "belongs to user 0 (root)"
  done
  run as_nobody categories "$ours"
  ok "categories PID by another user is refused" \
    refused 3 "belongs to user 0 (root)"
  ok "refused commands of another user change nothing" \
    eval "is $ours recording && is_on $ours '$default'"
else
  skip "control by somebody else" "needs root and setpriv"
fi

# The command line
for command in enable disable; do
  run eventring $command
  ok "$command without target and categories is refused" \
    refused 2 "$command: missing process or file"
  run eventring $command "$first"
  ok "$command without categories is refused" \
    refused 2 "$command: missing categories"
  run eventring $command --all
  ok "$command --all without categories is refused" \
    refused 2 "$command: missing categories"
done
for command in pause resume categories; do
  run eventring $command --all "$first"
  ok "$command with --all and a process is refused" refused 2 "unexpected argument .$first"
done
finish
