// The end of a program by an exception.
// file runtime/printexc.c

// adds #include "caml/runtime_events.h"
@header@
@@
  #include "caml/printexc.h"
+ #include "caml/runtime_events.h"

// adds caml_eventring_process_exit
@uncaught@
@@
caml_fatal_uncaught_exception(...) {
<...
+ caml_eventring_process_exit(2);
  exit(2);
...>
}
