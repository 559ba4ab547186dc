#!/bin/sh
# The table of events: doc/EVENTS.md is made from it, with advice on every event;
# ids never change; and it names the same things as Runtime_events of the tree
# that is being built.
: "${EVENTRING_TOP:=$(git rev-parse --show-toplevel)}"
: "${EVENTRING_BUILD:=$EVENTRING_TOP/_build}"
. "$(dirname "$0")/lib.sh"

headers=$top/runtime/caml
version=$(head -n1 "$EVENTRING_BUILD/ocaml/VERSION")
module=$EVENTRING_BUILD/ocaml/otherlibs/runtime_events/runtime_events

# compile TABLE: makes the page from this table and the format header next to it
compile() {
  rm -rf "$tmp/include" && mkdir -p "$tmp/include/caml"
  cp "$headers/eventring_format.h" "$tmp/include/caml"
  cp "$1" "$tmp/include/caml/eventring_events.tbl"
  ${CC:-cc} -std=gnu11 -I"$tmp/include" -o "$tmp/events-md" \
    "$top/build-aux/events-md.c" && "$tmp/events-md" >"$tmp/EVENTS.md"
}

page_is_current() {
  diff "$top/doc/EVENTS.md" "$1" ||
    { echo "run: make doc/EVENTS.md"; return 1; }
}

# of_table TABLE [FLAGS]: a line "part constructor name id" an event; with
# -DEVENTRING_OCAML=3 in FLAGS, of OCaml 5.3
of_table() {
  {
    echo '#define PHASE(id, number, category, name, doc)' \
      'runtime_phase id name number'
    echo '#define COUNTER(id, number, category, unit, name, doc)' \
      'runtime_counter id name number'
    echo '#define GROUPED(id, number, part, event, place, scale, unit, name, doc)' \
      'runtime_counter id name number'
    echo '#define LIFECYCLE(id, number, category, name, doc)' \
      'lifecycle id name number'
    echo '#define RECORD(id, number, category, payload, unit, name, doc)' \
      'record id name number'
    echo '#define COMPLETE(id, number, category, name, doc) record id name number'
    cat "$1"
  } | ${CC:-cc} ${2:+"$2"} -E -P -x c - | tr -d '"' | xargs -n 4 echo
}

# constructors FILE TYPE: prints the constructors of a variant type, one a line
constructors() {
  awk -v type="$2" '
    /^(type|let|val|module|external) / { inside = $1 == "type" && $2 == type }
    inside && match($0, /^[| ] *EV_[A-Z_0-9]+/) {
      sub(/^[| ] */, ""); print $1 }' "$1"
}

# names FILE TYPE: "constructor name" lines of the function TYPE_name
names() {
  awk -v function_name="$2_name" '
    /^(type|let|val|module|external) / {
      inside = $1 == "let" && $2 == function_name }
    inside' "$1" | tr '\n' ' ' | grep -o 'EV_[A-Z_0-9]* *-> *"[^"]*"' |
    sed 's/ *-> *"/ /; s/"$//'
}

# agrees TABLE TYPE: the table's part equals the OCaml module's, in its order:
# the order is the wire format of stock OCaml. Development versions may lack
# the newest events of the release to come.
agrees() {
  minor=${version#5.}
  of_table "$1" "-DEVENTRING_OCAML=${minor%%.*}" |
    sed -n "s/^$2 \(.*\) [0-9]*$/\1/p" >"$tmp/pairs"
  [ -s "$tmp/pairs" ] || { echo "the table has no $2"; return 1; }
  case $version in *+dev*)
    head -n "$(constructors "$module.ml" "$2" | wc -l)" "$tmp/pairs" \
      >"$tmp/older"
    mv "$tmp/older" "$tmp/pairs" ;;
  esac
  cut -d ' ' -f 1 "$tmp/pairs" >"$tmp/known"
  for file in "$module.ml" "$module.mli"; do
    constructors "$file" "$2" | diff "$tmp/known" - ||
      { echo "constructors of $2 in $file"; return 1; }
  done
  names "$module.ml" "$2" | sort >"$tmp/names"
  sort "$tmp/pairs" | diff - "$tmp/names" ||
    { echo "names of $2 in $module.ml"; return 1; }
}

# ids, event_names: print ids and names of all events on the page, one a line
ids() { sed -n 's/^[A-Z][a-z]*, id \([0-9]*\).*/\1/p' "$tmp/EVENTS.md"; }
event_names() {
  awk '/^## Causes/ { exit } /^### / { print $2 }' "$tmp/EVENTS.md"
}

# unique ids|event_names
unique() {
  "$1" | sort >"$tmp/all"
  [ "$(wc -l <"$tmp/all")" -eq "$(of_all)" ] ||
    { echo "$(wc -l <"$tmp/all") of $(of_all) events"; return 1; }
  uniq -d "$tmp/all" >"$tmp/twice"
  [ ! -s "$tmp/twice" ] || { echo "twice:"; cat "$tmp/twice"; return 1; }
}
of_all() {
  grep -cE '^(PHASE|COUNTER|LIFECYCLE|RECORD|COMPLETE)\(' \
    "$headers/eventring_events.tbl"
}

