// Input and output of the Unix library: connect.
// file otherlibs/unix/connect_unix.c

// adds #define CAML_INTERNALS
// adds #include <caml/runtime_events.h>
@header@
@@
+ #define CAML_INTERNALS
  #include <caml/mlvalues.h>
+ #include <caml/runtime_events.h>

// adds EV_OPERATION_CONNECT
@connect@
identifier result;
expression fd;
expression list rest;
@@
+ uint64_t eventring_since = caml_eventring_io_begin();
  caml_enter_blocking_section();
  result = connect(fd, rest);
  caml_leave_blocking_section();
+ Caml_eventring_io_end(eventring_since, EV_OPERATION_CONNECT, fd, result);
