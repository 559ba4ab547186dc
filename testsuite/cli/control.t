#!/bin/sh
# eventring pause, resume, enable, disable, categories: in one process, in all,
# and by a user without permission.  Nothing here waits for events: live.t tests
# that the program obeys, this test reads the settings from its file.
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
every="gc gc_detail domain sync user alloc sync_detail wait thread runtime"

# Lists
run eventring categories "$first"
ok "categories: what the process records" is_on "$first" "$default"
sed "s/^$first .*work:/PID PROGRAM:/" out >said
ok "categories: table" diff "$here/control.categories.expected" said
run eventring categories "$ring"
ok "categories by file" out_has ': recording$'
run eventring categories --names "$first"
ok "categories --names" [ "$(tr '\n' ' ' <out)" = "$every " ]
run eventring categories --all --dir "$dir"
ok "categories --all: each process" [ "$(grep -c ': recording$' out)" = 2 ]
run eventring categories --json "$first"
ok "categories --json: which are recorded" \
  [ "$(grep -A 1 '"name": "gc_detail"' out | tail -1)" = \
    '          "recorded": false,' ]

# One process
run eventring enable "$first" gc_detail
ok "enable says what is recorded now" out_has \
  "^$first .*/work: recording gc, gc_detail, domain, sync, user, wait, thread, runtime\$"
ok "enable" is_on "$first" "gc gc_detail domain sync user wait thread runtime"
ok "the other process is as before" is_on "$second" "$default"
run eventring enable "$first" gc_detail
ok "enabling twice is no error" exits 0
ok "enabling twice: says so" out_has ': was already recording gc, gc_detail, '
run eventring disable "$first" gc,gc_detail wait
ok "disable, by commas and by spaces" \
  is_on "$first" "domain sync user thread runtime"
run eventring disable "$first" wait
ok "disabling twice: says so" out_has ': was already recording domain, '
run eventring enable --quiet "$ring" all
ok "enable all, by file, --quiet" eval "silent && is_on $first '$every'"
run eventring disable --dir "$dir" "$first" all
ok "disabling all is refused, and says what to do" \
  refused 2 "to record nothing: eventring pause .*$first.eventring"
ok "and changed nothing" is_on "$first" "$every"
run eventring enable "$first" gc gcc
ok "unknown category: told, with those there are" refused 2 \
  "no category 'gcc'; there are gc, gc_detail, .*, runtime"
run eventring disable "$first" gc,
ok "empty category" refused 2 "no category ''"
run eventring disable "$first" gc gcc
ok "unknown category: nothing is changed" is_on "$first" "$every"

# Paused
eventring pause -q "$first"
ok "paused: the list says so" is "$first" paused
run eventring disable "$first" gc_detail,sync_detail,alloc
ok "disable while paused: what will be recorded" out_has \
  ': paused; will record gc, domain, sync, user, wait, thread, runtime$'
ok "stays paused" is "$first" paused
run eventring resume "$first"
ok "resumed with the categories set meanwhile" is_on "$first" "$default"
ok "records" is "$first" recording

# JSON
run eventring pause --json "$first"
ok "--json: the process" out_has "\"pid\": $first,\$"
ok "--json: its state" out_has '"paused": true,$'
run eventring enable --json "$first" nothing
ok "--json: mistakes are told as ever" err_has "no category 'nothing'"

# All
run eventring resume --all --dir "$dir"
ok "resume --all: exits with 0" exits 0
ok "resume --all: says what each process does" out_lines 2
ok "resume --all: that it did before" out_has "^$second .* was already rec"
ok "resume --all: that it does now" out_has "^$first .*/work: recording gc"
run eventring disable -a -d "$dir" wait,thread runtime
ok "disable --all" eval "is_on $first 'gc domain sync user' &&
  is_on $second 'gc domain sync user'"
run eventring enable --all --dir "$dir" nothing
ok "unknown category with --all: told of each" \
  [ "$(grep -c "no category 'nothing'" err)" = 2 ]
ok "unknown category with --all: an error" exits 3
make_ring plain
mv plain.eventring 4242424.eventring
run eventring pause --all --dir "$tmp"
ok "--all leaves what is dead, and says that there is nothing" \
  refused 3 "no traced process in $tmp to pause"
run eventring pause --all --dir "$tmp/nowhere"
ok "--all in no directory" refused 3 nowhere
run eventring disable ./4242424.eventring gc
ok "disable of what has ended" refused 3 'has ended'

# One of two cannot be changed.
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
  within 10 both
  run as_nobody pause --all --dir "$tmp/shared"
  ok "--all by somebody else: what may be changed is" is "$theirs" paused
  ok "--all by somebody else: what may not be is as before" \
    is "$ours" recording
  ok "--all by somebody else: exits with 3" exits 3
  ok "--all by somebody else: says whose it is, and what to do" err_has \
    "$ours.* belongs to user 0 (root).* as that user or as root"
  ok "--all by somebody else: one line for one process" \
    [ "$(wc -l <err)" = 1 ]
  for command in "pause" "resume" "enable" "disable"; do
    case $command in *able) categories=wait ;; *) categories= ;; esac
    run as_nobody $command "$ours" $categories
    ok "$command by somebody else" refused 3 "belongs to user 0 (root)"
    run as_nobody $command "$tmp/shared/$ours.eventring" $categories
    ok "$command by somebody else, by file" refused 3 \
      "belongs to user 0 (root)"
  done
  run as_nobody categories "$ours"
  ok "categories by somebody else" refused 3 "belongs to user 0 (root)"
  ok "nothing was changed by somebody else" \
    eval "is $ours recording && is_on $ours '$default'"
else
  skip "control by somebody else" "needs root and setpriv"
fi

# The command line
for command in enable disable; do
  run eventring $command
  ok "$command: no target" refused 2 "$command: which process or file"
  run eventring $command "$first"
  ok "$command: no category" refused 2 "$command: which categories"
  run eventring $command --all
  ok "$command --all: no category" refused 2 "$command: which categories"
done
for command in pause resume categories; do
  run eventring $command --all "$first"
  ok "$command: --all and a process" refused 2 "what is $first"
done
finish
