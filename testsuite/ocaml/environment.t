#!/bin/sh
# The variables that start tracing: a wrong value could stop or change the
# program, be swallowed in silence, or mean something else than is written.
. "$(dirname "$0")/programs.sh"
build plain
"$tmp/plain.opt" >"$tmp/expected"

# plain VARIABLE=VALUE...: in an empty folder; the file is kept
plain() {
  run env OCAML_EVENTRING_KEEP=1 "$@" "$tmp/plain.$mode"
}
as_usual() { exits 3 && diff "$tmp/expected" "$tmp/out"; }
quietly() { as_usual && no_line; }
complaining() { as_usual && one_line "$@"; }

START=OCAML_EVENTRING_START PREFIX=OCAML_EVENTRING_PREFIX
KEEP=OCAML_EVENTRING_KEEP CLOCK=OCAML_EVENTRING_CLOCK
CATEGORIES=OCAML_EVENTRING_CATEGORIES

start() {
  fresh; plain
  ok "$mode: not asked for, the program runs as usual" quietly
  ok "$mode: not asked for, there is no file" no_ring
  fresh; plain $START=1
  ok "$mode: START=1: same output and exit code" quietly
  ok "$mode: START=1: a minor collection is there" shows '  begin     minor$'
  ok "$mode: START=1: from the start of the ring" shows '  ring_start  '
  ok "$mode: START=1: to its stop" shows '  ring_stop  '
  ok "$mode: START=1: the second domain is there" shows 'domain 1 .*minor'
  fresh; plain $START=paused
  ok "$mode: START=paused: same output and exit code" quietly
  ok "$mode: START=paused: nothing recorded" [ "$(count .)" = 0 ]
  fresh; plain $START=0
  ok "$mode: START=0: as usual" quietly
  ok "$mode: START=0: no file" no_ring
  fresh; plain $START=
  ok "$mode: START empty: as not set" quietly
  ok "$mode: START empty: no file" no_ring
  fresh
  (exec <&- >&- 2>&- && exec env $START=1 $KEEP=1 "$tmp/plain.$mode")
  ok "$mode: standard descriptors closed: the file is whole" eval \
    'shows "  minor\$" && [ "$(eventring stat "$(ring)" | wc -l)" -gt 3 ]'
  for bad in yes 2 11 PAUSED ' 1'; do
    fresh; plain "$START=$bad"
    ok "$mode: START=$bad: one line names it" complaining $START "$bad"
    ok "$mode: START=$bad: no file" no_ring
  done
}
both start

prefix() {
  fresh; mkdir there; plain $START=1 $PREFIX="$tmp/w/there"
  ok "$mode: PREFIX: the file is there" inside there shows '  minor$'
  fresh; mkdir there elsewhere
  run env $START=1 $KEEP=1 $PREFIX=there "$tmp/plain.$mode" elsewhere
  ok "$mode: a relative PREFIX and a chdir: as usual" quietly
  ok "$mode: the file stays where it began, whole" \
    inside there shows '  ring_stop  '
  ok "$mode: nothing appears in the new directory" [ -z "$(ls elsewhere)" ]
  fresh; mkdir there elsewhere
  run env $START=1 $PREFIX=there "$tmp/plain.$mode" elsewhere
  ok "$mode: and without KEEP it is removed from there" [ -z "$(ls there)" ]
  fresh; plain $START=1 $PREFIX=missing
  ok "$mode: PREFIX missing: one line says so" complaining missing \
    'No such file or directory'
  fresh; : >file; plain $START=1 $PREFIX=file
  ok "$mode: PREFIX a file: one line says so" complaining file \
    'Not a directory'
  ok "$mode: PREFIX a file: the file is untouched" [ ! -s file ]
  fresh; plain $START=1 $PREFIX="$(printf '%05000d' 0)"
  ok "$mode: PREFIX of 5000 bytes: one line says so" complaining 'too long'
  odd=$(printf 'caf\303 x'); fresh; mkdir "$odd"; plain $START=1 $PREFIX="$odd"
  ok "$mode: PREFIX of any bytes" inside "$odd" shows '  minor$'
  if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null &&
     setpriv --reuid 65534 --clear-groups "$tmp/plain.opt" >/dev/null 2>&1
     [ $? = 3 ]; then
    fresh; mkdir closed
    run env $START=1 $PREFIX=closed \
      setpriv --reuid 65534 --clear-groups "$tmp/plain.$mode"
    ok "$mode: PREFIX not writable: one line says so" complaining closed \
      'Permission denied'
    ok "$mode: PREFIX not writable: nothing there" [ -z "$(ls closed)" ]
  else
    skip "$mode: PREFIX not writable" "cannot become another user"
  fi
}
both prefix

keep() {
  for no in '' 0; do
    fresh; plain $START=1 $KEEP=$no
    ok "$mode: KEEP=$no: as usual" quietly
    ok "$mode: KEEP=$no: the file is removed" no_ring
  done
  fresh; plain $START=1 $KEEP=maybe
  ok "$mode: KEEP=maybe: one line names it" complaining $KEEP maybe
  ok "$mode: KEEP=maybe: not kept" no_ring
}
both keep

