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

(* One event: its phase, as the trace format calls it, and what it has besides
   a name, a time in microseconds and where it happened: a domain is shown as a
   thread. *)
let event phase rest c =
  let ns = Cursor.time c in
  Printf.printf
    "%s\n{\"ph\":\"%s\",\"name\":%s,\"ts\":%d.%03d,\"pid\":1,\"tid\":%d%s}"
    !separator phase (json_string (Cursor.name c)) (ns / 1000) (ns mod 1000)
    (Cursor.domain c) rest;
  separator := ","

let argument name value =
  Printf.sprintf ",\"args\":{%s:%s}" (json_string name) value

let value c =
  if Cursor.words c = 0 then ""
  else argument "value" (string_of_int (Cursor.value c))

let instant c =
  let text =
    match Cursor.text c with
    | text -> argument "text" (json_string text)
    | exception Invalid_argument _ -> value c in
  event "i" (",\"s\":\"t\"" ^ text) c

let flow phase c =
  event phase
    (Printf.sprintf ",\"cat\":\"flow\",\"bp\":\"e\",\"id\":%d"
       (Cursor.value c))
    c

let callbacks =
  Cursor.callbacks ~instant ()
    ~span_start:(fun c -> event "B" (value c) c)
    ~span_finish:(event "E" "")
    ~counter:(fun c ->
      event "C" (argument (Cursor.name c) (string_of_int (Cursor.value c))) c)
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
