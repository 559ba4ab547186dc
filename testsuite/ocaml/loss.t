#!/bin/sh
# A reader that the writer overtakes: it could fail, read torn events, or not
# say, or say wrongly, how many it has lost.
. "$(dirname "$0")/programs.sh"
build loss unix runtime_events check.ml
start=OCAML_EVENTRING_START=1
categories=OCAML_EVENTRING_CATEGORIES

run_checks() {
  for e in 9 12 16; do
    fresh; checks env $start $categories=all OCAMLRUNPARAM=e=$e "$tmp/loss.$mode" own
  done
  fresh; mkfifo to
  env $start $categories=user OCAMLRUNPARAM=e=12 "$tmp/loss.$mode" \
    write 100000 <to >pid &
  started="$started $!"
  exec 9>to
  echo >&9
  within 60 grep -qs written pid
  checks "$tmp/loss.$mode" read "$tmp/w" "$(head -n 1 pid)" 100000
  run eventring events "$(ring)"
  ok "$mode: the command counts the same" \
    eval '[ "$(awk -F "  +" "\$4 == \"lost\" { n += \$6 }
                 \$5 == \"number\" { n++ } END { print n }" "$tmp/out")" \
              = 100000 ]'
  exec 9>&-
  wait
}
both run_checks
finish
