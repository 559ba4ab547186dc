# Read by tests of control, after agent.sh or nats.sh.
#
#   begins FOLDER        starts rounds with its ring file there, until [stop] is
#                        closed; leaves $pid, $ring
#   at_hub COMMAND ARG...   runs it with the address for control, $control
#   records CATEGORIES   whether the program records these
#   reaches              whether the agent n1 takes requests for $pid
#   quick SECONDS COMMAND...   whether it ends in less time, with status 0

compile rounds
sleep 1000 >stop &
stopper=$!
started="$started $stopper"
begins() {
  OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX=$tmp/$1 \
    OCAML_EVENTRING_KEEP=1 OCAML_EVENTRING_CATEGORIES=user \
    ./rounds <stop >rounds.out &
  pid=$!
  started="$started $pid"
  ring=$tmp/$1/$pid.eventring
  within 60 traced
}
at_hub() {
  command=$1
  shift
  run eventring "$command" --hub "$control" "$@"
}
records() { [ "$(eventring categories --json "$ring" |
  jq -r '.processes[0].categories | join(" ")')" = "$1" ]; }
reaches() { eventring categories --hub "$control" n1/$pid >reached 2>&1; }
quick() {
  limit=$1
  began=$(date +%s)
  shift
  "$@"
  [ $(($(date +%s) - began)) -lt "$limit" ] && exits 0
}
