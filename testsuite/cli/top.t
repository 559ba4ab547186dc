#!/bin/sh
# The live view, in a terminal that tmux makes: its screen, its keys, and its
# behaviour when the terminal or the process changes.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
command -v tmux >/dev/null || { echo "1..0 # SKIP no tmux"; exit 0; }
compile spans

# A tmux server of our own; a session that only waits keeps it alive.
in_tmux() { TMUX_TMPDIR=$tmp tmux -u -L top -f /dev/null "$@" 2>>tmux.err; }
unset TMUX NO_COLOR
LC_ALL=C.UTF-8
export LC_ALL
in_tmux new-session -d -s base cat
started="$started $(in_tmux display-message -p '#{pid}')"

# terminal COMMAND: runs it in a fresh terminal; its process id is in top.pid.
terminal() {
  in_tmux kill-session -t view
  rm -f top.pid
  in_tmux new-session -d -s view -x 100 -y 30 \
    "sh -c 'echo \$\$ >top.pid; exec $1'; echo ended with \$?; cat"
}
view() { terminal "\"$EVENTRING_BIN\" top $*"; }
keys() { in_tmux send-keys -t view "$@"; }
screen() { in_tmux capture-pane -p -t view "$@"; }
size() { in_tmux resize-window -t view -x "$1" -y "$2"; }
shows() { status=0; screen >out 2>err; within 20 on_screen "$1"; }
on_screen() { screen >out; grep -q -e "$1" out; }
hides() { within 20 off_screen "$1"; }
off_screen() { ! on_screen "$1"; }
header() { shows "^$1 .*spans  $2"; }
last_line() { shows "^$1"; }

start spans 300
first=$pid

# Without a terminal.
run eventring top "$first"
ok "no terminal: says what to do instead" refused 2 'stat --interval'

# The screen.
view "$first"
ok "says whose it is" header "$first" running
ok "says what is recorded" shows ' events/s  lost 0  recording: gc domain '
ok "rates of all domains" \
  shows '^GC .* %  allocated [1-9].*/s.*minor [1-9].*slices [1-9].*cycles '
ok "heap and memory" shows '^heap [1-9].*, live [1-9].*RSS [1-9]'
ok "pauses of the last seconds" \
  shows '^pauses, 10 s: [1-9][0-9]*  p50 .*p99 .*max .*longest so far '
ok "domain 0" shows '^0  '
ok "domains by name, with what they do" shows '^1 worker  *[a-z][a-z_:]*.* %'
ok "domains allocate" shows '^2 other .*[0-9] [KM]iB/s  *[1-9]'
ok "domains wait for the mutex" shows '^[12] .*waiting: mutex '
ok "spans of the program" shows '^request  .*[0-9] %  .* ms'
ok "names cannot command the terminal" shows '^parse\\x1b\[31m  '
ok "long pauses" shows '^explicit_gc_full_major  *[1-9].*s '
escape=$(printf '\033')
colours() { screen -e | grep -q "$escape\[\([0-9]*;\)*[34][0-7]m"; }
ok "in colour" within 10 colours

# Keys.
keys p
ok "p pauses" header "$first" paused
ok "paused: says so of the domains" shows '^1 worker  *not recorded '
run eventring pause "$first"
ok "paused: the process is" out_has 'was already paused'
keys p
ok "p resumes" header "$first" running
run eventring resume "$first"
ok "resumed: the process is" out_has 'was already recording'
keys c
ok "c lists the categories" shows '^\* gc$'
ok "c: and those that are not recorded" shows '^  gc_detail$'
keys Space
ok "c: space switches one off" shows '^  gc$'
keys Down Down Space
ok "c: and the one that is selected" shows '^  domain$'
keys Up Up Space Escape
ok "c: Escape leaves, the choice stays" shows ' recording: gc sync user '
keys c Down Down Space Escape
ok "c: all as before" shows ' recording: gc domain sync user '
keys +
ok "+ looks more often" shows ' +/- 500 ms '
keys - -
ok "- looks less often" shows ' +/- 2.00 s '
keys + + +
ok "+ again" shows ' +/- 200 ms '
keys r
ok "r forgets the longest" shows '^the longest so far are forgotten'
keys Space
ok "space freezes" shows 'FROZEN'
frozen=$(screen)
sleep 0.5
ok "frozen: nothing moves" [ "$frozen" = "$(screen)" ]
keys Space
ok "space again goes on" hides FROZEN
keys h
ok "h explains the keys" shows '^p  *pause the recording'
keys x
ok "any key ends the help" header "$first" running
keys z
ok "a key that means nothing" header "$first" running

