#!/bin/sh
# The files that make install installs work: the compilers with their libraries,
# the command, libeventring with its header and pkg-config file. They are run
# from the stage, which is that installation made usable in place.
. "$(dirname "$0")/lib.sh"

stage=$EVENTRING_STAGE
version=$(head -n1 "$EVENTRING_BUILD/ocaml/VERSION")
PATH=$stage/bin:$PATH
cd "$tmp" || exit 1

prints() { grep -qxF -e "$1" "$tmp/out" || { cat "$tmp/out"; return 1; }; }

for program in ocaml ocamlc ocamlopt ocamlrun; do
  run $program -version
  ok "$program says what it is" says "$version"
done
run ocamlc -where
ok "the libraries are those of the stage" says "$stage/"

cat >release.ml <<'END'
let () =
  let { Sys.major; minor; patchlevel; extra } = Sys.ocaml_release in
  let extra = match extra with
    | Some (Sys.Plus, name) -> "+" ^ name
    | Some (Sys.Tilde, name) -> "~" ^ name
    | None -> "" in
  Printf.printf "%d.%d.%d%s %s\n" major minor patchlevel extra Sys.ocaml_version
END
cat >libraries.ml <<'END'
let () =
  Runtime_events.start ();
  let result = ref 0 in
  let thread = Thread.create (fun () -> result := Unix.getpid ()) () in
  Thread.join thread;
  let seen = ref 0 in
  let runtime_begin _ _ _ = incr seen in
  let callbacks = Runtime_events.Callbacks.create ~runtime_begin () in
  let cursor = Runtime_events.create_cursor None in
  Gc.full_major ();
  ignore (Runtime_events.read_poll cursor callbacks None);
  assert (!result = Unix.getpid ());
  print_endline (if !seen > 0 then "traced" else "nothing was traced")
END
libraries='-I +unix -I +threads -I +runtime_events'

for compiler in ocamlc ocamlopt; do
  case $compiler in ocamlc) a=cma ;; *) a=cmxa ;; esac
  run sh -c "$compiler -o release release.ml && ./release"
  ok "$compiler: hello, and the release is parsed" \
    prints "$version $version"
  for variant in '' '-runtime-variant d' '-runtime-variant i'; do
    run sh -c "$compiler $variant $libraries unix.$a threads.$a \
      runtime_events.$a -o libraries libraries.ml &&
      OCAMLRUNPARAM=v=0 ./libraries"
    ok "$compiler $variant: unix, threads and runtime_events" prints traced
  done
done
run ocamlc -custom $libraries unix.cma threads.cma runtime_events.cma \
  -o custom libraries.ml
run ./custom
ok "ocamlc -custom" prints traced
run sh -c "ocamlc -custom -runtime-variant _shared $libraries unix.cma \
  threads.cma runtime_events.cma -o shared libraries.ml &&
  LD_LIBRARY_PATH=$(ocamlc -where) ./shared"
ok "the shared runtime" prints traced
run sh -c "OCAMLRUNPARAM=v=0 ocaml release.ml"
ok "the toplevel runs a script" prints "$version $version"

# A two-file project of dune, which asks the compiler where things are.
if command -v dune >/dev/null; then
  mkdir project
  echo '(lang dune 2.9)' >project/dune-project
  echo '(executable (name main))' >project/dune
  echo 'let text = "built by dune with " ^ Sys.ocaml_version' >project/words.ml
  echo 'let () = print_endline Words.text' >project/main.ml
  run sh -c 'cd project && dune build --root . ./main.exe 2>&1 &&
    ./_build/default/main.exe'
  ok "dune builds a project" prints "built by dune with $version"
else
  skip "dune builds a project" "no dune"
fi

# libeventring, for a program in C
cat >reader.c <<'END'
#include <eventring_reader.h>
#include <stdio.h>
int main(void) { return puts(eventring_reader_version()) < 0; }
END
pc() {
  PKG_CONFIG_PATH=$stage/lib/pkgconfig \
    pkg-config --define-variable=prefix="$stage" "$@" eventring
}
ok "pkg-config knows eventring" pc --exists
run sh -c "${CC:-cc} -o reader reader.c $(pc --cflags --libs) &&
  LD_LIBRARY_PATH=$stage/lib ./reader"
ok "a C program with the shared library" succeeds
run sh -c "readelf -d reader | grep NEEDED"
ok "asks for libeventring.so.1" says 'libeventring.so.1'
run sh -c "${CC:-cc} -o reader reader.c $(pc --cflags) \
  $stage/lib/libeventring.a \
  $(pc --static --libs-only-l | sed 's/-leventring//') && ./reader"
ok "a C program with the static library" succeeds
run sh -c "nm -D --defined-only $stage/lib/libeventring.so.1 |
  awk '\$2 != \"A\" && \$3 !~ /^eventring_/ { print; bad = 1 }
    END { exit bad }'"
ok "the shared library exports eventring_ names only" succeeds
run eventring --help
ok "the command is installed" succeeds
ok "its man page is installed" test -f "$stage/share/man/man1/eventring.1"
ok "its completion for bash is installed" \
  test -f "$stage/share/bash-completion/completions/eventring"
ok "its completion for zsh is installed" \
  test -f "$stage/share/zsh/site-functions/_eventring"
ok "C code can include the runtime's headers" test -f \
  "$(ocamlc -where)/caml/eventring_events.tbl"

finish
