#!/bin/sh
# The files of a process: the names that they may have, the choice between
# several files, and files of processes in another pid namespace.
# Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
make_ring plain
mkdir rings
dir=$tmp/rings
ours=$(stat -Lc %i /proc/self/ns/pid)
boot=$(cat /proc/sys/kernel/random/boot_id)
ring() { file=$1; shift; ./make_ring plain "rings/$file" "$@" || exit 1; }
shown() { awk -F '  +' 'NR > 1 { print $1, $3, $9, $10 }' out; }
shows() { printf '%s\n' "$@" >want; shown | diff want -; }
is_program() { exits 0 && out_has "process [0-9]* /$1 "; }

# Names
for name in 4242424.eventring 4242424.1.eventring 4242424.15.eventring \
    4242424.events 4242424.2.events; do
  ring "$name"
done
for name in 4242424.0.eventring 4242424.16.eventring 4242424.01.eventring \
    4242424.1.2.eventring 4242424.1eventring 4242424..eventring; do
  ring "$name"
done
run eventring ps --no-rate --dir "$dir"
ok "ps lists numbered files and files with stock OCaml's names" eval \
  "awk -F '  +' 'NR > 1 { print \$8, \$10 }' out | sort | diff - - <<END
eventring $dir/4242424.1.eventring
eventring $dir/4242424.15.eventring
eventring $dir/4242424.2.events
eventring $dir/4242424.events
eventring $dir/4242424.eventring
END"
for name in eventring 1.eventring 15.eventring events 2.events; do
  rm -f rings/*
  ring "4242424.$name"
  run eventring stat --dir "$dir" 4242424
  ok "the process id finds 4242424.$name" is_program usr/bin/program
done
rm -f rings/*
ring 4242424.16.eventring
run eventring stat --dir "$dir" 4242424
ok "the process id does not find 4242424.16.eventring" \
  refused 3 'has left no ring file 4242424.eventring'

# The choice between several files
rm -f rings/*
ring 4242424.eventring program=/second started=20
ring 4242424.1.eventring program=/third started=30
ring 4242424.2.eventring program=/first started=10
run eventring stat --dir "$dir" 4242424
ok "of files of dead processes, the latest start is chosen" is_program third
sleep 120 &
alive=$!
started="$started $alive"
start_time=$(sed 's/.*) //' /proc/$alive/stat | cut -d ' ' -f 20)
rm -f rings/*
ring "$alive.eventring" pid=$alive program=/crashed started=20 state=1 \
  boot="$boot" start_time=$((start_time - 1)) namespace="$ours"
ring "$alive.1.eventring" pid=$alive program=/lives started=10 state=1 \
  boot="$boot" start_time="$start_time" namespace="$ours"
ring "$alive.2.eventring" pid=$alive program=/later started=30 state=1 \
  boot="$boot" start_time=$((start_time - 2)) namespace="$ours"
run eventring stat --dir "$dir" $alive
ok "of several files, the file of the living process is chosen" is_program lives

# Files of another pid namespace
rm -f rings/*
ring "$alive.eventring" pid=$alive program=/theirs state=1 boot="$boot" \
  start_time="$start_time" namespace=77
run eventring stat --dir "$dir" $alive
ok "a process id never finds a file of another pid namespace" \
  refused 3 "$alive.eventring is of .* in another pid namespace"
run eventring stat "rings/$alive.eventring"
ok "a path finds a file of another pid namespace" is_program theirs
run eventring ps --no-rate --dir "$dir"
ok "ps shows the pid namespace behind the process id" \
  shows "$alive@77 killed /theirs $dir/$alive.eventring"
run eventring ps --json --dir "$dir"
ok "ps --json has the pid namespace" eval \
  "out_has '\"pid\": $alive' && out_has '\"pid_namespace\": 77'"
run eventring ps --pids --dir "$dir"
ok "ps --pids leaves out processes of other pid namespaces" silent

# A process of another pid namespace is invisible: only a mapping of its file
# shows that it lives.
rm -f rings/*
./make_ring plain rings/7.eventring pid=7 program=/held state=1 boot="$boot" \
  namespace=77 hold=1 >held &
holder=$!
started="$started $holder"
within 60 grep -q mapped held
run eventring ps --no-rate --dir "$dir"
ok "a file mapped for writing counts as a running process" eval \
  '[ "$(shown | cut -d " " -f 1,2)" = "7@77 recording" ]'
run eventring ps --prune --dir "$dir"
ok "--prune keeps a file that is mapped for writing" [ -e rings/7.eventring ]
if can_be_nobody; then
  ring 8.eventring pid=8 state=1 boot="$boot" namespace=77
  chmod 644 rings/8.eventring
  chmod 777 rings
  run as_nobody ps --prune --dir "$dir"
  ok "--prune keeps a file when mappings of other users are invisible" \
    [ -e rings/8.eventring ]
  chmod 755 rings
  rm rings/8.eventring
else
  skip "--prune keeps a file when mappings of other users are invisible" \
    "needs root and setpriv"
fi

# Start times of another time namespace cannot be compared with ours.
./make_ring plain rings/$holder.eventring pid=$holder program=/later state=1 \
  boot="$boot" start_time=1 namespace="$ours" time_namespace=77 hold=1 >held2 &
other=$!
started="$started $other"
within 60 grep -q mapped held2
run eventring stat rings/$holder.eventring
ok "a process of another time namespace runs while its file is mapped" \
  out_has "/later (running)"
# Without any category, neither recorded nor to be resumed.
./make_ring plain rings/$holder.1.eventring pid=$holder state=1 control=0 \
  boot="$boot" namespace="$ours"
run eventring resume rings/$holder.1.eventring
ok "resume without a category is an error" refused 2 'no category to resume'
rm rings/$holder.1.eventring
kill -9 $other
wait $other 2>/dev/null
run eventring stat rings/$holder.eventring
ok "a process of another time namespace is killed without a mapping" \
  out_has "/later (killed)"
rm rings/$holder.eventring
kill -9 $holder
wait $holder 2>/dev/null
run eventring ps --prune --dir "$dir"
ok "--prune removes a file that no process has mapped" \
  [ ! -e rings/7.eventring ]

# Seen from a container that shares the folder but not the processes.
inside() { unshare --pid --fork --mount-proc "$EVENTRING_BIN" "$@"; }
if inside --version >/dev/null 2>&1; then
  ring "$alive.eventring" pid=$alive program=/outside state=1 boot="$boot" \
    start_time="$start_time" namespace="$ours"
  perl -e 'open F, "+<", shift; sysread F, $_, 1; sleep 120' \
    "rings/$alive.eventring" &
  started="$started $!"
  within 60 eval "ls -l /proc/$!/fd | grep -q rings/"
  run inside ps --prune --dir "$dir"
  ok "from a container: --prune keeps a file that is open for writing" \
    [ -e "rings/$alive.eventring" ]
  run inside ps --no-rate --dir "$dir"
  ok "from a container: ps shows the pid namespace of the process" eval \
    "[ \"\$(shown | cut -d ' ' -f 1,2)\" = '$alive@$ours recording' ]"
  run inside stat --dir "$dir" "$alive"
  ok "from a container: the process id of the host is refused" \
    refused 3 'in another pid namespace'
  # A process in a container, seen from the host: the host's id is known.
  rm -f rings/*
  unshare --pid --fork --kill-child --mount-proc sh -c "
    t=\$(sed 's/.*) //' /proc/1/stat | cut -d ' ' -f 20)
    exec '$tmp/make_ring' plain '$dir/1.eventring' pid=1 program=/inside \
      state=1 boot=$boot start_time=\$t hold=1 \
      namespace=\$(stat -Lc %i /proc/self/ns/pid)" >held &
  outer=$!
  started="$started $outer"
  within 60 grep -q mapped held
  has_child() {
    inner=$(tr -d ' ' </proc/$outer/task/$outer/children)
    [ -n "$inner" ]
  }
  within 60 has_child
  run eventring ps --no-rate --dir "$dir"
  ok "process in a container: ps shows the host's id for it" eval \
    "[ \"\$(shown | cut -d ' ' -f 1,2,3)\" = '$inner recording /inside' ]"
  run eventring stat "$dir/1.eventring"
  ok "process in a container: its path finds it, under the host's id" \
    out_has "process $inner /inside (running)"
  run eventring stat --dir "$dir" "$inner"
  ok "process in a container: the host's id and --dir find it" \
    out_has "process $inner /inside (running)"
  run eventring stat --dir "$dir" 1
  ok "process in a container: the container's id is refused" \
    refused 3 '1.eventring is of .* in another pid namespace'
else
  for what in "kept" "shown" "not by number" "listed" "by path" "by number" \
      "not by its own"; do
    skip "in a container: $what" "needs the right to make one"
  done
fi
finish
