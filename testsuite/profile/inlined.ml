(* Functions that are inlined, at known lines, for inlined.t. *)

let[@inline always] square x =
  x * x + 3                                                       (* SQUARE *)

let[@inline never] loop n =
  let sum = ref 0 in
  for i = 0 to n do
    sum := !sum +                                                 (* LOOP *)
      square i
  done;
  !sum

let[@inline always] get (a : int array) i =
  a.(i) * 3                                                       (* GET *)

let[@inline never] once a i =
  let x = get a i in                                              (* ONCE *)
  x + 1

let[@inline never] twice a i =
  let x = get a i in
  let y = get a (i + 1) in
  x lxor y                                                        (* TWICE *)

let[@inline always] middle a i =
  get a i lxor 7                                                  (* MIDDLE *)

let[@inline never] nested a i =
  middle a i - 1                                                  (* NESTED *)

let[@inline always] around f x =
  let y = f x in                                                  (* CALL *)
  y * y                                                           (* AROUND *)

let[@inline never] both f x =
  let y = around f x in                                           (* FIRST *)
  let z = around f y in                                           (* SECOND *)
  y lxor z

let[@inline never] other a i =
  let x = Library.scale a i in                                    (* OTHER *)
  x lxor 1

let[@inline never] outer n =
  let[@inline always] local x =
    x * x * n in                                                  (* LOCAL *)
  local (n + 1) lxor                                              (* OUTER *)
    5

let constants = [|
  (fun x -> x + 1);                                               (* FIRST_FUN *)
  (fun x -> x * 3); (fun x -> x lxor 5) |]                        (* OTHER_FUNS *)

let variables n = [|
  (fun x -> x + n);                                               (* CLOSURE *)
  (fun x -> x * n) |]

module Sub = struct
  let[@inline never] before x = loop x + 1
  let[@inline never] quiet x = x * 5                              (* QUIET *)
  module Deep = struct
    let[@inline never] first x = loop x + 2
    let[@inline never] deeper x = x * 7                           (* DEEPER *)
    let[@inline never] last x = loop x + 3
  end
  let[@inline never] after x = loop x + 4
end

let[@inline never] outside x = x * 11                             (* OUTSIDE *)

let[@inline never] ends x = loop x + 5

module Make (X : sig val n : int end) = struct
  let[@inline never] made x = x * X.n                             (* MADE *)
end

let () =
  let n = Array.length Sys.argv in
  let module M = Make (struct let n = n end) in
  let a = Array.make 3 n in
  let sum = loop n + once a 1 + twice a 1 + nested a 1 + both loop n + other a 1
    + outer n + constants.(n) n + (variables n).(1) n + Sub.before n
    + Sub.quiet n + Sub.Deep.first n + Sub.Deep.deeper n + Sub.Deep.last n
    + Sub.after n + outside n + ends n + M.made n in
  print_int sum
