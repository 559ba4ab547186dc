# Read by the tests of this folder: OCaml programs, compiled both ways and run
# under the recorder. TAP and common functions are in ../cli/tap.sh.
#
#   build NAME [LIBRARY|FILE...]  NAME.ml and the rest, into $tmp/NAME.opt and
#                                 $tmp/NAME.byte
#   both FUNCTION                 calls it with $mode = opt, then byte
#   fresh                         an empty folder $tmp/w, entered
#   ring                          the only ring file in the current folder
#   shows PATTERN                 eventring events $(ring) has such a line
#   inside FOLDER COMMAND...      runs it there
#   record PROGRAM ARG...         runs $tmp/PROGRAM.$mode in a fresh folder,
#                                 traced, and leaves its output in
#                                 $tmp/out, its events in ./events; set
#                                 variables of its environment in $with
#   has PATTERN, hasnt PATTERN    ./events has such a line, or none
#   well                          the recorded program ended in order, and
#                                 eventring check finds nothing
#   ends SPAN FIELD               ./events has an end of that span with this
#                                 name=value
#   dune3                         builds dune 3 from EVENTRING_TEST_SOURCES: $dune
#   perf_is_allowed               programs may call perf_event_open
#   since VERSION                 the compiler is of this version or later
#   checks PROGRAM...             a program that prints its own "ok - NAME" and
#                                 "not ok - NAME" lines and ends with "done"

. "$(dirname "$0")/../cli/tap.sh"
cd "$tmp" || exit 1

# Only variables set by a test may steer its programs.
for variable in START PREFIX KEEP CATEGORIES CLOCK THRESHOLD; do
  unset "OCAML_EVENTRING_$variable"
done
unset OCAML_RUNTIME_EVENTS_START OCAML_RUNTIME_EVENTS_DIR
unset OCAML_RUNTIME_EVENTS_PRESERVE OCAMLRUNPARAM CAMLRUNPARAM

# The folder of the compilers, and flags to add to every command line.
ocaml=$EVENTRING_STAGE
ocaml_flags=

give_up() {
  sed 's/^/# /' "$tmp/build.log"
  echo "Bail out! cannot build $1"
  exit 1
}

# compile_to OUTPUT COMPILER FLAG... FILE...: a LIBRARY among the files becomes
# LIBRARY.cma or .cmxa; files are taken from this folder
compile_to() {
  output=$1 compiler=$2
  shift 2
  suffix=cma
  [ "$compiler" = ocamlc ] || suffix=cmxa
  set -- "$@" --
  while [ "$1" != -- ]; do
    case $1 in
      unix|threads|dynlink|runtime_events)
        set -- "$@" -I "+$1" "$1.$suffix" ;;
      *.ml|*.c)
        cp "$here/$1" "$tmp/" && set -- "$@" "$1" ;;
      *) set -- "$@" "$1" ;;
    esac
    shift
  done
  shift
  # shellcheck disable=SC2086
  (cd "$tmp" && "$ocaml/bin/$compiler" -w +a-4-9-40-41-42-44-45-70 \
     $ocaml_flags -o "$output" "$@") >"$tmp/build.log" 2>&1
}

build() {
  stem=$1
  shift
  compile_to "$stem.opt" ocamlopt "$@" "$stem.ml" || give_up "$stem.opt"
  for file; do case $file in *.c) set -- -custom "$@"; break ;; esac; done
  compile_to "$stem.byte" ocamlc "$@" "$stem.ml" || give_up "$stem.byte"
}

both() {
  for mode in opt byte; do "$@"; done
}

fresh() {
  cd "$tmp" && rm -rf w && mkdir w && cd w || exit 1
}

ring() { ls -d -- *.eventring *.events 2>/dev/null; }
no_ring() { [ -z "$(ls -A)" ]; }

shows() { eventring events "$(ring)" | grep -q -e "$1"; }
count() { eventring events "$(ring)" 2>/dev/null | grep -c -e "$1"; }
lacks() { ! shows "$1"; }
inside() { (cd "$1" && shift && "$@"); }

with=
record() {
  program=$1
  shift
  fresh
  # shellcheck disable=SC2086
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 $with \
    timeout 60 "$tmp/$program.$mode" "$@"
  eventring events "$(ring)" >events
}
has() { grep -q -e "$1" events; }
hasnt() { ! has "$1"; }
ends() { has "  end  *$1  .*\<$2\( \|\$\)"; }
well() { exits "${1:-0}" && eventring check "$(ring)"; }

# One line on stderr, of ours, with all these words.
one_line() {
  [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q '^eventring: ' "$tmp/err" ||
    return 1
  for word; do grep -qF -e "$word" "$tmp/err" || return 1; done
}

since() {
  [ "$(printf '%s\n' "$1" "$("$ocaml/bin/ocamlc" -version)" |
    sort -V | head -n 1)" = "$1" ]
}

no_line() { ! [ -s "$tmp/err" ]; }

# Kept for the tests that follow, until there is another archive or compiler.  A
# test that runs at the same time waits.
dune3() {
  archive=$EVENTRING_TEST_SOURCES/clients/dune.tar.xz
  to=${EVENTRING_BUILD:-$EVENTRING_TOP/_build}/test/dune3
  dune=$to/dune/_boot/dune.exe
  mkdir -p "${to%/*}"
  (
    flock 8 || exit
    [ "$dune" -nt "$archive" ] && [ "$dune" -nt "$ocaml/bin/ocamlopt" ] && exit
    rm -rf "$to" && mkdir -p "$to" && tar -C "$to" -xf "$archive" &&
      cd "$to/dune" && PATH=$ocaml/bin:$PATH ocaml boot/bootstrap.ml -j 2
  ) 8>"$to.lock" >"$tmp/build.log" 2>&1
}

checks() {
  "$@" >"$tmp/checks" 2>"$tmp/err"
  status=$?
  : >"$tmp/out"
  while IFS= read -r line; do
    case $line in
      'ok - '*) ok "$mode: ${line#ok - }" true ;;
      'not ok - '*) ok "$mode: ${line#not ok - }" false ;;
      *) echo "# $line" ;;
    esac
  done <"$tmp/checks"
  ok "$mode: it came to its end" \
    eval '[ "$status" = 0 ] && [ "$(tail -n 1 "$tmp/checks")" = done ]'
}

perf_is_allowed() {
  grep -q '^Seccomp:[^0-9]*0$' /proc/self/status &&
    { [ "$(id -u)" = 0 ] ||
      [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ]; }
}