# given TABLE: its ids equal testsuite/build/event-ids, each once and in the
# range of its part
given() {
  of_table "$1" "" | awk '{ print $4, $2, $3 }' | sort -n >"$tmp/ids"
  [ -s "$tmp/ids" ] || { echo "no ids"; return 1; }
  grep -v '^#' "$top/testsuite/build/event-ids" | diff - "$tmp/ids" || return 1
  cut -d ' ' -f 1 "$tmp/ids" | uniq -d >"$tmp/twice"
  [ ! -s "$tmp/twice" ] || { echo "twice:"; cat "$tmp/twice"; return 1; }
  of_table "$1" "" | awk '
    BEGIN {
      first["runtime_phase"] = 1; end["runtime_phase"] = 256
      first["runtime_counter"] = 256; end["runtime_counter"] = 512
      first["lifecycle"] = 512; end["lifecycle"] = 640
      first["record"] = 640; end["record"] = 1024
    }
    $4 < first[$1] || $4 >= end[$1] { print; bad = 1 }
    END { exit bad }'
}

# not_given TABLE LINE: the check above says no, for this line of a diff
not_given() {
  if given "$1" >"$tmp/said"; then echo "passes"; return 1; fi
  grep -qxF -e "$2" "$tmp/said" || { cat "$tmp/said"; return 1; }
}

advised() {
  [ "$(grep -c '^\*When to worry:\* .*\.$' "$tmp/EVENTS.md")" -eq \
    "$(of_all)" ]
}

# disagrees TABLE TYPE LINE: the check above says no, for this line of a diff
disagrees() {
  if agrees "$1" "$2" >"$tmp/said"; then echo "passes"; return 1; fi
  grep -qxF -e "$3" "$tmp/said" || { cat "$tmp/said"; return 1; }
}

table=$headers/eventring_events.tbl
ok "the page compiles from the table" compile "$table"
ok "doc/EVENTS.md is made from the table" page_is_current "$tmp/EVENTS.md"
ok "no id is used twice" unique ids
ok "no name is used twice" unique event_names
ok "ids are those that were given once, in testsuite/build/event-ids" \
  given "$table"
ok "every event has its advice" advised
for part in runtime_phase runtime_counter lifecycle; do
  ok "$part: constructors and names are those of Runtime_events" \
    agrees "$table" "$part"
done

# A table with a name, an id or an event changed does not pass.
sed 's/"minor_local_roots"/"minor_roots"/' "$table" >"$tmp/renamed"
ok "a renamed span is noticed" disagrees "$tmp/renamed" runtime_phase \
  '< EV_MINOR_LOCAL_ROOTS minor_roots'
sed 's/(EV_RING_PAUSE, 514,/(EV_RING_PAUSE, 520,/' "$table" >"$tmp/changed"
ok "another id of an event is noticed" \
  not_given "$tmp/changed" '> 520 EV_RING_PAUSE ring_pause'
sed 's/(EV_RING_PAUSE, 514,/(EV_RING_PAUSE, 515,/' "$table" >"$tmp/changed"
ok "an id that is given to two events is noticed" \
  not_given "$tmp/changed" '> 515 EV_RING_PAUSE ring_pause'
# without ROW >TABLE: the table without the row that begins so
without() {
  awk -v row="$1" 'index($0, row) == 1 { gone = 1 }
    !gone { print } /\)$/ { gone = 0 }' "$table"
}
without 'COUNTER(EV_C_FORCE_MINOR_MEMPROF' >"$tmp/shorter"
ok "a counter that is missing is noticed" \
  disagrees "$tmp/shorter" runtime_counter '> EV_C_FORCE_MINOR_MEMPROF'
without 'GROUPED(EV_C_MINOR_PROMOTED' >"$tmp/shorter"
ok "a counter that no ring holds and that is missing is noticed" \
  disagrees "$tmp/shorter" runtime_counter '> EV_C_MINOR_PROMOTED'
# fails_saying LINE TABLE: no page is made of this table
fails_saying() {
  if compile "$2" 2>"$tmp/said"; then echo "passes"; return 1; fi
  grep -qxF -e "$1" "$tmp/said" || { cat "$tmp/said"; return 1; }
}
without 'WORRY("minor"' >"$tmp/silent"
ok "an event without advice is noticed" \
  fails_saying 'no WORRY for minor' "$tmp/silent"
without 'PHASE(EV_COMPACT_RELEASE' >"$tmp/gone"
ok "advice on no event is noticed" \
  fails_saying 'WORRY for compaction_release, and there is no such event' \
  "$tmp/gone"
sed '/^LIMIT(MUTEX_TIME/s/ 5, "%"/ 6, "%"/' "$table" >"$tmp/other"
ok "a limit of diagnose that the advice on its event lacks is noticed" \
  fails_saying 'the WORRY for mutex_wait does not have 6 %' "$tmp/other"
sed '/more than 5 % of it and/s/more than 5 %/more than 15 %/' "$table" \
  >"$tmp/other"
ok "advice with another number than the limit is noticed" \
  fails_saying 'the WORRY for mutex_wait does not have 5 %' "$tmp/other"
sed 's/"finalisers", "finalisers", "runtime"/"finalisers", "none", "runtime"/' \
  "$table" >"$tmp/other"
ok "a rule for no event is noticed" \
  fails_saying 'RULE for none, and there is no such event' "$tmp/other"
sed 's/^ADVICE(LONG_STOP, "phase_done /ADVICE(LONG_STOP, "none /' "$table" \
  >"$tmp/other"
ok "advice for no cause is noticed" fails_saying \
  'ADVICE of long_stop for none, and there is no such cause' "$tmp/other"
old_page_is_noticed() {
  sed 's/"Marking ephemerons"/"Marking them"/' "$table" >"$tmp/reworded"
  compile "$tmp/reworded" && ! page_is_current "$tmp/EVENTS.md" >/dev/null
}
ok "a page that is out of date is noticed" old_page_is_noticed

finish
