#!/bin/sh
# Pause and resume, from inside and from outside: tracing that cannot be
# stopped, or that stays off, or comes back with other categories.
. "$(dirname "$0")/programs.sh"
build switch unix runtime_events check.ml

own() {
  fresh; checks "$tmp/switch.$mode"
  fresh; checks env OCAML_EVENTRING_START=1 OCAML_EVENTRING_CATEGORIES=all \
    "$tmp/switch.$mode"
}
both own

# step: one more collection and event of the program; leaves "true" or "false"
step() { echo >&9; read -r active <&8; }
numbers() {
  eventring events "$(ring)" | awk -F '  +' '$5 == "number" { printf "%d ", $6 }'
}

outside() {
  fresh
  mkfifo to from
  env OCAML_EVENTRING_START=$1 OCAML_EVENTRING_KEEP=1 ${2:+"$2"} \
    "$tmp/switch.$mode" wait <to >from &
  started="$started $!"
  exec 9>to 8<from
  read -r pid <&8
  step                                          # 1
  ok "$mode: START=$1: active is $3" [ "$active" = "$3" ]
  run eventring pause "$pid"
  step                                          # 2
  ok "$mode: paused from outside: the program knows" [ "$active" = false ]
  run eventring resume "$pid"
  ok "$mode: resumed from outside" exits 0
  step; step                                    # 3, 4
  ok "$mode: resumed from outside: the program knows" [ "$active" = true ]
  exec 9>&- 8<&-
  wait
}
for mode in opt byte; do
  outside 1 '' true
  ok "$mode: what came while paused is not there" [ "$(numbers)" = "1 3 4 " ]
  outside paused '' false
  ok "$mode: what came before the first resume is not there" \
    [ "$(numbers)" = "3 4 " ]
  outside paused OCAML_EVENTRING_CATEGORIES=user false
  ok "$mode: the categories come back as they were asked for" \
    [ "$(numbers)$(count .)" = "3 4 2" ]
  fresh
  run env OCAML_EVENTRING_START=paused OCAML_EVENTRING_KEEP=1 \
    OCAML_EVENTRING_CATEGORIES=user "$tmp/switch.$mode" resume
  ok "$mode: as well when the program itself resumes" \
    [ "$(numbers)$(count .)" = "1 1" ]
done
finish
