(* All ways in which OCaml and C code call each other, over and over, for the
   seconds in the first argument: to be sampled as often as possible.  The second
   is "effects" for effects only. *)

open Effect
open Effect.Deep

type _ Effect.t += Yield : unit Effect.t | Get : int -> int Effect.t
exception Stop

let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let rec deep n = if n = 0 then 0 else 1 + deep (n - 1)
let rec raiser n = if n = 0 then raise Stop else 1 + raiser (n - 1)

let exceptions () =
  for _ = 1 to 100 do try ignore (raiser 50) with Stop -> () done

(* [f ()], with [Get n] answered by [n + i]. *)
let answer i f =
  match_with f ()
    { retc = Fun.id; exnc = raise;
      effc = fun (type a) (e : a Effect.t) -> match e with
        | Get n -> Some (fun (k : (a, _) continuation) -> continue k (n + i))
        | _ -> None }

let effects () =
  for i = 1 to 200 do
    ignore (answer i (fun () ->
        let s = ref 0 in
        for j = 1 to 20 do s := !s + perform (Get j) done;
        !s))
  done

let rec nest depth =
  if depth = 0 then perform (Get 1)
  else
    match_with (fun () -> nest (depth - 1)) ()
      { retc = succ; exnc = raise;
        effc = fun (type a) (e : a Effect.t) -> match e with
          | Yield -> Some (fun (k : (a, _) continuation) -> continue k ())
          | _ -> None }

let nested () = for i = 1 to 50 do ignore (answer i (fun () -> nest 10)) done

let scheduler () =
  let queue = Queue.create () in
  let spawn f =
    Queue.push (fun () ->
        match_with f ()
          { retc = ignore; exnc = raise;
            effc = fun (type a) (e : a Effect.t) -> match e with
              | Yield ->
                  Some (fun (k : (a, _) continuation) ->
                      Queue.push (fun () -> continue k ()) queue)
              | _ -> None })
      queue in
  for i = 1 to 20 do
    spawn (fun () ->
        for _ = 1 to 20 do
          ignore (fib 5); perform Yield; ignore (deep (i * 10))
        done)
  done;
  while not (Queue.is_empty queue) do (Queue.pop queue) () done

let growing () =
  for i = 1 to 20 do
    ignore (answer 0 (fun () -> deep (i * 100)))
  done

let allocation () =
  let r = ref [] in
  for i = 1 to 20_000 do
    r := [i] :: !r;
    if i mod 1000 = 0 then r := []
  done;
  ignore (List.length !r)

let callbacks () =
  let a = Array.init 2000 (fun i -> (i * 7919) mod 1000) in
  Array.sort compare a;
  ignore (List.sort (fun x y -> compare y x) (Array.to_list a))

let formats () =
  for i = 1 to 200 do ignore (Printf.sprintf "%d %s %f" i "abc" (float i)) done

let marshalling () =
  let x = List.init 2000 string_of_int in
  ignore (Marshal.from_string (Marshal.to_string x []) 0 : string list)

let mathematics () =
  let s = ref 0. in
  for i = 1 to 20_000 do s := !s +. sin (float i) ** 1.1 done;
  ignore (Sys.opaque_identity !s)

let hashing () =
  let h = Hashtbl.create 10 in
  for i = 1 to 5000 do Hashtbl.replace h (string_of_int i) i done

let finalisers () =
  for _ = 1 to 100 do
    Gc.finalise (fun r -> incr r; ignore (fib 5)) (ref 0)
  done;
  Gc.minor ()

let with_effects = [|effects; nested; scheduler; growing|]
let all =
  Array.append with_effects
    [|exceptions; allocation; callbacks; formats; marshalling; mathematics;
      hashing; finalisers; (fun () -> ignore (fib 22)); Gc.minor;
      Gc.full_major|]

let () =
  let until = Unix.gettimeofday () +. float_of_string Sys.argv.(1) in
  let ways = if Sys.argv.(2) = "effects" then with_effects else all in
  let work () =
    let i = ref 0 in
    while Unix.gettimeofday () < until do
      ways.(!i mod Array.length ways) ();
      incr i
    done in
  if Sys.argv.(2) = "effects" then work ()
  else begin
    let domain = Domain.spawn (fun () ->
        let thread = Thread.create work () in
        work ();
        Thread.join thread) in
    let threads = List.init 2 (fun _ -> Thread.create work ()) in
    work ();
    List.iter Thread.join threads;
    Domain.join domain
  end;
  print_endline "end"
