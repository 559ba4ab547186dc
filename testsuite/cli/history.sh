# Read by tests that search a history for a commit: make_history FOLDER COMMITS
# SLOWER [COST] makes a repository with COMMITS commits of a program that handles
# as many requests as its argument says.  Each commit changes the program; from
# number SLOWER on, a request has one more list or, with COST, function `check`
# takes COST more steps; it has 20 of the 120 steps of a request otherwise.
make_history() {
  git init -q -b trunk "$1"
  echo /prog >"$1/.gitignore"
  for i in $(seq "$2"); do
    header= steps=${4:+20}
    [ "$i" -ge "$3" ] && if [ -n "$4" ]; then steps=$((20 + $4))
      else header='ignore (Sys.opaque_identity (copy_header 50));'; fi
    cat >"$1/prog.ml" <<END
let rec work a n = if n = 0 then a else work ((a * 7 + n) land 0xffff) (n - 1)
let rec check a n = if n = 0 then a else check ((a * 5 + n) land 0xffff) (n - 1)
let rec copy_header n = if n = 0 then [] else n :: copy_header (n - 1)
let [@inline never] handle i =
  let header = Sys.opaque_identity [ i; $i ] in
  $header
  ignore (Sys.opaque_identity (check (List.hd header) ${steps:-100}));
  ignore (Sys.opaque_identity (work i 100))
let get = Eventring.Request.register "get"
let () =
  if Array.length Sys.argv > 2 then ignore (copy_header 1);
  for i = 1 to int_of_string Sys.argv.(1) do
    let id = Eventring.Request.start get in
    Eventring.Request.run_with id (fun () -> handle i);
    Eventring.Request.finish get id
  done
END
    git -C "$1" add -A
    git -C "$1" -c user.name=T -c user.email=t@t commit -q -m "step $i"
  done
}
