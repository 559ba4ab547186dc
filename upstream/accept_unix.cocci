// Input and output of the Unix library: accept.
// file otherlibs/unix/accept_unix.c

// adds #define CAML_INTERNALS
// adds #include <caml/runtime_events.h>
@header@
@@
+ #define CAML_INTERNALS
  #include <caml/mlvalues.h>
+ #include <caml/runtime_events.h>

// The result of accept is a descriptor.
// adds EV_OPERATION_ACCEPT
@accept@
type value_type;
identifier result, cloexec, fd;
@@
caml_unix_accept(value_type cloexec, value_type fd) {
<...
+ uint64_t eventring_since = caml_eventring_io_begin();
  caml_enter_blocking_section();
  ...
  caml_leave_blocking_section();
+ Caml_eventring_io_end(eventring_since, EV_OPERATION_ACCEPT, Int_val(fd),
+                       result == -1 ? -1 : 0);
  if (result == -1) caml_uerror("accept", Nothing);
...>
}
