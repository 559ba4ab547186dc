(* A pool of domains that take tasks from one queue: the queens problem, a task
   for each way to begin. *)

type pool = {
  lock : Mutex.t;
  changed : Condition.t;
  tasks : (unit -> unit) Queue.t;
  mutable closed : bool;
}

let rec work pool =
  Mutex.lock pool.lock;
  while Queue.is_empty pool.tasks && not pool.closed do
    Condition.wait pool.changed pool.lock
  done;
  let task = Queue.take_opt pool.tasks in
  Mutex.unlock pool.lock;
  match task with
  | Some task -> task (); work pool
  | None -> ()

let submit pool task =
  Mutex.protect pool.lock (fun () ->
    Queue.push task pool.tasks;
    Condition.signal pool.changed)

let close pool =
  Mutex.protect pool.lock (fun () ->
    pool.closed <- true;
    Condition.broadcast pool.changed)

(* [queens] are the columns of the rows that are filled, the last one first. *)
let safe column queens =
  let rec check distance = function
    | [] -> true
    | q :: rest ->
        q <> column && abs (q - column) <> distance && check (distance + 1) rest
  in
  check 1 queens

let extend size queens =
  List.filter_map
    (fun column -> if safe column queens then Some (column :: queens) else None)
    (List.init size Fun.id)

let rec solutions size queens =
  if List.length queens = size then 1
  else
    List.fold_left (fun sum queens -> sum + solutions size queens) 0
      (extend size queens)

let () =
  let size = int_of_string Sys.argv.(1) in
  let pool =
    { lock = Mutex.create (); changed = Condition.create ();
      tasks = Queue.create (); closed = false }
  in
  let workers = List.init 2 (fun _ -> Domain.spawn (fun () -> work pool)) in
  let total = Atomic.make 0 in
  let begin_with queens =
    submit pool (fun () ->
      ignore (Atomic.fetch_and_add total (solutions size queens)))
  in
  List.iter
    (fun first -> List.iter begin_with (extend size first))
    (extend size []);
  close pool;
  List.iter Domain.join workers;
  Printf.printf "%d\n" (Atomic.get total)
