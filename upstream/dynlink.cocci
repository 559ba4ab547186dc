// Libraries of C code that are loaded.
// file runtime/dynlink.c

// adds #include "caml/runtime_events.h"
@header@
@@
  #include "caml/signals.h"
+ #include "caml/runtime_events.h"

// adds EV_DYNLINK
@library@
@@
caml_dynlink_open_lib(...) {
<...
+ caml_eventring_text(EV_DYNLINK, EVENTRING_RUNTIME, String_val(filename));
  caml_enter_blocking_section();
...>
}
