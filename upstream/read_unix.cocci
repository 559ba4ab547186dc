// Input and output of the Unix library: read and read_bigarray.
// file otherlibs/unix/read_unix.c

// adds #define CAML_INTERNALS
// adds #include <caml/runtime_events.h>
@header@
@@
+ #define CAML_INTERNALS
  #include <caml/mlvalues.h>
+ #include <caml/runtime_events.h>

// adds EV_OPERATION_READ 2
@read@
identifier result;
expression fd;
expression list rest;
@@
+ uint64_t eventring_since = caml_eventring_io_begin();
  caml_enter_blocking_section();
  result = read(fd, rest);
  caml_leave_blocking_section();
+ Caml_eventring_io_end(eventring_since, EV_OPERATION_READ, fd, result);
