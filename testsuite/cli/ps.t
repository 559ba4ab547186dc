#!/bin/sh
# eventring ps: the processes that it finds, the line of each, and the files
# that --prune removes and keeps.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile work
dir=$tmp/rings
all="--dir $dir --no-rate"

# The columns of a process's line, by number.
line() { awk -F '  +' -v pid="$1" '$1 == pid { print $'"$2"' }' out; }

run eventring ps $all
ok "no files: nothing is printed" silent
ok "no files: the exit code is 0" exits 0

start work 120 3
running=$pid
start work 120 1
paused=$pid
eventring pause -q "$paused"
start work 120 1
killed=$pid
kill -9 "$killed"
wait "$killed" 2>/dev/null
make_ring plain
cp plain.eventring rings/4242424.eventring

domains() {
  run eventring ps $all
  [ "$(line "$running" 5)" = 3 ]
}
ok "ps shows the number of living domains" within 60 domains
ok "ps shows user, state, size, runtime, program, categories" \
  [ "$(line "$running" 2,\$3,\$6,\$8,\$9,\$10)" = \
    "$(id -un) recording 512 KiB eventring $tmp/work gc,domain,sync,user,wait,thread,runtime" ]
ok "ps shows the age" \
  eval "line $running 4 | grep -q '^[0-9]*m\{0,1\}[0-9]*s\$'"
ok "--no-rate leaves out the rate" [ "$(line "$running" 7)" = - ]
ok "ps shows that a process is paused" [ "$(line "$paused" 3)" = paused ]
ok "ps shows a killed process with its file" \
  [ "$(line "$killed" 3,\$10)" = "killed $dir/$killed.eventring" ]
ok "ps shows an ended process with its file" \
  [ "$(line 4242424 3,\$9,\$10)" = \
    "ended /usr/bin/program $dir/4242424.eventring" ]
ok "ps prints a line for each process and a heading" out_lines 5

cat >joined.ml <<'END'
let () =
  Domain.join (Domain.spawn (fun () -> ()));
  print_endline "joined";
  Unix.sleep 120
END
"$EVENTRING_STAGE/bin/ocamlopt" -I +unix -o joined unix.cmxa joined.ml || exit 1
start joined
joined=$pid
within 60 grep -q joined joined.out
run eventring ps $all
ok "domains that have ended are not counted" [ "$(line "$joined" 5)" = 1 ]
kill -9 "$joined"
wait "$joined" 2>/dev/null
rm "rings/$joined.eventring"

touch file
run eventring ps --dir file
ok "ps --dir of a file: it is not a directory" \
  refused 3 'cannot look for processes in file: Not a directory$'

rate() {
  run eventring ps --dir rings
  [ "$(line "$running" 7)" -gt 10 ]
}
ok "ps shows the number of events per second" within 60 rate
ok "a paused process has 0 events per second" [ "$(line "$paused" 7)" = 0 ]
run eventring ps
ok "ps finds a running process without --dir" \
  [ "$(line "$running" 3)" = recording ]
ok "ps without --dir does not show dead processes of other folders" \
  [ -z "$(line "$killed" 3)" ]
run eventring ps --pids --dir rings
ok "--pids prints the ids of running processes" \
  [ "$(tr '\n' ' ' <out)" = "$(printf '%s\n%s\n' "$running" "$paused" |
    sort -n | tr '\n' ' ')" ]
run eventring ps --json $all
object() { awk -v RS='    }' -v line="\"pid\": $1," 'index($0, line)' out; }
has() { object "$1" | grep -qF "$2"; }
ok "--json: a running process has its state and number of domains" eval \
  "has $running '\"state\": \"running\"' && has $running '\"domains\": 3'"
ok "--json: a paused process is paused" has "$paused" '"paused": true'
ok "--json: a killed process has its state and file" eval \
  "has $killed '\"state\": \"killed\"' &&
    has $killed '\"path\": \"$dir/$killed.eventring\"'"

