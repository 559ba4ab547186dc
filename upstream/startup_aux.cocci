// The end of OCaml in a program that goes on without it.
// file runtime/startup_aux.c

// adds #include "caml/eventring.h"
@header@
@@
  #include "caml/startup_aux.h"
+ #include "caml/eventring.h"

// adds caml_eventring_end()
// adds caml_eventring_forget_limits()
@shutdown@
@@
caml_shutdown(...) {
<...
  call_registered_value("Thread.at_shutdown");
+ caml_eventring_end();
+ caml_eventring_forget_limits();
...>
}
