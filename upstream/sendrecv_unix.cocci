// Input and output of the Unix library: send, sendto, recv and recvfrom.
// file otherlibs/unix/sendrecv_unix.c

// adds #define CAML_INTERNALS
// adds #include <caml/runtime_events.h>
@header@
@@
+ #define CAML_INTERNALS
  #include <caml/mlvalues.h>
+ #include <caml/runtime_events.h>

// adds EV_OPERATION_RECEIVE 2
@receive@
identifier result, receive =~ "^recv";
expression fd;
expression list rest;
@@
+ uint64_t eventring_since = caml_eventring_io_begin();
  caml_enter_blocking_section();
  result = receive(fd, rest);
  caml_leave_blocking_section();
+ Caml_eventring_io_end(eventring_since, EV_OPERATION_RECEIVE, fd, result);

// adds EV_OPERATION_SEND 2
@send@
identifier result, send =~ "^send";
expression fd;
expression list rest;
@@
+ uint64_t eventring_since = caml_eventring_io_begin();
  caml_enter_blocking_section();
  result = send(fd, rest);
  caml_leave_blocking_section();
+ Caml_eventring_io_end(eventring_since, EV_OPERATION_SEND, fd, result);
