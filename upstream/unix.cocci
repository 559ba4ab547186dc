// Input and output of channels.
// file runtime/unix.c

// adds #include "caml/runtime_events.h"
@header@
@@
  #include "caml/signals.h"
+ #include "caml/runtime_events.h"

// adds EV_OPERATION_READ
@read@
identifier result, fd;
expression list rest;
@@
caml_read_fd(...) {
<...
+ uint64_t eventring_since = caml_eventring_work_begin(EVENTRING_IO);
  caml_enter_blocking_section_no_pending();
  result = read(fd, rest);
  caml_leave_blocking_section();
+ Caml_eventring_io_end(eventring_since, EV_OPERATION_READ, fd, result);
...>
}

// adds EV_OPERATION_WRITE
@write@
identifier result, fd;
expression list rest;
@@
caml_write_fd(...) {
  int result;
+ uint64_t eventring_since;
<...
+ eventring_since = caml_eventring_work_begin(EVENTRING_IO);
  caml_enter_blocking_section_no_pending();
  result = write(fd, rest);
  caml_leave_blocking_section();
+ Caml_eventring_io_end(eventring_since, EV_OPERATION_WRITE, fd, result);
...>
}
