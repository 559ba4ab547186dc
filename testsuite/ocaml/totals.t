#!/bin/sh
# If this breaks, the totals in a ring file differ from the events that were written,
# or begin anew when the rings get another size, or hold the words that were allocated
# before the session.
. "$(dirname "$0")/programs.sh"
build totals unix

# add_up FILE: all events of the file are there, and the totals are their sums
add_up() {
  eventring stat --json "$1" >stat.json || return 1
  jq -e '. as $all | .lost_events == 0 and .totals.pauses > 0
    and ("minor_collections major_slices major_cycles compactions explicit_calls
          allocated_words promoted_words major_allocated_words"
         | split("\\s+"; null) | all($all.totals[.] == $all.total[.]))' \
    stat.json && return
  jq -c '.totals | del(.rings)' stat.json
  jq -c '.total | del(.pauses)' stat.json
  false
}

# as_said FILE: the totals are as the program has printed them.
as_said() {
  eventring stat --json "$1" >stat.json || return 1
  # Printing its counts, the program allocates more small blocks.
  printing=$(eventring events --json --name=allocated_at_end "$1" |
    jq -s '.[-1].fields.minor')
  while read -r count said; do
    total=$(jq ".totals.$count" stat.json)
    [ "$count" = allocated_words ] && total=$((total - printing))
    [ "$total" = "$said" ] || { echo "$count: $total, not $said"; return 1; }
  done <"$tmp/out"
}

# as_counted: the totals of each session, less the words that a domain allocates
# between the counts of Gc and the session, as in session 0, are the counts
as_counted() {
  [ "$(wc -l <counts)" = 6 ] || return 1
  while read -r session domain said promoted direct; do
    set -- $(eventring stat --json "$session"/*.eventring | jq ".totals.rings[] |
      select(.last_domain == $domain) | .allocated_words, .promoted_words,
      .major_allocated_words - .promoted_words")
    [ "$session" = 0 ] && eval "around_$domain=$((said - $1))"
    around=$((around_$domain))
    [ "$around" -ge 0 ] && [ "$around" -lt 50 ] &&
      [ "$1 $2 $3" = "$((said - around)) $promoted $direct" ] || {
      echo "session $session, domain $domain: $*, not $said $promoted $direct"
      return 1
    }
  done <counts
}
# of_child: the child has its own words and those that it needs to print them
of_child() {
  read -r child words <said
  more=$(($(eventring stat --json "$child.eventring" |
    jq .totals.allocated_words) - words))
  echo "$more more than $words"
  [ "$more" -ge 0 ] && [ "$more" -lt 1000 ]
}

kinds() {
  with=OCAMLRUNPARAM=e=9
  record totals resize
  ok "$mode: a new session goes on counting where the one before has ended" \
    as_said "$(ring)"
  eventring stat --json snapshot >stat.json
  ok "$mode: it also has the totals of rings that it has not used" jq -e \
    '.totals | .domains == 2 and .minor_collections > 0' stat.json
  with=OCAMLRUNPARAM=e=20
  record totals pause
  ok "$mode: collections in a pause are in no total" add_up "$(ring)"
  fresh
  # shellcheck disable=SC2086
  env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 $with "$tmp/totals.$mode" \
    fork >said
  n=0
  for file in $(ring); do
    n=$((n + 1))
    ok "$mode: the totals of a parent and of its child are their own, $n" \
      add_up "$file"
  done
  ok "$mode: there are two files" [ $n = 2 ]
  ok "$mode: the words of the parent are not in the child" of_child
  fresh
  env OCAML_EVENTRING_KEEP=1 "$tmp/totals.$mode" sessions >counts
  ok "$mode: words from before a session are not in it" as_counted
  record totals calls
  eventring stat --json "$(ring)" >stat.json
  ok "$mode: between the collections of a call, the program is not paused" jq -e \
    '.totals | .explicit_calls == 10 and .pauses > 20' stat.json
  fresh
  # shellcheck disable=SC2086
  run env OCAML_EVENTRING_START=1 $with OCAML_EVENTRING_CATEGORIES=gc \
    "$tmp/totals.$mode" cut
  ok "$mode: a file that is cut before its totals are taken over does no harm" \
    eval 'exits 0 && out_has "works on"'
  record totals snapshot
  ok "$mode: a snapshot has the totals" add_up snapshot
}
both kinds
finish
