#!/bin/sh
# Eventring.snapshot could replace a device or a FIFO by a file, or refuse a long
# name, or leave its temporary file behind.
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
ok "nothing else is left" [ "$(ls -A | tr '\n' ' ')" = "fifo null " ]

long=$(printf '%0255d' 0)
run "$tmp/target" "$long"
ok "a name of 255 characters" eval 'out_has written && [ -s "$long" ]'
mkdir folder
run "$tmp/target" "folder/$long"
ok "a name of 255 characters in a folder" \
  eval 'out_has written && [ -s "folder/$long" ]'
run "$tmp/target" "${long}0"
ok "a name of 256 characters is refused" out_has 'File name too long'
ok "no temporary file is left" eval \
  '[ "$(ls -A folder)" = "$long" ] && [ -z "$(find . -name ".ring*")" ]'
finish
