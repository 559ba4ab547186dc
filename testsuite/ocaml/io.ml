(* Operations on descriptors of every kind, each after the other.  Prints for
   each a line "OPERATION BYTES ERROR KIND DESCRIPTOR", as its event should have
   them, with numbers for the first four (eventring_events.tbl). *)

let read, write, receive, send, accept, connect = 0, 1, 2, 3, 4, 5
let unknown, file, pipe, socket, terminal, device = 0, 1, 2, 3, 4, 5

let expected = Buffer.create 1000

let number (fd : Unix.file_descr) : int = Obj.magic fd

let expect operation ?(error = 0) bytes kind fd =
  Printf.bprintf expected "%d %d %d %d %d\n" operation bytes error kind
    (number fd)

(* Numbers of errors in Linux *)
let eintr, ebadf, eagain, enospc, epipe, econnrefused = 4, 9, 11, 28, 32, 111

let fails f = match f () with
  | _ -> failwith "no error"
  | exception Unix.Unix_error _ -> ()
  | exception Sys_error _ -> ()
  | exception Sys_blocked_io -> ()

let b = Bytes.make 100_000 'x'
let big = Bigarray.(Array1.create char c_layout 300_000)

let[@inline never] files () =
  let fd = Unix.openfile "file" [O_RDWR; O_CREAT; O_TRUNC] 0o600 in
  expect write 10 file fd;
  assert (Unix.write fd b 0 10 = 10);
  expect write 20 file fd;
  assert (Unix.single_write fd b 0 20 = 20);
  (* In pieces of 64 KiB *)
  expect write 65536 file fd;
  expect write (100_000 - 65536) file fd;
  assert (Unix.write fd b 0 100_000 = 100_000);
  expect write 300_000 file fd;
  assert (Unix.write_bigarray fd big 0 300_000 = 300_000);
  ignore (Unix.lseek fd 0 SEEK_SET);
  expect read 65536 file fd;
  assert (Unix.read fd b 0 100_000 = 65536);
  expect read 300_000 file fd;
  assert (Unix.read_bigarray fd big 0 300_000 = 300_000);
  ignore (Unix.lseek fd 0 SEEK_END);
  expect read 0 file fd;
  assert (Unix.read fd b 0 10 = 0);
  Unix.close fd;
  expect read ~error:ebadf 0 unknown fd;
  fails (fun () -> Unix.read fd b 0 10)

let[@inline never] pipes () =
  let out, entry = Unix.pipe () in
  expect write 100 pipe entry;
  assert (Unix.write entry b 0 100 = 100);
  expect read 100 pipe out;
  assert (Unix.read out b 0 200 = 100);
  Unix.set_nonblock out;
  expect read ~error:eagain 0 pipe out;
  fails (fun () -> Unix.read out b 0 200);
  Unix.clear_nonblock out;
  Sys.set_signal Sys.sigalrm (Signal_handle ignore);
  ignore (Unix.setitimer ITIMER_REAL { it_interval = 0.; it_value = 0.05 });
  expect read ~error:eintr 0 pipe out;
  fails (fun () -> Unix.read out b 0 200);
  Unix.set_nonblock entry;
  (* As much as fits, and then nothing *)
  expect write 65536 pipe entry;
  assert (Unix.write_bigarray entry big 0 300_000 = 65536);
  expect write ~error:eagain 0 pipe entry;
  fails (fun () -> Unix.write_bigarray entry big 0 300_000);
  Unix.close out;
  Sys.set_signal Sys.sigpipe Signal_ignore;
  expect write ~error:epipe 0 pipe entry;
  fails (fun () -> Unix.write entry b 0 1);
  Unix.close entry

let[@inline never] sockets () =
  let here = Unix.ADDR_UNIX "socket" in
  let server = Unix.socket PF_UNIX SOCK_STREAM 0 in
  Unix.bind server here;
  let client = Unix.socket PF_UNIX SOCK_STREAM 0 in
  expect connect ~error:econnrefused 0 socket client;
  fails (fun () -> Unix.connect client here);
  Unix.listen server 5;
  expect connect 0 socket client;
  Unix.connect client here;
  expect accept 0 socket server;
  let fd, _ = Unix.accept server in
  Unix.set_nonblock server;
  expect accept ~error:eagain 0 socket server;
  fails (fun () -> Unix.accept server);
  expect send 30 socket client;
  assert (Unix.send client b 0 30 [] = 30);
  expect receive 30 socket fd;
  assert (Unix.recv fd b 0 100 [] = 30);
  expect write 40 socket client;
  assert (Unix.write client b 0 40 = 40);
  expect read 40 socket fd;
  assert (Unix.read fd b 0 100 = 40);
  List.iter Unix.close [client; fd; server];
  let loopback port = Unix.ADDR_INET (Unix.inet_addr_loopback, port) in
  let udp = Unix.socket PF_INET SOCK_DGRAM 0 in
  Unix.bind udp (loopback 0);
  expect send 50 socket udp;
  assert (Unix.sendto udp b 0 50 [] (Unix.getsockname udp) = 50);
  expect receive 50 socket udp;
  assert (fst (Unix.recvfrom udp b 0 100 []) = 50);
  Unix.close udp

let[@inline never] channels () =
  let c = open_out_bin "channel" in
  let fd = Unix.descr_of_out_channel c in
  for _ = 1 to 1000 do output_string c "0123456789" done;
  expect write 10_000 file fd;
  flush c;
  flush c;
  output_string c "x";
  expect write 1 file fd;
  close_out c;
  let c = open_in_bin "channel" in
  let fd = Unix.descr_of_in_channel c in
  (* All of it fits in the buffer. *)
  expect read 10_001 file fd;
  for _ = 1 to 10_001 do ignore (input_char c) done;
  expect read 0 file fd;
  assert (try ignore (input_char c); false with End_of_file -> true);
  close_in c;
  let out, entry = Unix.pipe ~cloexec:true () in
  let i = Unix.in_channel_of_descr out in
  let o = Unix.out_channel_of_descr entry in
  output_string o "a line\n";
  expect write 7 pipe entry;
  flush o;
  expect read 7 pipe out;
  assert (input_line i = "a line");
  Unix.set_nonblock out;
  expect read ~error:eagain 0 pipe out;
  fails (fun () -> input_char i);
  close_in i;
  close_out o

let[@inline never] devices () =
  let fd = Unix.openfile "/dev/null" [O_RDWR] 0 in
  expect write 60 device fd;
  assert (Unix.write fd b 0 60 = 60);
  expect read 0 device fd;
  assert (Unix.read fd b 0 60 = 0);
  Unix.close fd;
  let fd = Unix.openfile "/dev/full" [O_RDWR] 0 in
  expect write ~error:enospc 0 device fd;
  fails (fun () -> Unix.write fd b 0 60);
  Unix.close fd;
  match Unix.openfile "/dev/ptmx" [O_RDWR; O_NOCTTY] 0 with
  | fd ->
      expect write 5 terminal fd;
      assert (Unix.write fd b 0 5 = 5);
      Unix.close fd
  | exception Unix.Unix_error _ -> ()

let () =
  files ();
  pipes ();
  sockets ();
  channels ();
  devices ();
  print_string (Buffer.contents expected)