categories() {
  fresh; plain $START=1 $CATEGORIES=domain
  ok "$mode: only category domain: has domains" shows '  domain_spawn'
  ok "$mode: only category domain: nothing else" lacks '  minor'
  fresh; plain $START=1 $CATEGORIES=gc,domain
  ok "$mode: gc,domain: has both" eval \
    "shows '  domain_spawn' && shows '  minor\$'"
  ok "$mode: gc,domain: no details" lacks '  minor_local_roots$'
  fresh; plain $START=1
  ok "$mode: by default: no details" eval \
    "lacks '  minor_local_roots\$' && lacks '  stw_'"
  fresh; plain $START=1 $CATEGORIES=all
  ok "$mode: all: details" eval \
    "shows '  minor_local_roots\$' && shows '  stw_'"
  fresh; plain $START=1 $CATEGORIES=-user
  ok "$mode: -user: the rest stays" eval \
    "shows '  domain_spawn' && shows '  minor\$' && shows '  stop_the_world'"
  ok "$mode: -user: no details all the same" lacks '  minor_local_roots$'
  fresh; plain $START=1 $CATEGORIES=all,-gc,-gc_detail
  ok "$mode: all,-gc,-gc_detail" eval \
    "shows '  domain_spawn' && lacks '  minor\$'"
  fresh; plain $START=1 $CATEGORIES=gc,nonsense
  ok "$mode: an unknown category: one line names it" complaining \
    $CATEGORIES nonsense gc_detail
  ok "$mode: an unknown category: the others count" shows '  minor$'
  fresh; plain $START=1 $CATEGORIES=-nonsense
  ok "$mode: an unknown category to remove: one line" complaining nonsense
  ok "$mode: an unknown category to remove: the default stays" \
    shows '  minor$'
  for none in -all , gc,-gc; do
    fresh; plain $START=1 $CATEGORIES=$none
    ok "$mode: $none leaves no category: one line" complaining \
      $CATEGORIES "no category"
    ok "$mode: $none leaves no category: the default stays" shows '  minor$'
  done
  fresh; plain $START=1 $CATEGORIES=gc,,domain,
  ok "$mode: empty items are nothing" quietly
}
both categories

clock() {
  for kind in monotonic tsc; do
    fresh; plain $START=1 $CLOCK=$kind
    ok "$mode: CLOCK=$kind: as usual" quietly
    ok "$mode: CLOCK=$kind: ordered by time, within this hour" eval \
      'eventring events "$(ring)" |
         awk "\$1 < last || \$1 > 3600 { exit 1 } { last = \$1 }"'
  done
  fresh; plain $START=1 $CLOCK=sundial
  ok "$mode: CLOCK=sundial: one line names it" complaining $CLOCK sundial
  ok "$mode: CLOCK=sundial: traced with another" shows '  minor$'
}
both clock
mode=opt
fresh; plain $START=1 $CLOCK=monotonic
ok "CLOCK=monotonic: ticks are nanoseconds" eval \
  'eventring events --raw "$(ring)" | awk -F "\t" "\$1 != \$2 { exit 1 }"'

synonyms() {
  OLD=OCAML_RUNTIME_EVENTS
  fresh; mkdir there
  run env ${OLD}_START=1 ${OLD}_DIR=there ${OLD}_PRESERVE=1 "$tmp/plain.$mode"
  ok "$mode: the old names: as usual" quietly
  ok "$mode: the old names: the file is there, kept" \
    inside there shows '  minor$'
  ok "$mode: the old names: the file has its old name" \
    inside there eval '[ "$(ring)" = "$(ls)" ] && ls ./*.events'
  fresh; mkdir there
  run env ${OLD}_START=1 ${OLD}_DIR=there "$tmp/plain.$mode"
  ok "$mode: the old names: not kept unless asked" [ -z "$(ls there)" ]
  fresh; mkdir old new
  run env ${OLD}_START=1 $START=0 "$tmp/plain.$mode"
  ok "$mode: START=0 wins over the old start" eval 'quietly && [ -z "$(
    ring)" ]'
  run env $START=1 $PREFIX=new ${OLD}_DIR=old $KEEP=1 "$tmp/plain.$mode"
  ok "$mode: PREFIX wins over the old directory" \
    [ "$(ls old | wc -l) $(ls new | wc -l)" = "0 1" ]
  fresh
  run env $START=1 $KEEP=0 ${OLD}_PRESERVE=1 "$tmp/plain.$mode"
  ok "$mode: KEEP=0 wins over the old preserve" no_ring
}
both synonyms

size() {
  for e in 10 4 1; do
    fresh; plain $START=1 OCAMLRUNPARAM=e=$e
    ok "$mode: OCAMLRUNPARAM=e=$e: as usual" quietly
    ok "$mode: OCAMLRUNPARAM=e=$e: the end is there" shows '  ring_stop  '
  done
  fresh; plain $START=1 OCAMLRUNPARAM=v=0,e=10
  ok "$mode: e=10: two rings of 1024 words hold less than their size" \
    [ "$(count .)" -lt 2048 ]
  for bad in e=0 e=99 e=abc e= e=-4 e=31 e=10k; do
    fresh; plain $START=1 OCAMLRUNPARAM=$bad
    ok "$mode: OCAMLRUNPARAM=$bad: one line names it" complaining $bad
    ok "$mode: OCAMLRUNPARAM=$bad: traced with the default" \
      shows '  ring_stop  '
  done
  fresh; plain OCAMLRUNPARAM=e=99
  ok "$mode: e=99 of a program that is not traced is nobody's business" \
    quietly
}
both size
finish