# Sizes.
size 20 5
ok "20x5: too small" shows '^terminal too small'
size 1 1
size 60 12
ok "60x12: what is most important" shows '^1 worker '
ok "60x12: nothing is written over the keys" last_line 'q quit'
size 200 60
ok "200x60: long pauses are there again" shows '^long pause'
size 80 24
ok "80x24: as well" shows '^long pause'
size 100 30
ok "100x30" header "$first" running

# Another process: by the list, and by its neighbour in it.
OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings "$tmp/spans" 300 &
second=$!
started="$started $second"
ring=$tmp/rings/$second.eventring
within 10 traced
keys s
ok "s lists this process" shows "^\* *$first .*running  *$tmp/spans\$"
ok "s lists the other one" shows "^  *$second .*running  *$tmp/spans\$"
line_of() { grep -n "^\*\{0,1\} *$1 " out | cut -d : -f 1; }
# How the selection gets there: from the line of the first.
move=$(($(line_of "$second") - $(line_of "$first")))
while [ $move -gt 0 ]; do keys Down; move=$((move - 1)); done
while [ $move -lt 0 ]; do keys Up; move=$((move + 1)); done
keys Enter
ok "s: Enter goes to it" header "$second" running
reaches() { keys "$2"; sleep 0.1; on_screen "^$1 .*spans  running"; }
ok "arrow keys: back to the first" within 20 reaches "$first" Left
ok "arrow keys: to the second" within 20 reaches "$second" Right
keys s s
ok "s: and away without a choice" header "$second" running

# The process ends.
kill -9 "$second"
ok "killed: says so" header "$second" 'killed after'
ok "killed: the last values stay" shows '^1 worker '
keys p
ok "killed: cannot be paused" shows '^the process has ended'
keys Space Space
keys q
ok "q quits" shows '^ended with 0'
ok "summary: whose" shows "^process $second .*(killed): [1-9][0-9]* events"
ok "summary: collections" \
  shows '^in the collector [1-9].*%.*; [1-9][0-9]* minor col'
ok "summary: pauses" shows '^[1-9][0-9]* pauses: median .*longest '
ok "the terminal is as before" eval "! screen | grep -q 'q quit'"

start spans 0.5
view "$pid"
ok "the end in order" header "$pid" 'ended after'
keys q

# exec
start spans 1 "$tmp/spans" 300
view "$pid"
ok "exec: is with the new program" \
  shows '^the process executed another program'
ok "exec: which is traced" shows '^1 worker '
ok "exec: and running" header "$pid" running
kill "$pid"
start spans 1 /bin/sleep 100
view "$pid"
ok "exec of another program" header "$pid" 'replaced by another program'
kill "$pid"
keys q
ok "exec of another program: q quits" shows '^ended with 0'

# Ended from outside.
view "$first"
header "$first" running
kill -TERM "$(cat top.pid)"
ok "SIGTERM: ends in order" shows '^ended with 0'
ok "SIGTERM: with a summary" shows "^process $first .*(running): "
view "$first"
header "$first" running
keys C-c
ok "Ctrl-C: ends in order" shows '^ended with 0'
ok "Ctrl-C: with a summary" shows "^process $first .*(running): "

