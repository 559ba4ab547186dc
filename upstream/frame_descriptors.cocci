// Stops for native code that is loaded.
// file runtime/frame_descriptors.c

// adds #include "caml/runtime_events.h"
@header@
@@
  #include "caml/shared_heap.h"
+ #include "caml/runtime_events.h"

// adds EV_STOP_FRAMETABLES 2
@frametables@
expression list rest;
@@
- caml_try_run_on_all_domains(&stw_register_frametables, rest)
+ (caml_eventring_set_stop_reason(EV_STOP_FRAMETABLES),
+  caml_try_run_on_all_domains(&stw_register_frametables, rest))
