// Input and output of the Unix library: write, single_write and write_bigarray.
// file otherlibs/unix/write_unix.c

// adds #define CAML_INTERNALS
// adds #include <caml/runtime_events.h>
@header@
@@
+ #define CAML_INTERNALS
  #include <caml/mlvalues.h>
+ #include <caml/runtime_events.h>

// adds Caml_eventring_io_end 2
@write@
identifier result;
expression fd;
expression list rest;
@@
+ uint64_t eventring_since = caml_eventring_io_begin();
  caml_enter_blocking_section();
  result = write(fd, rest);
  caml_leave_blocking_section();
+ Caml_eventring_io_end(eventring_since, EV_OPERATION_WRITE, fd, result);

// All writes of a bigarray are in one blocking section, and one event.
// adds caml_eventring_io_begin() 3
@write_bigarray@
@@
caml_unix_write_bigarray(...) {
<...
+ uint64_t eventring_since = caml_eventring_io_begin();
  caml_enter_blocking_section();
...>
}

// adds written, 1)
@fails@
type value_type;
identifier fd;
@@
caml_unix_write_bigarray(value_type fd, ...) {
<...
  caml_leave_blocking_section();
+ if (eventring_since != 0)
+   caml_eventring_io_end(eventring_since, EV_OPERATION_WRITE, Int_val(fd),
+                         written, 1);
  caml_uerror("write_bigarray", Nothing);
...>
}

// adds written, 0)
@succeeds@
type value_type;
identifier fd;
@@
caml_unix_write_bigarray(value_type fd, ...) {
<...
  caml_leave_blocking_section();
+ if (eventring_since != 0)
+   caml_eventring_io_end(eventring_since, EV_OPERATION_WRITE, Int_val(fd),
+                         written, 0);
  CAMLreturn(Val_long(written));
...>
}