# Terminals that can do less.
terminal "env NO_COLOR=1 \"$EVENTRING_BIN\" top $first"
shows '^1 worker '
ok "NO_COLOR: none" eval "! colours"
terminal "env TERM=vt100 \"$EVENTRING_BIN\" top $first"
shows '^1 worker '
ok "vt100: without colour" eval "! colours"
terminal "env LC_ALL=C \"$EVENTRING_BIN\" top $first"
ok "no UTF-8: bars of ASCII" shows '^1 worker .* % ##*  '
terminal "env TERM=nosuch \"$EVENTRING_BIN\" top $first"
ok "unknown terminal: says so" shows '^eventring: top: .*nosuch'
ok "unknown terminal: exit code" shows '^ended with 2'

# Files.
make_ring hostile
view hostile.eventring
ok "hostile names: shown escaped" shows '\\x1b'
keys q
ok "hostile names: q quits" shows '^ended with 0'
view nosuch
ok "no such file" shows '^ended with 3'
start spans 300
cp "$ring" copy.eventring
view copy.eventring
header "$pid" running
: >copy.eventring
ok "a file that is cut: says so" \
  shows '^eventring: .*copy.eventring: was cut shorter while it was read$'
ok "a file that is cut: exit code" shows '^ended with 3'
ok "a file that is cut: the screen is as before" \
  eval "! screen | grep -q 'q quit'"
keys typed
ok "a file that is cut: what one types is seen again" shows '^typed'

# Stock OCaml.
: "${EVENTRING_STOCK:=$EVENTRING_TOP/_build/stock/install}"
if [ -x "$EVENTRING_STOCK/bin/ocamlopt" ]; then
  cp "$here/work.ml" stock.ml
  "$EVENTRING_STOCK/bin/ocamlopt" -I +unix -o stock unix.cmxa stock.ml
  OCAML_RUNTIME_EVENTS_START=1 OCAML_RUNTIME_EVENTS_DIR=$tmp/rings \
    ./stock 100 2 &
  pid=$!
  started="$started $pid"
  ring=$tmp/rings/$pid.events
  within 10 traced
  view "$pid"
  ok "stock OCaml: its domains" shows '^1 .* %  *[#█].*iB/s'
  keys p
  ok "stock OCaml: cannot be paused, says why" \
    shows '^cannot be controlled: .*stock OCaml'
  keys q
else
  skip "a process of stock OCaml" "needs stock OCaml"
fi

# Tracing that the program stops and starts again.
compile run
start run sleep 3 untrace sleep 3 trace sleep 60
view "$pid"
ok "tracing stopped: says so while the process runs" \
  shows "^$pid .*run  stopped its tracing after"
ok "tracing started again: says so" \
  shows '^the program stopped its tracing and started it again'
ok "tracing started again: is with the new session" \
  shows "^$pid .*run  running"
keys q
ok "tracing started again: q quits" shows '^ended with 0'

# Without an argument, where no other process is seen.
alone="unshare --fork --pid --mount-proc"
mkdir empty
if $alone true 2>/dev/null; then
  terminal "$alone \"$EVENTRING_BIN\" top --dir empty"
  ok "nothing is traced: says so" \
    shows '^eventring: no process that is being traced was found'
  ok "nothing is traced: exit code" shows '^ended with 3'
  cat >one <<END
export OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX="$tmp/empty"
"$tmp/spans" 300 &
until "$EVENTRING_BIN" events \$! >/dev/null 2>&1; do sleep 0.05; done
"$EVENTRING_BIN" top --dir "$tmp/empty"
END
  terminal "$alone sh one"
  ok "one process is traced: that one" shows '^[0-9]* .*spans  running'
  cat >two <<END
export OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX="$tmp/empty"
"$tmp/spans" 300 &
until "$EVENTRING_BIN" events \$! >/dev/null 2>&1; do sleep 0.05; done
. ./one
END
  terminal "$alone sh two"
  ok "two processes are traced: a list" shows '^traced processes'
  keys Enter
  ok "two processes: Enter chooses" shows '^[0-9]* .*spans  running'
  in_tmux kill-session -t view
else
  skip "top without an argument" "needs unshare, and root"
fi
finish
