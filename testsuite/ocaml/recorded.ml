(* Events that the programs of this folder find in the rings of their own
   process, read with Eventring.Cursor: an event of the program's own is a
   line. *)

open Eventring

let first_user_id = 1024

let line form c =
  let text =
    match Cursor.text c with
    | text when form = "instant" -> Printf.sprintf " %S" text
    | _ | exception Invalid_argument _ ->
      String.concat ""
        (List.init (Cursor.words c)
           (fun i -> Printf.sprintf " %d" (Cursor.argument c i))) in
  let unit = match Cursor.unit c with "" -> "" | unit -> " " ^ unit in
  Printf.sprintf "%s %s%s%s" form (Cursor.name c) text unit

let callbacks add =
  let seen form c = if Cursor.id c >= first_user_id then add (line form c) in
  Cursor.callbacks ~span_start:(seen "begin") ~span_finish:(seen "end")
    ~counter:(seen "counter") ~instant:(seen "instant")
    ~flow_start:(seen "start") ~flow_step:(seen "step")
    ~flow_finish:(seen "finish") ()

(* Returns the lines of the events that [cursor] has not passed yet. *)
let rest cursor =
  let lines = ref [] in
  let callbacks = callbacks (fun l -> lines := l :: !lines) in
  while Cursor.poll cursor callbacks > 0 do () done;
  List.rev !lines

(* Returns the lines of the events that [write] writes. *)
let by cursor write =
  ignore (rest cursor);
  write ();
  rest cursor

(* Returns the lines of all events in a file. *)
let file path =
  let cursor = Cursor.create (File path) in
  let lines = rest cursor in
  Cursor.close cursor;
  lines

(* Checks that [lines] are [expected]; prints them when they are not. *)
let are name lines expected =
  if lines <> expected then
    List.iter (Printf.printf "# %s\n") ("there is:" :: lines);
  Check.ok name (lines = expected)
