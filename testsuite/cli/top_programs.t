#!/bin/sh
# The live view, in a terminal that tmux makes: its screen, its keys, and its
# behaviour when the terminal or the process changes.
# Only in make check-long: it shows rates of real programs; top.t has known ones.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
. "$here/terminal.sh"
compile spans
header() { shows "^$1 .*spans  $2"; }
last_line() { shows "^$1"; }

start spans 300
first=$pid

# The screen.
view "$first"
ok "the header has the process" header "$first" running
ok "the recorded categories are shown" \
  shows ' events/s  lost 0  recording: gc domain '
ok "rates of all domains are shown" \
  shows '^GC .* %  allocated [1-9].*/s.*minor [1-9].*slices [1-9].*cycles '
ok "heap and memory are shown" shows '^heap [1-9].*, live [1-9].*RSS [1-9]'
ok "percentiles of recent pauses are shown" \
  shows '^pauses, 10 s: [1-9][0-9]*  p50 .*p99 .*max .*longest so far '
ok "domain 0 has a row" shows '^0  '
ok "domains have their names and their activity" \
  shows '^1 worker  *[a-z][a-z_:]*.* %'
ok "domains have their allocation rate" \
  shows '^2 other .*[0-9] [KM]iB/s  *[1-9]'
ok "domains show that they wait for a mutex" shows '^[12] .*waiting: mutex '
ok "spans of the program are shown" shows '^request  .*[0-9] %  .* ms'
ok "names are shown without control characters" shows '^parse\\x1b\[31m  '
ok "long pauses are listed" shows '^major_finish_cycle  *[1-9].*s '
ok "the screen has colours" within 60 colours

# Rings of another size: the present session ends, and another begins.
run eventring resize "$first" 128K
ok "the rings of the process get another size" exits 0
sleep 2
ok "the screen goes on with the new session" header "$first" running
ok "spans of the new session are shown" shows '^request  .*[0-9] %  .* ms'

# Keys.
keys p
ok "key p pauses the process" header "$first" paused
ok "paused: rows of domains say that they are not recorded" \
  shows '^1 worker  *not recorded '
run eventring pause "$first"
ok "paused: the ring file says so" out_has 'was already paused'
keys p
ok "key p resumes the process" header "$first" running
run eventring resume "$first"
ok "resumed: the ring file says so" out_has 'was already recording'
keys c
ok "key c lists recorded categories with a star" shows '^\* gc$'
ok "key c lists disabled categories without a star" shows '^  gc_detail$'
keys Space
ok "categories: Space disables the first one" shows '^  gc$'
keys Down Down Space
ok "categories: Space disables the selected one" shows '^  domain$'
keys Up Up Space Escape
ok "categories: Escape leaves the list and keeps the choice" \
  shows ' recording: gc sync user '
keys c Down Down Space Escape
ok "categories: a disabled category is enabled again" \
  shows ' recording: gc domain sync user '
keys +
ok "key + shortens the poll interval" shows ' +/- 500 ms '
keys - -
ok "key - lengthens the poll interval" shows ' +/- 2.00 s '
keys + + +
ok "key + shortens the poll interval three times" shows ' +/- 200 ms '
keys r
ok "key r forgets the longest pauses" shows '^the longest so far are forgotten'
keys Space
ok "Space freezes the screen" shows 'FROZEN'
frozen=$(screen)
sleep 0.5
ok "a frozen screen does not change" [ "$frozen" = "$(screen)" ]
keys Space
ok "Space unfreezes the screen" hides FROZEN
keys h
ok "key h explains the keys" shows '^p  *pause the recording'
keys x
ok "any key ends the help" header "$first" running
keys z
ok "an unused key changes nothing" header "$first" running

# Functions.
keys f
ok "key f without samples: a line names the command that takes some" \
  shows "^no samples; to take some: eventring enable $first profile\$"
keys h x
ok "help returns to the functions" shows '^  *self  *total *function, 10 s: '
keys f
ok "a second key f returns to the domains" shows '^1 worker '
keys f Escape
ok "Escape returns to the domains" shows '^1 worker '

cp "$here/hot.ml" . && "$EVENTRING_STAGE/bin/ocamlopt" -g -I +unix -o hot \
  unix.cmxa hot.ml || exit 1
OCAML_EVENTRING_PROFILE=200 start hot 5
hot=$pid
view "$hot"
header_is() { on_screen "^$1 .*$2"; }
within 60 header_is "$hot" "hot  running"
ok "a thread with samples does not repeat its domain" \
  eval '[ "$(screen | grep -c "^0  ")" = 1 ]'
