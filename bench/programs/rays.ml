(* A small ray tracer: spheres over a floor, one lamp, shadows and mirrors.
   Many short-lived vectors of floats. *)

type vector = { x : float; y : float; z : float }

let vector x y z = { x; y; z }
let ( ++ ) a b = vector (a.x +. b.x) (a.y +. b.y) (a.z +. b.z)
let ( -- ) a b = vector (a.x -. b.x) (a.y -. b.y) (a.z -. b.z)
let ( *+ ) k a = vector (k *. a.x) (k *. a.y) (k *. a.z)
let dot a b = a.x *. b.x +. a.y *. b.y +. a.z *. b.z
let unit a = (1. /. sqrt (dot a a)) *+ a

type thing =
  | Sphere of { centre : vector; radius : float; mirror : float }
  | Floor of float                                  (* its height *)

let scene =
  Floor (-1.)
  :: List.init 12 (fun i ->
       let turn = float_of_int i *. 0.5236 in
       Sphere {
         centre = vector (2.5 *. cos turn) (0.6 *. sin (3. *. turn))
                    (6. +. 2.5 *. sin turn);
         radius = 0.6;
         mirror = if i land 1 = 0 then 0.6 else 0.1;
       })

let lamp = vector (-5.) 8. (-3.)

(* Returns how far along the ray the thing is hit, if it is. *)
let distance origin direction = function
  | Floor height ->
      let t = (height -. origin.y) /. direction.y in
      if t > 1e-6 then Some t else None
  | Sphere { centre; radius; _ } ->
      let to_centre = centre -- origin in
      let along = dot to_centre direction in
      let rest =
        along *. along -. dot to_centre to_centre +. radius *. radius
      in
      if rest < 0. then None
      else
        let near = along -. sqrt rest and far = along +. sqrt rest in
        if near > 1e-6 then Some near
        else if far > 1e-6 then Some far
        else None

let nearest origin direction =
  List.fold_left
    (fun best thing ->
      match distance origin direction thing, best with
      | Some t, Some (least, _) when t >= least -> best
      | Some t, _ -> Some (t, thing)
      | None, _ -> best)
    None scene

let rec light depth origin direction =
  match nearest origin direction with
  | None -> 0.2 +. 0.3 *. Float.max 0. direction.y
  | Some (t, thing) ->
      let point = origin ++ (t *+ direction) in
      let normal, colour, mirror =
        match thing with
        | Sphere { centre; mirror; _ } -> unit (point -- centre), 0.9, mirror
        | Floor _ ->
            let square = Float.floor point.x +. Float.floor point.z in
            let dark = Float.rem square 2. <> 0. in
            vector 0. 1. 0., (if dark then 0.3 else 0.8), 0.2
      in
      let to_lamp = lamp -- point in
      let lit =
        match nearest point (unit to_lamp) with
        | Some (t, _) when t *. t < dot to_lamp to_lamp -> 0.
        | _ -> Float.max 0. (dot normal (unit to_lamp))
      in
      let own = colour *. (0.1 +. 0.9 *. lit) in
      if depth = 0 then own
      else
        let mirrored = direction -- ((2. *. dot direction normal) *+ normal) in
        (1. -. mirror) *. own +. mirror *. light (depth - 1) point mirrored

let () =
  let size = int_of_string Sys.argv.(1) in
  let picture = Bytes.create (size * size) in
  for row = 0 to size - 1 do
    for column = 0 to size - 1 do
      let place i = float_of_int i /. float_of_int size -. 0.5 in
      let direction = unit (vector (place column) (-. place row) 1.) in
      let shade = light 4 (vector 0. 0.5 0.) direction in
      Bytes.set_uint8 picture (row * size + column)
        (int_of_float (255. *. Float.min 1. shade))
    done
  done;
  Printf.printf "%s\n" (Digest.to_hex (Digest.bytes picture))
