(* Loads the plugins named by its arguments, while another domain calls the
   functions of those loaded before; then for the seconds in the first
   argument. *)

let finished = Atomic.make false

let work () =
  while not (Atomic.get finished) do
    List.iter
      (fun f -> ignore (Sys.opaque_identity (f 200)))
      (Atomic.get Profile_plugins.functions)
  done

let () =
  let domain = Domain.spawn work in
  let plugins = Array.sub Sys.argv 2 (Array.length Sys.argv - 2) in
  Array.iter
    (fun file -> Dynlink.loadfile file; Unix.sleepf 0.02)
    plugins;
  Unix.sleepf (float_of_string Sys.argv.(1));
  Atomic.set finished true;
  Domain.join domain;
  let loaded = List.length (Atomic.get Profile_plugins.functions) in
  Printf.printf "end %d\n" loaded
