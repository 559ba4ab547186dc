#!/bin/sh
# Limits of the process and of the disk: the program could die of a signal
# (SIGXFSZ, SIGBUS), run out of resources that it would have had without
# tracing, or not be traced and nobody learns why.
. "$(dirname "$0")/../ocaml/programs.sh"
here=$EVENTRING_TOP/testsuite/fault
build life unix
mode=opt
"$tmp/life.opt" >"$tmp/expected"
START=OCAML_EVENTRING_START KEEP=OCAML_EVENTRING_KEEP

# limited ULIMIT-ARGUMENTS: the program under this limit, in this folder
limited() {
  run sh -c "ulimit $*"' && shift && exec "$@"' - - \
    env $START=1 "$tmp/life.opt"
}
harmless() { exits 3 && diff "$tmp/expected" "$tmp/out"; }
lines() { [ "$(wc -l <"$tmp/err")" -le "$1" ] &&
          ! grep -v '^eventring: ' "$tmp/err"; }
# Nothing is left, and no line or two: a file removed at the end was a trace.
said() { harmless && lines 2 && no_ring; }

fresh
for blocks in 1 100 10000; do
  limited -f $blocks
  ok "file size limit of $blocks blocks: as usual" said
  ok "file size limit of $blocks blocks: one line" one_line 'too large'
done
# Something of ours is in the way, which is written to before it is removed.
OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 "$tmp/life.opt" >"$tmp/out"
mv "$(ls | head -n 1)" "$tmp/old"; rm -f -- *.eventring
perl -e 'open F, "+<", $ARGV[0]; seek F, 640, 0; print F pack "L", 1' \
  "$tmp/old"
# A limit of 0 is for output to files as well: all goes through pipes.
piped() {
  sh -c "$@" 2>&1 | cat >"$tmp/both"
  grep '^eventring: ' "$tmp/both" >"$tmp/err"
  grep -v '^eventring: ' "$tmp/both" >"$tmp/out"
  diff "$tmp/expected" "$tmp/out" && one_line 'too large'
}
ok "file size limit of 0: one line" piped \
  'ulimit -f 0; exec env '$START'=1 "$0"' "$tmp/life.opt"
ok "file size limit of 0, and a stale ring: likewise" piped \
  'cp "$1" $$.eventring; ulimit -f 0; exec env '$START'=1 "$0"' \
  "$tmp/life.opt" "$tmp/old"
# The line itself may not be written.
echo x >"$tmp/errors"
unwritten() {
  sh -c 'ulimit -f 0; exec env '$START'=1 "$0" 2>>"$1"' \
    "$tmp/life.opt" "$tmp/errors" | cat >"$tmp/out"
  diff "$tmp/expected" "$tmp/out"
}
ok "file size limit of 0, standard error a file: as usual" unwritten
cat >lower.c <<'END'
#include <sys/resource.h>
#include <caml/mlvalues.h>
value lower(value unit)
{
  struct rlimit none = { 0, 0 };
  setrlimit(RLIMIT_FSIZE, &none);
  return unit;
}
END
cat >lowered.ml <<'END'
external lower : unit -> unit = "lower"
let () =
  Eventring.start ();
  lower ();
  List.init 3 (fun _ -> Domain.spawn (fun () ->
    for _ = 1 to 50 do Gc.minor () done)) |> List.iter Domain.join;
  ignore (Eventring.Span.register "name" : Eventring.Span.t);
  match Eventring.snapshot "snapshot" with
  | () -> print_endline "written"
  | exception Sys_error why -> prerr_endline why; exit 3
END
"$ocaml/bin/ocamlopt" -o "$tmp/lowered" lower.c lowered.ml \
  >"$tmp/build.log" 2>&1 || give_up lowered
fresh
run sh -c '"$0" 2>&1 | cat >&2' "$tmp/lowered"
ok "file size limit lowered to 0 meanwhile: a snapshot says why not" \
  eval 'err_has "snapshot: File too large" && no_ring'

fresh
for files in 4 5 6; do
  limited -n $files
  ok "$files file descriptors: as usual" said
done
# Without tracing, too, the threads get their memory or not as they happen to run from
# 280000 to 390000 KB.
for kilobytes in 50000 200000 270000 400000 600000; do
  run sh -c 'ulimit -v '$kilobytes' && exec "$0"' "$tmp/life.opt"
  untraced=$status
  limited -v $kilobytes
  ok "$kilobytes KB of address space: exit code as without tracing" \
    eval 'exits "$untraced" && no_ring'
done
limited -d 1000
ok "1000 KB of data: as without" eval '[ "$status" = "$(
  sh -c "ulimit -d 1000 && exec \"\$0\"" "$tmp/life.opt" >/dev/null 2>&1
  echo $?)" ]'

disk=$tmp/disk
clean_up_disk() { umount "$disk" 2>/dev/null; clean_up; }
trap clean_up_disk EXIT
mkdir "$disk"
# Room for nothing, a header, the schema, the directory, a ring, two ...
if mount -t tmpfs -o size=4k eventring-test "$disk" 2>/dev/null; then
  umount "$disk"
  for kilobytes in 4 8 60 64 72 80 88 96 112 128 144; do
    mount -t tmpfs -o "size=${kilobytes}k" eventring-test "$disk"
    run env $START=1 OCAML_EVENTRING_PREFIX="$disk" "$tmp/life.opt"
    ok "a disk of $kilobytes KB: as usual, a line a process at most" \
      eval 'harmless && lines 2'
    left=$(ls "$disk")
    ok "a disk of $kilobytes KB: nothing is left" [ -z "$left" ]
    umount "$disk"
  done
  mount -t tmpfs -o ro eventring-test "$disk"
  run env $START=1 OCAML_EVENTRING_PREFIX="$disk" "$tmp/life.opt"
  ok "a read-only disk: one line" eval 'harmless && one_line Read-only'
  mount -o remount,rw "$disk"
  # Between start and end it becomes read-only: nothing can be removed.
  run env $START=1 OCAML_EVENTRING_PREFIX="$disk" sh -c '
    "$0" & while ! [ -s '"$disk"'/$!.eventring ]; do :; done
    mount -o remount,ro '"$disk"' 2>/dev/null; wait $!' "$tmp/life.opt"
  ok "a disk that becomes read-only: as usual" eval 'harmless && lines 2'
  umount "$disk"
else
  skip "small and read-only disks" "cannot mount one"
fi

fresh; mkdir there
run sh -c 'cd there && rmdir ../there && exec env '$START'=1 "$0"' \
  "$tmp/life.opt"
ok "no current directory: one line" \
  eval 'harmless && one_line "the current directory"'
cat >gone.ml <<'END'
(* Its directory goes away; then a fork, which has no place for its file. *)
let () =
  for _ = 1 to 10 do Gc.minor () done;
  Array.iter (fun f -> Sys.remove ("there/" ^ f)) (Sys.readdir "there");
  Sys.rmdir "there";
  match Unix.fork () with
  | 0 -> Gc.minor (); exit 3
  | child -> exit (match Unix.waitpid [] child with
                   | _, WEXITED n -> n | _ -> 1)
END
"$ocaml/bin/ocamlopt" -I +unix unix.cmxa -o "$tmp/gone" gone.ml \
  >"$tmp/build.log" 2>&1 || give_up gone
fresh; mkdir there
run env $START=1 OCAML_EVENTRING_PREFIX=there "$tmp/gone"
ok "the directory removed meanwhile: one line of the child" \
  eval 'exits 3 && one_line "there" "the forked child is not traced"'
finish