keys f
hottest_is() {
  screen >out
  grep -A 1 "^  *self  *total *function" out |
    grep "^  *[67].\.. %  *[67].\.. % $1"
}
line=$(grep -n FIRST hot.ml | cut -d : -f 1)
ok "functions: the hottest one is first, with its shares and its line" \
  within 60 hottest_is "Hot\.first  *hot.ml:$line"
ok "functions: callers have a total and no time of their own" \
  shows '^ *0\.[0-9] % *[1-9][0-9.]* % Hot\.both  '
ok "functions: they leave the list ten seconds after their last sample" \
  eval 'shows "Hot\.later  " && hides "Hot\.first  "'
keys Space
ok "functions: Space freezes them" shows 'FROZEN'
keys f
keys f
kill -9 "$hot"
ok "functions: those of a killed process stay" \
  eval 'shows "killed after" && shows "Hot\.later  "'
keys Down
ok "functions: Down scrolls them" hides 'Hot\.later  .*hot.ml'
keys q
view "$first"
header "$first" running

# Another process: by the list, and by its neighbour in it.
OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings "$tmp/spans" 300 &
second=$!
started="$started $second"
ring=$tmp/rings/$second.eventring
within 60 traced
keys s
ok "key s lists the shown process with a star" \
  shows "^\* *$first .*running  *$tmp/spans\$"
ok "key s lists the other process" shows "^  *$second .*running  *$tmp/spans\$"
line_of() { grep -n "^\*\{0,1\} *$1 " out | cut -d : -f 1; }
# Moves the selection from the line of the first process to the second.
move=$(($(line_of "$second") - $(line_of "$first")))
while [ $move -gt 0 ]; do keys Down; move=$((move - 1)); done
while [ $move -lt 0 ]; do keys Up; move=$((move + 1)); done
keys Enter
ok "process list: Enter changes to the selected process" \
  header "$second" running
reaches() { keys "$2"; sleep 0.1; on_screen "^$1 .*spans  running"; }
ok "arrow keys: Left changes to the first process" \
  within 60 reaches "$first" Left
ok "arrow keys: Right changes to the second process" \
  within 60 reaches "$second" Right
keys s s
ok "process list: a second s closes it without a change" \
  header "$second" running

# All processes.
view --all --dir rings
ok "--all: a row for each process, with its state and numbers" eval \
  'shows "^$first spans  *recording  *[0-9]* %  *[1-9].*/s" &&
   shows "^$second spans  *recording  *[0-9]* %  *[1-9].*/s"'
ok "--all: the first line has the sum" \
  shows '^[0-9]* processes, [1-9][0-9]* running  [1-9].* events/s  lost [0-9]'
ok "--all: no node when there is only one" eval '! on_screen "^node"'
rows() { screen | sed -n '4,$p'; }
move=$(rows | grep -n "^$second " | cut -d : -f 1)
while [ "$move" -gt 1 ]; do keys Down; move=$((move - 1)); done
keys Enter
ok "--all: Enter shows the selected process" header "$second" running
keys a
ok "--all: a returns to all processes" shows "^$first spans  *recording"
OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/rings "$tmp/spans" 300 &
third=$!
started="$started $third"
ok "--all: a process that starts gets a row" \
  shows "^$third spans  *recording  *[0-9]* %  *[1-9].*/s"
kill -9 "$third"
ok "--all: a process that was killed has this state" \
  shows "^$third spans  *killed"
ok "--all: an ended process leaves after ten seconds" hides "^$third spans"
keys q
ok "--all: q prints a line for each process" \
  shows "^process $first spans (running): [1-9][0-9]* events, [0-9]* lost"
eventring dump "$first" -o one.evr 2>err
eventring dump "$second" -o two.evr 2>err
eventring merge one.evr two.evr -o both.evr 2>err
view --all both.evr
ok "--all of a recording: a row for each process" eval \
  'shows "^$first spans  *unknown  .*/s" && shows "^$second spans  *unknown"'
keys Down Enter
ok "--all of a recording: Enter shows the selected process" \
  header "$second" 'ran on after this recording'
keys q
view --all "$first" both.evr:2
ok "--all of a process and of one of a recording" eval \
  'shows "^$first spans  *recording" && shows "^$second spans  *unknown"'
keys q
view "$second"
header "$second" running

# The process ends.
kill -9 "$second"
ok "killed process: the header says so" header "$second" 'killed after'
ok "killed process: the last values stay" shows '^1 worker '
keys p
ok "killed process: key p is refused" shows '^the process has ended'
keys Space Space
keys q
ok "key q exits with 0" shows '^ended with 0'
ok "summary: the line has the process and its state" \
  shows "^process $second .*(killed): [1-9][0-9]* events"
ok "summary: collections are counted" \
  shows '^in the collector [1-9].*%.*; [1-9][0-9]* minor col'
