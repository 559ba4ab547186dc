// The end of a program by an exception.
// file runtime/printexc.c

// adds #include "caml/eventring.h"
// adds #include "caml/runtime_events.h"
@header@
@@
  #include "caml/printexc.h"
+ #include "caml/eventring.h"
+ #include "caml/runtime_events.h"

// adds caml_eventring_process_exit
// adds caml_eventring_end_by_exception
@uncaught@
@@
caml_fatal_uncaught_exception(...) {
<...
+ caml_eventring_process_exit(2);
+ caml_eventring_end_by_exception();
  exit(2);
...>
}
