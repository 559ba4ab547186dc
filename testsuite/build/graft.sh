# Read by tests of upstream/graft: functions that lay the project over a real tree
# of OCaml, after lib.sh.
#
#   real TREE NAME     tests that the overlay and the edits fit
#   all_renamed NAME   after it: tests that they do not when a function of $tree
#                      has another name

real() { # TREE NAME
  rm -rf "$tmp/tree"
  mkdir "$tmp/tree"
  # The build has made patches of the same input.
  [ ! -d "$EVENTRING_BUILD/ocaml/.patched" ] ||
    cp -R "$EVENTRING_BUILD/ocaml/.patched" "$tmp/tree"
  run "$top/upstream/graft" --pristine "$1" --out "$tmp/tree"
  ok "$2: the project's own overlay and edits fit OCaml's tree" eval \
    'succeeds && ! says warning'
  run "$top/upstream/graft" --pristine "$1" --out "$tmp/tree"
  ok "$2: and are stable" says ' 0 of '
  rm -rf "$tmp/patched"
  mv "$tmp/tree/.patched" "$tmp/patched"
}

# And could fail to: in OCaml's own tree, functions that rules need are renamed.
renamed() { # NAME, with lines "FILE FUNCTION RULE" on standard input
  rm -rf "$tmp/renamed" "$tmp/tree"
  cp -rs "$tree" "$tmp/renamed"
  cat >"$tmp/renames"
  while read -r file function rule; do
    sed "s/\\<$function\\>/${function}_x/g" "$tmp/renamed/$file" >"$tmp/new"
    rm "$tmp/renamed/$file"
    mv "$tmp/new" "$tmp/renamed/$file"
  done <"$tmp/renames"
  mkdir "$tmp/tree"
  # The other files need not be computed again.
  mv "$tmp/patched" "$tmp/tree/.patched"
  run "$top/upstream/graft" --pristine "$tmp/renamed" --out "$tmp/tree" --all
  ok "$1: with functions renamed the graft stops" test "$status" -ne 0
  while read -r file function rule; do
    ok "$1: without $function: file, rule $rule and the new name are named" \
      grep -q \
      "$file: anchor.*0 times.*(rule $rule of .*near.*${function}_x for $function" \
      "$tmp/out"
  done <"$tmp/renames"
  ok "$1: and nothing is written" [ "$(ls -A "$tmp/tree")" = .patched ]
}
all_renamed() { # NAME
  renamed "$1" <<'END'
runtime/domain.c decrement_stw_domains_still_processing stop_over
runtime/domain.c requested_minor_gc minor_heap_full
runtime/major_gc.c stw_try_complete_gc_phase phase
runtime/signals.c caml_leave_blocking_section leave
runtime/sync.c caml_ml_condition_wait condition
otherlibs/systhreads/st_stubs.c caml_threadstatus_wait join
END
}