ok "summary: pauses are summarised" \
  shows '^[1-9][0-9]* pauses: median .*longest '
ok "after the end the screen is restored" eval "! screen | grep -q 'q quit'"

start spans enough
view "$pid"
header "$pid" running
: >enough
ok "ended process: the header says so" header "$pid" 'ended after'
keys q

# exec
start spans change "$tmp/spans" 300
view "$pid"
header "$pid" running
: >change
ok "exec: a line reports the new program" \
  shows '^the process executed another program'
ok "exec: domains of the new program are shown" shows '^1 worker '
ok "exec: the header says that the process runs" header "$pid" running
kill "$pid"
rm change
start spans change /bin/sleep 100
view "$pid"
header "$pid" running
: >change
ok "exec of an untraced program: the header says so" \
  header "$pid" 'replaced by another program'
kill "$pid"
keys q
ok "exec of an untraced program: key q exits with 0" shows '^ended with 0'

# Ended from outside.
view "$first"
header "$first" running
kill -TERM "$(cat top.pid)"
ok "SIGTERM: top exits with 0" shows '^ended with 0'
ok "SIGTERM: top prints its summary" shows "^process $first .*(running): "
view "$first"
header "$first" running
keys C-c
ok "Ctrl-C: top exits with 0" shows '^ended with 0'
ok "Ctrl-C: top prints its summary" shows "^process $first .*(running): "

# Files.
start spans 300
cp "$ring" copy.eventring
view copy.eventring
header "$pid" running
: >copy.eventring
ok "a file that is cut: the message names it" \
  shows '^eventring: .*copy.eventring: cut shorter'
ok "a file that is cut: the exit code is 3" shows '^ended with 3'
ok "a file that is cut: the screen is restored" \
  eval "! screen | grep -q 'q quit'"
keys typed
ok "a file that is cut: the terminal echoes again" shows '^typed'

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
  within 60 traced
  view "$pid"
  ok "stock OCaml: domains have rows" shows '^1 .* %  *[#█].*iB/s'
  keys p
  ok "stock OCaml: key p is refused with a reason" \
    shows '^cannot be controlled: .*stock OCaml'
  keys q
else
  skip "a process of stock OCaml" "needs stock OCaml"
fi

# Tracing that the program stops and starts again.
compile run
start run until off untrace until on trace sleep 60
view "$pid"
shows "^$pid .*run  running"
: >off
ok "tracing stopped: the header says so" \
  shows "^$pid .*run  stopped its tracing after"
: >on
ok "tracing started again: a line reports it" \
  shows '^the program stopped its tracing and started it again'
ok "tracing started again: the header says that the process runs" \
  shows "^$pid .*run  running"
keys q
ok "tracing started again: key q exits with 0" shows '^ended with 0'

# Without an argument, in a namespace without other processes.
alone="unshare --fork --pid --mount-proc"
mkdir empty
if $alone true 2>/dev/null; then
  terminal "$alone \"$EVENTRING_BIN\" top --dir empty"
  ok "no traced process: the message says so" \
    shows '^eventring: no process that is being traced was found'
  ok "no traced process: the exit code is 3" shows '^ended with 3'
  cat >one <<END
export OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX="$tmp/empty"
"$tmp/spans" 300 &
until "$EVENTRING_BIN" events \$! >/dev/null 2>&1; do sleep 0.05; done
"$EVENTRING_BIN" top --dir "$tmp/empty"
END
  terminal "$alone sh one"
  ok "one traced process: top takes it" shows '^[0-9]* .*spans  running'
  cat >two <<END
export OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX="$tmp/empty"
"$tmp/spans" 300 &
until "$EVENTRING_BIN" events \$! >/dev/null 2>&1; do sleep 0.05; done
. ./one
END
  terminal "$alone sh two"
  ok "two traced processes: top lists them" shows '^traced processes'
  keys Enter
  ok "two traced processes: Enter chooses one" shows '^[0-9]* .*spans  running'
  in_tmux kill-session -t view
else
  skip "top without an argument" "needs unshare, and root"
fi
# A stream, from a pipe: keys come from the terminal.
start spans 300
cat >piped <<END
"$EVENTRING_BIN" record $pid -o - 2>"$tmp/record.err" | "$EVENTRING_BIN" top -
END
terminal "sh piped"
ok "top - shows the process of a stream" header "$pid" running
keys h
ok "keys of the terminal work while a stream is read" shows 'choose the categories that are recorded'
keys h
kill -9 "$pid"
ok "the end of the process is shown at the end of the stream" \
  header "$pid" killed
keys q
ok "top - ends with q" shows 'ended with 0'
finish
