(* A snapshot on a slow request.  A server wants to know what its runtime did
   around the few requests that take too long.  The recorder is always on; when
   a request has taken more than 50 ms, the program writes the rings, as they
   are at that moment, to a file:

     ocamlopt -I +unix unix.cmxa slow_request.ml -o slow_request
     ./slow_request
     eventring events slow-1.eventring *)

open Eventring

let request = Span.register "request"
let limit = 50_000_000

(* One request in fifty is slow. *)
let answer n =
  if n mod 50 = 37 then Unix.sleepf 0.08
  else ignore (Sys.opaque_identity (List.init 5_000 string_of_int))

let snapshots = ref 0

let on_slow_request { name; domain; duration; _ } =
  incr snapshots;
  let file = Printf.sprintf "slow-%d.eventring" !snapshots in
  match snapshot file with
  | () ->
      Printf.printf "%s in domain %d took %d ms: %s\n" name domain
        (duration / 1_000_000) file
  | exception Sys_error why -> prerr_endline why

let () =
  start ();
  let watch = on_slow ["request", limit] on_slow_request in
  for n = 1 to 100 do
    Span.run_with request n (fun () -> answer n);
    (* After the answer is out.  A poll with nothing slow costs some ten
       nanoseconds for each event since the last one. *)
    Watch.poll watch
  done;
  Watch.stop watch
