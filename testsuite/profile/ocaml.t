#!/bin/sh
# OCaml code in a profile: names of functions, lines of calls from frame tables
# with the calls inlined there, lines of interrupted code, of allocations; in position-dependent
# and independent executables, with a separate debug file.
. "$(dirname "$0")/lib.sh"
cp "$here/work.ml" .
line_of() { grep -n "(\* $1 \*)" work.ml | cut -d : -f 1; }

# symbol NAME: the symbol of the function NAME of work.ml
symbol() { symbols program | awk '{ print $2 }' | grep "^camlWork\.$1_[0-9]*\$"; }

# in_call FUNCTION: behind the first indirect or direct call of FUNCTION
in_call() {
  address "$(objdump -d --no-show-raw-insn program | awk -v f="<$1>:" '
    $2 == f { in_it = 1 } in_it && found { print $1; exit }
    in_it && /call/ && $NF !~ /caml_call/ { found = 1 }' | tr -d :)"
}

# The number in ADDRESS plus N.
plus() { printf '%x ' $((0x$1 + $2)); }

samples() {
  leaf=$(symbol leaf)
  anonymous=$(symbols program | awk '{ print $2 }' | grep '^camlWork\.fun_' | head -1)
  operator=$(symbol '$2b$40')
  echo "at 1 100 0"
  mapping program
  echo "sample 1000 0 0 $(at "$leaf")$(in_call "$(symbol outer)")"
  echo "sample 2000 0 0 $(at "$leaf")$(in_call "$anonymous")$(in_call "$(symbol alloc)")"
  echo "sample 4000 0 0 $(at "$leaf")$(in_call "$operator")"
}

want() {
  sort <<END
$(frames "Work.leaf work.ml:$(line_of LEAF)" \
  "Work.inner work.ml:$(line_of INNER)" "Work.outer work.ml:$(line_of OUTER)")
$(frames "Work.leaf work.ml:$(line_of LEAF)" \
  "Work.alloc.(fun:$(($(line_of ANONYMOUS) - 1))) work.ml:$(line_of ANONYMOUS)" \
  "Work.alloc work.ml:$(($(line_of ANONYMOUS) - 1))")
$(frames "Work.leaf work.ml:$(line_of LEAF)" \
  "Work.(+@) work.ml:$(line_of OPERATOR)")
END
}
frames() { for frame; do printf '%s, ' "$frame"; done; }
shown() {
  eventring profile --json samples.eventring >out 2>err
  jq -r '.stacks[].frames | map("\(.function) \(.file):\(.line), ") | add' out |
    sort
}
same_frames() { want >want; shown | diff want -; }

if ! command -v jq >/dev/null; then
  skip "OCaml code" "no jq"
  finish
fi
for kind in pie no-pie; do
  "$EVENTRING_STAGE/bin/ocamlopt" -g -ccopt -$kind work.ml -o program ||
    { skip "$kind" "the linker cannot"; continue; }
  [ $kind = pie ] || base=0
  samples | ./make_profile samples.eventring || exit 1
  ok "$kind: functions and lines, inlined and anonymous ones" same_frames
  ok "$kind: nothing is said" [ ! -s err ]
done
strip -o stripped program
mkdir .debug
objcopy --only-keep-debug program .debug/program.debug
objcopy --add-gnu-debuglink=.debug/program.debug stripped program
ok "stripped, with a separate debug file: the same" same_frames
rm -r .debug
# An OCaml executable exports its symbols, and has its frame tables anyway.
run eventring profile --by=line samples.eventring
ok "stripped: lines of calls, functions elsewhere" eval '
  out_has "Work.inner  work.ml:$(line_of INNER)\$" && out_has "Work.leaf\$" &&
  [ "$(grep -c "program has no debug information" err)" = 1 ]'

# Without -g calls still have lines, in the frame tables.
"$EVENTRING_STAGE/bin/ocamlopt" work.ml -o program || exit 1
base=0x555500000000
samples | ./make_profile samples.eventring || exit 1
run eventring profile --by=line samples.eventring
ok "without -g: no lines of interrupted code, and says so once" eval '
  out_has "Work.leaf\$" &&
  [ "$(grep -c "compiled without -g: Work.leaf has no lines" err)" = 1 ]'

# Several allocations in one step: each has its line, from the lowest address on,
# which is the last one to be filled.
step() { # ALLOCATION
  echo "alloc 1000 0 0 0 2 0 $1 $(address "$(
    objdump -d --no-show-raw-insn program | awk -v f="<$(symbol step)>:" '
      $2 == f { in_it = 1 } in_it && found { print $1; exit }
      in_it && /call.*<caml_call_gc>/ { found = 1 }' | tr -d :)")"
}
"$EVENTRING_STAGE/bin/ocamlopt" -g work.ml -o program || exit 1
{
  mapping program
  step 0; step 1; step 1; step 2; step 2; step 2; step 2
} | ./make_profile steps.eventring || exit 1
run eventring profile --type=alloc --by=line steps.eventring
has_bytes() { # BYTES MARK
  out_has "^ *$1 .*  Work.step  work.ml:$(line_of "$2")\$"
}
ok "allocations of one step: each at its line" eval 'exits 0 &&
  has_bytes "31.2 KiB" STEP_FIRST && has_bytes "15.6 KiB" STEP_SECOND &&
  has_bytes "7.81 KiB" STEP_THIRD'

# Every return address of the standard library has a function and a line.
"$EVENTRING_STAGE/bin/ocamlopt" -g work.ml -o program || exit 1
{
  mapping program
  objdump -d --no-show-raw-insn program | awk '
    /^[0-9a-f]+ </ { stdlib = /<camlStdlib__(List|Seq|Bytes)\./ }
    found { print $1; found = 0 } stdlib && /call +[0-9a-f]+ <caml/ { found = 1 }
  ' | tr -d : | sed 200q | while read -r number; do
    echo "sample 1 0 0 $(at camlWork.entry)$(address "$number")"
  done
} | ./make_profile samples.eventring || exit 1
run eventring profile --json samples.eventring
ok "calls of the standard library have functions and lines" eval '
  [ "$(jq ".stacks | length" out)" -gt 100 ] && [ "$(jq "[.stacks[] |
    select(.frames[1].function | test(\"^Stdlib\\\\.(List|Seq|Bytes)\\\\.\") |
      not)] | length" out)" = 0 ]'
finish
