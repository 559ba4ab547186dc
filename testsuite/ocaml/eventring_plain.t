#!/bin/sh
# Module Eventring needs no library and no flag: the compilers, the toplevel,
# Dynlink, -output-obj and dune could fail to find it, or find half of it.
. "$(dirname "$0")/programs.sh"
cd "$tmp" || exit 1

cat >prog.ml <<'END'
let span = Eventring.Span.register "plain"
let run () =
  Eventring.start ();
  let cursor = Eventring.Cursor.create Self in
  Eventring.Span.run span ignore;
  let names = ref [] in
  let note c = names := Eventring.Cursor.name c :: !names in
  ignore (Eventring.Cursor.poll cursor
    (Eventring.Cursor.callbacks ~span_finish:note ()));
  print_endline (if List.mem "plain" !names then "works" else "fails")
let () = run ()
END
works() { run "$@"; exits 0 && [ "$(cat "$tmp/out")" = works ] && no_line; }
builds() { run "$@"; exits 0 && silent; }

ok "ocamlopt" eval 'builds "$ocaml/bin/ocamlopt" prog.ml && works ./a.out'
ok "ocamlc" eval 'builds "$ocaml/bin/ocamlc" prog.ml && works ./a.out'
ok "ocamlc -custom" \
  eval 'builds "$ocaml/bin/ocamlc" -custom prog.ml && works ./a.out'
ok "its long name" eval \
  'echo "let () = Stdlib.Eventring.stop ()" >long.ml &&
   builds "$ocaml/bin/ocamlopt" long.ml && ./a.out'
ok "ocaml FILE" works "$ocaml/bin/ocaml" prog.ml
toplevel() {
  run sh -c '"$0" -noprompt -noinit <prog.top' "$1"
  exits 0 && out_has '^works$' && ! out_has Error && no_line
}
{ cat prog.ml; echo ';;'; } >prog.top
ok "ocaml, typed in" toplevel "$ocaml/bin/ocaml"
if [ -x "$ocaml/bin/ocamlnat" ]; then
  ok "ocamlnat" toplevel "$ocaml/bin/ocamlnat"
else
  skip "ocamlnat" "it is not installed"
fi

# Dynlink: the plugin uses it, the program does not
cat >main.ml <<'END'
let () =
  try Dynlink.loadfile Sys.argv.(1)
  with Dynlink.Error e -> print_endline (Dynlink.error_message e)
END
ok "a plugin, native" eval \
  'builds "$ocaml/bin/ocamlopt" -shared -o prog.cmxs prog.ml &&
   builds "$ocaml/bin/ocamlopt" -linkall -I +dynlink dynlink.cmxa main.ml \
     -o main.opt && works ./main.opt prog.cmxs'
ok "a plugin, bytecode" eval \
  'builds "$ocaml/bin/ocamlc" -c prog.ml &&
   builds "$ocaml/bin/ocamlc" -linkall -I +dynlink dynlink.cma main.ml \
     -o main.byte && works ./main.byte prog.cmo'

# An object for a C program
cat >main.c <<'END'
#include <caml/callback.h>
int main(int argc, char **argv) { caml_main(argv); return argc < 0; }
END
where=$("$ocaml/bin/ocamlopt" -where)
libraries=$("$ocaml/bin/ocamlopt" -config-var native_c_libraries)
# shellcheck disable=SC2086
ok "ocamlopt -output-obj" eval \
  'builds "$ocaml/bin/ocamlopt" -output-obj -o object.o prog.ml &&
   builds ${CC:-cc} -I "$where" -o object main.c object.o -L "$where" \
     -lasmrun $libraries && works ./object'
ok "ocamlopt -output-complete-obj" eval \
  'builds "$ocaml/bin/ocamlopt" -output-complete-obj -o complete.o prog.ml &&
   builds ${CC:-cc} -I "$where" -o complete main.c complete.o $libraries &&
   works ./complete'
ok "ocamlc -output-complete-exe" eval \
  'builds "$ocaml/bin/ocamlc" -output-complete-exe -o complete.exe prog.ml &&
   works ./complete.exe'

if command -v dune >/dev/null; then
  mkdir project
  mv prog.ml project/
  echo '(lang dune 2.9)' >project/dune-project
  echo '(executable (name prog) (modes exe byte))' >project/dune
  with_dune() {
    (cd project && PATH=$ocaml/bin:$PATH dune "$@" --root . --display quiet)
  }
  run with_dune build ./prog.exe ./prog.bc
  ok "a dune project of two files builds" exits 0
  ok "and runs" works project/_build/default/prog.exe
  ok "and its bytecode" works "$ocaml/bin/ocamlrun" \
    project/_build/default/prog.bc
else
  skip "a dune project" "no dune"
fi
finish
