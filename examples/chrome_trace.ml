(* A Chrome trace.  Reads the rings of a process, or of a file, and writes them
   as JSON that chrome://tracing and ui.perfetto.dev show:

     ocamlopt chrome_trace.ml -o chrome_trace
     ./chrome_trace 1234.eventring >trace.json          (or a process id) *)

open Eventring

(* JSON is UTF-8; a name or text may hold any bytes. *)
let json_string s =
  let b = Buffer.create (String.length s + 2) in
  let rec add i =
    if i < String.length s then begin
      let d = String.get_utf_8_uchar s i in
      begin match Uchar.to_int (Uchar.utf_decode_uchar d) with
      | 0x22 -> Buffer.add_string b "\\\""
      | 0x5c -> Buffer.add_string b "\\\\"
      | u when u < 0x20 -> Printf.bprintf b "\\u%04x" u
      | _ -> Buffer.add_utf_8_uchar b (Uchar.utf_decode_uchar d)
      end;
      add (i + Uchar.utf_decode_length d)
    end in
  Buffer.add_char b '"';
  add 0;
  Buffer.add_char b '"';
  Buffer.contents b

let separator = ref "["

let print phase name domain rest =
  Printf.printf "%s\n{\"ph\":\"%s\",\"name\":%s,\"pid\":1,\"tid\":%d%s}"
    !separator phase (json_string name) domain rest;
  separator := ","

(* What belongs to an event, each with its name and its value in JSON. *)
let arguments = function
  | [] -> ""
  | list ->
      Printf.sprintf ",\"args\":{%s}"
        (String.concat ","
           (List.map (fun (name, v) -> json_string name ^ ":" ^ v) list))

(* A domain is shown as a thread; its name is told before its first event. *)
let named : (int, unit) Hashtbl.t = Hashtbl.create 8

let name_domain c =
  let domain = Cursor.domain c in
  if not (Hashtbl.mem named domain) then begin
    Hashtbl.add named domain ();
    match Cursor.domain_name c with
    | "" -> ()
    | name ->
        print "M" "thread_name" domain (arguments ["name", json_string name])
  end

(* Times are in microseconds. *)
let us ns = Printf.sprintf "%d.%03d" (ns / 1000) (ns mod 1000)

(* One event: its phase, as the trace format calls it, when it was, and what it
   has besides. *)
let event_at ns phase rest c =
  name_domain c;
  print phase (Cursor.name c) (Cursor.domain c)
    (Printf.sprintf ",\"ts\":%s%s" (us ns) rest)

let event phase rest c = event_at (Cursor.time c) phase rest c

(* The integers that an event carries: by their names if they have some. *)
let values c =
  let shown { Cursor.name; value; meaning; _ } =
    name, if meaning = "" then string_of_int value else json_string meaning in
  match Cursor.fields c with
  | [] when Cursor.words c = 0 -> ""
  | [] -> arguments ["value", string_of_int (Cursor.value c)]
  | fields -> arguments (List.map shown fields)

let instant c =
  let text =
    match Cursor.text c with
    | text -> arguments ["text", json_string text]
    | exception Invalid_argument _ -> values c in
  event "i" (",\"s\":\"t\"" ^ text) c

(* Comes at its end, and is shown from its start on. *)
let complete c =
  let ns = Cursor.value c in
  event_at (Cursor.time c - ns) "X" (",\"dur\":" ^ us ns ^ values c) c

let flow phase c =
  event phase
    (Printf.sprintf ",\"cat\":\"flow\",\"bp\":\"e\",\"id\":%d"
       (Cursor.value c))
    c

let callbacks =
  Cursor.callbacks ~instant ~complete ()
    ~span_start:(fun c -> event "B" (values c) c)
    ~span_finish:(fun c -> event "E" (values c) c)
    ~counter:(fun c ->
      event "C" (arguments [Cursor.name c, string_of_int (Cursor.value c)]) c)
    ~flow_start:(flow "s") ~flow_step:(flow "t") ~flow_finish:(flow "f")
    ~lost:(fun c ->
      Printf.eprintf "domain %d: %d events lost\n" (Cursor.domain c)
        (Cursor.value c))

let () =
  match
    Cursor.create
      (match int_of_string_opt Sys.argv.(1) with
       | Some pid -> Process { pid; dir = None }
       | None -> File Sys.argv.(1))
  with
  | exception Sys_error why -> prerr_endline why; exit 1
  | cursor ->
      while Cursor.poll cursor callbacks > 0 do () done;
      Cursor.close cursor;
      if !separator = "[" then print_char '[';
      print_string "\n]\n"
