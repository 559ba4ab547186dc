#!/bin/sh
# Eventring.snapshot could replace a device or a FIFO by a file.
. "$(dirname "$0")/programs.sh"
cat >"$tmp/target.ml" <<'END'
let () =
  Eventring.start ();
  match Eventring.snapshot Sys.argv.(1) with
  | () -> print_endline "written"
  | exception Sys_error why -> print_endline why
END
here=$tmp
cd "$tmp" && "$ocaml/bin/ocamlopt" -o target target.ml >build.log 2>&1 ||
  give_up target

kind() { stat -c %F "$1"; }
fresh
mkfifo fifo
run "$tmp/target" fifo
ok "a FIFO stays one" eval \
  'out_has "fifo: it is not a regular file" && [ "$(kind fifo)" = fifo ]'
if mknod null c 1 3 2>/dev/null; then
  run "$tmp/target" null
  ok "a device stays one" eval 'out_has "null: it is not a regular file" &&
    [ "$(kind null)" = "character special file" ]'
else
  skip "a device stays one" "no rights to make one"
  : >null
fi
run "$tmp/target" .
ok "a folder is refused" out_has directory
ok "nothing else is left" [ "$(echo *)" = "fifo null" ]
finish