# Files that are not ring files, or not ring files to read.
echo text >rings/4242425.eventring
mkdir rings/4242426.eventring
mkfifo rings/4242427.eventring
echo notes >rings/notes
ln -s "$tmp/plain.eventring" rings/4242428.eventring
ln -s "$dir/$running.eventring" rings/4242429.eventring
run timeout 20 "$EVENTRING_BIN" ps $all
ok "a file that is no ring file has a line with its path" \
  eval "line 4242425 10 | grep -q 4242425.eventring"
ok "a file that is no ring file is unreadable" \
  [ "$(line 4242425 3)" = unreadable ]
ok "folders and named pipes are ignored" \
  [ -z "$(line 4242426 1)$(line 4242427 1)" ]
make_ring hostile
cp hostile.eventring rings/4242430.eventring
perl -e 'open F, "+<", shift; binmode F; local $/; $_ = <F>;
  s,/usr/bin/program,\033[2Jprogram\n\377\0\0\0,; seek F, 0, 0; print F $_' \
  rings/4242430.eventring
run eventring ps $all
ok "a program's name is printed without control characters" \
  [ "$(line 4242430 9)" = '\x1b[2Jprogram\x0a\xff' ]

# Another user runs ps.
if can_be_nobody; then
  run as_nobody ps $all
  ok "another user sees the process and its owner" \
    [ "$(line "$running" 2,\$3)" = "$(id -un) unreadable" ]
  ok "another user gets a remedy" eval \
    "line $running 10 | grep -q 'belongs to user 0 (root).*as root'"
  chmod 777 rings
  chmod 600 rings/*.eventring
  run as_nobody ps --prune --dir "$dir"
  ok "--prune by another user removes nothing" eval \
    "[ -e rings/$killed.eventring ] && [ -e rings/4242424.eventring ]"
  chmod 755 rings
else
  skip "ps by somebody else" "needs root and setpriv"
fi

# In a container: another process id, and a path that does not exist here.
if unshare --pid --mount --fork true 2>/dev/null; then
  mkdir inside
  unshare --pid --mount --fork --mount-proc sh -c "
    mount -t tmpfs none '$tmp/inside'
    OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX='$tmp/inside' \
      exec '$tmp/work' 120 1" >/dev/null 2>&1 &
  outer=$!
  contained() {
    run eventring ps --no-rate
    inner=$(cat /proc/$outer/task/$outer/children)
    inner=${inner% }
    [ "$(line "$inner" 3)" = recording ]
  }
  ok "process in a container: ps shows it under the host's id" \
    within 60 contained
  started="$started $inner"
  ok "process in a container: ps shows domains and program" \
    [ "$(line "$inner" 5,\$9)" = "1 $tmp/work" ]
  run eventring ps --json --no-rate
  ok "process in a container: --json has the path from the host" \
    has "$inner" "\"path\": \"/proc/$inner/root$tmp/inside/1.eventring\""
  run eventring disable --quiet "$inner" wait
  ok "process in a container: the host's id controls it" silent
else
  skip "in a container" "needs the right to make one"
fi

# Removing
run eventring ps --prune --dir rings
ok "--prune shows the processes whose files it removes" \
  [ "$(line "$killed" 3)" = killed ]
ok "--prune shows no other process" \
  [ -z "$(line "$running" 3)$(line 4242425 3)" ]
ok "--prune prints the files that it removed" eval \
  "out_has '^removed rings/$killed.eventring\$' && out_has 'removed rings/4242424'"
ok "--prune removes the files of the dead" \
  eval "! [ -e rings/$killed.eventring ] && ! [ -e rings/4242424.eventring ]"
ok "--prune keeps the files of living processes" \
  eval "[ -e rings/$running.eventring ] && [ -e rings/$paused.eventring ]"
ok "--prune keeps everything that is no ring file" \
  eval "[ -f rings/4242425.eventring ] &&
  [ -d rings/4242426.eventring ] && [ -p rings/4242427.eventring ] &&
  [ -f rings/notes ]"
ok "--prune keeps links and their targets" eval "[ -f plain.eventring ] &&
  [ -L rings/4242428.eventring ] && [ -L rings/4242429.eventring ]"
ok "--prune reports a link that it keeps" \
  err_has 'rings/4242428.eventring is kept: it is a link'
ok "--prune exits with 4 when it keeps a link" exits 4
rm rings/4242428.eventring rings/4242429.eventring
run eventring ps --prune --dir rings
ok "--prune without dead processes prints nothing" silent
ok "--prune without dead processes exits with 0" exits 0
cp plain.eventring rings/4242424.eventring
run eventring ps --prune --json --dir rings
ok "--prune --json has the file that was removed" has 4242424 '"removed": true'
cp "rings/$running.eventring" rings/4242431.eventring
run eventring ps --prune --dir rings
ok "--prune keeps a copy of the file of a running process" \
  [ -e rings/4242431.eventring ]
ok "--prune does not show a copy of the file of a running process" silent
cp plain.eventring here.eventring
cp plain.eventring 4242424.eventring
run eventring ps --prune
ok "--prune without --dir removes files in the working directory" \
  eval "! [ -e 4242424.eventring ] && [ -e here.eventring ]"

# A file that is cut while it is read, and many files.
mkdir many
${CC:-cc} -std=gnu11 -shared -fPIC -o cut_mapped.so "$here/cut_mapped.c" ||
  exit 1
for n in 1 2 3; do cp plain.eventring many/424243$n.eventring; done
truncate -s 200000 many/4242432.eventring
cutting() {
  LD_PRELOAD=$tmp/cut_mapped.so CUT_SIZE=200000 "$EVENTRING_BIN" "$@"
}
perl -e 'open F, "+<", shift; seek F, 24, 0; print F pack "Q", 200000' \
  many/4242432.eventring
run cutting ps --no-rate --dir many
said() { line 4242432 3,\$10 | grep -q 'unreadable .* was cut shorter'; }
ok "a file that is cut while it is read: its line reports it" said
ok "a file that is cut while it is read: other files are listed" \
  [ "$(line 4242431 3)$(line 4242433 3)" = endedended ]
rm many/*
for n in $(seq 5000 5400); do ln plain.eventring many/424$n.eventring; done
# A cursor takes more than 1 MB of address space.
in_little_memory() { (ulimit -v 150000 && eventring "$@"); }
run in_little_memory ps --dir many
ok "401 files are listed with memory for a few" eval \
  "exits 0 && out_lines 402 && ! out_has unreadable"
run in_little_memory ps --prune --dir many
ok "--prune removes 401 files with memory for a few" \
  eval 'exits 0 && [ -z "$(ls many)" ]'

# On a terminal, --prune asks before it removes a file.
asked() {
  cp plain.eventring 4242424.eventring
  { sleep 0.3; echo "$1"; sleep 0.3; } |
    script -qec "$EVENTRING_BIN ps --prune $2" /dev/null >out 2>&1
}
if command -v script >/dev/null; then
  asked n
  ok "--prune on a terminal asks" out_has 'Remove this file? \[y/N\]'
  ok "--prune on a terminal: n keeps the file" [ -e 4242424.eventring ]
  asked y
  ok "--prune on a terminal: y removes the file" [ ! -e 4242424.eventring ]
  asked '' --yes
  ok "--prune --yes on a terminal does not ask" \
    eval "! [ -e 4242424.eventring ] && ! out_has 'y/N'"
else
  skip "on a terminal" "script is not installed"
fi

# The command line
run eventring ps --dir nowhere
ok "a directory that does not exist is refused" refused 3 nowhere
run eventring ps 1234
ok "a process id is refused" refused 2 'unexpected argument .1234'
run eventring ps --yes
ok "--yes without --prune is refused" refused 2 'goes with --prune'
for option in json prune; do
  run eventring ps --pids --$option
  ok "--pids with --$option is refused" refused 2 'exclude each other'
done
finish
