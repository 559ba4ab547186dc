#!/bin/sh
# Samples of OCaml code that was inlined: the line of the instruction, and the
# lines of the calls as far as they can be known; names of functions that make no
# calls, and of anonymous ones.
. "$(dirname "$0")/lib.sh"
cp "$here/inlined.ml" "$here/library.ml" .
line_of() { grep -n "(\* $1 \*)" inlined.ml library.ml | cut -d : -f 2; }

if ! command -v jq >/dev/null; then
  skip "inlined code" "no jq"
  finish
fi
"$EVENTRING_STAGE/bin/ocamlopt" -g library.ml inlined.ml -o program || exit 1

# The lines of the machine code, without the filling between functions: SYMBOL FILE
# LINE ADDRESS.
objdump -d --no-show-raw-insn program |
  awk '/^[0-9a-f]+ <camlInlined\./ { name = $2; gsub(/[<>:]|_[0-9]+>:$/, "", name) }
    /^$/ { name = "" }
    name != "" && /^ +[0-9a-f]+:/ && !/nop|xchg +%ax,%ax/ { sub(":", "", $1); print $1, name }' >code
addr2line -e program $(cut -d ' ' -f 1 code) | sed 's,.*/,,; s/ (disc.*//; s/:/ /' |
  paste -d ' ' code - | awk '{ sub("camlInlined[.]", "", $2); print $2, $3, $4, $1 }' >lines

# shown FUNCTION LINE [FILE]: the different frames of the code of FUNCTION that has
# the line, one stack a line
shown() {
  {
    mapping program
    awk -v f="$1" -v line="$2" -v file="${3:-inlined.ml}" '
      $1 == f && $2 == file && $3 == line { print $4 }' lines |
      while read -r number; do echo "sample 1 0 0 $(address "$number")"; done
  } | ./make_profile samples.eventring || return
  eventring profile --json samples.eventring >out 2>err || return
  jq -r '.stacks[].frames | map("\(.function | sub("^Inlined\\."; "")) " +
    "\(.file):\(.line // "?")") | join(", ")' out | sort -u
}
# has NAME FUNCTION LINE-MARK FRAMES...: a test
has() {
  name=$1 function=$2 line=$(line_of "$3")
  case $3 in SCALE) file=library.ml ;; *) file=inlined.ml ;; esac
  shift 3
  for stack; do echo "$stack"; done | sort >want
  shown "$function" "$line" "$file" >got
  ok "$name" diff want got
}
# at_line FUNCTION MARK: a frame
at_line() { echo "$1 inlined.ml:$(line_of "$2")"; }

has "code of the function itself" loop LOOP "$(at_line loop LOOP)"
has "inlined, and no call or check tells where: the function, without a line" \
  loop SQUARE "$(at_line square SQUARE), loop inlined.ml:?"
has "the same code where it is not inlined" square SQUARE \
  "$(at_line square SQUARE)"
has "inlined, with a check of bounds: the line that calls it" once GET \
  "$(at_line get GET), $(at_line once ONCE)"
has "inlined in a function that is inlined" nested GET \
  "$(at_line get GET), $(at_line middle MIDDLE), $(at_line nested NESTED)"
has "code of the function between" nested MIDDLE \
  "$(at_line middle MIDDLE), $(at_line nested NESTED)"
has "inlined by two lines, and a check does not tell which: no line" twice GET \
  "$(at_line get GET), twice inlined.ml:?"
has "a call tells which of two lines" both CALL \
  "$(at_line around CALL), $(at_line both FIRST)" \
  "$(at_line around CALL), $(at_line both SECOND)"
has "but not for the code between two calls" both AROUND \
  "$(at_line around AROUND), both inlined.ml:?"
has "inlined from another module" other SCALE \
  "Library.scale library.ml:$(line_of SCALE), $(at_line other OTHER)"
has "a function inside of the one where it is inlined" outer LOCAL \
  "$(at_line outer.local LOCAL), outer inlined.ml:?"
has "the function around is not named by a closure that it makes" outer OUTER \
  "$(at_line outer OUTER)"

# names NAME MARK FUNCTION...: a test: the functions that have the line
names() {
  name=$1 line=$(line_of "$2")
  shift 2
  for function; do echo "$function"; done | sort >want
  {
    mapping program
    awk -v line="$line" '$2 == "inlined.ml" && $3 == line && $1 != "entry" {
        print $4 }' lines |
      while read -r number; do echo "sample 1 0 0 $(address "$number")"; done
  } | ./make_profile samples.eventring || return
  eventring profile --json samples.eventring >out 2>err || return
  jq -r '.functions[].function' out | sort >got
  ok "$name" diff want got
}
names "a closure of an array: its line" FIRST_FUN \
  "Inlined.(fun:$(line_of FIRST_FUN))"
fun=$(line_of OTHER_FUNS)
names "two closures in one line: their columns" OTHER_FUNS \
  "Inlined.(fun:$fun:2)" "Inlined.(fun:$fun:20)"
names "a closure with variables: its function, too" CLOSURE Inlined.variables \
  "Inlined.variables.(fun:$(line_of CLOSURE))"
names "without calls, between functions of its module: the module" QUIET \
  Inlined.Sub.quiet
names "and of a module inside" DEEPER Inlined.Sub.Deep.deeper
names "between functions of different modules" OUTSIDE Inlined.outside
names "without calls, in a functor" MADE Inlined.Make.made Inlined.Make

run eventring profile --by=line samples.eventring
ok "nothing is said of lines" [ ! -s err ]
finish
