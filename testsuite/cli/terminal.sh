# Read by the tests of eventring top, after tap.sh and in their folder: a terminal
# that tmux makes.
#
#   terminal COMMAND     runs it in a fresh one; its process id is in top.pid
#   view ARG...          runs eventring top there
#   keys KEY...          presses them
#   size COLUMNS ROWS    resizes the terminal
#   screen               prints its lines
#   shows PATTERN        waits until a line matches
#   hides PATTERN        waits until none does
#   colours              whether the screen has any

command -v tmux >/dev/null || { echo "1..0 # SKIP no tmux"; exit 0; }

# A tmux server of our own; a session that only waits keeps it alive.
in_tmux() { TMUX_TMPDIR=$tmp tmux -u -L top -f /dev/null "$@" 2>>tmux.err; }
unset TMUX NO_COLOR
LC_ALL=C.UTF-8
export LC_ALL
in_tmux new-session -d -s base cat
started="$started $(in_tmux display-message -p '#{pid}')"

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
# After a condition that did not come true, others are waited for less long.
patience=60
appears() { within $patience "$@" || { patience=5; return 1; }; }
shows() { status=0; screen >out 2>err; appears on_screen "$1"; }
on_screen() { screen >out; grep -q -e "$1" out; }
hides() { appears off_screen "$1"; }
off_screen() { ! on_screen "$1"; }
escape=$(printf '\033')
colours() { screen -e | grep -q "$escape\[\([0-9]*;\)*[34][0-7]m"; }
