// Stops for native code that is loaded.
// file runtime/frame_descriptors.c

// adds #include "caml/runtime_events.h"
@header@
@@
  #include "caml/shared_heap.h"
+ #include "caml/runtime_events.h"

// adds EV_STOP_FRAMETABLES 2 if >= 5.3
// adds EV_STOP_FRAMETABLES if < 5.3
@frametables@
expression list rest;
@@
- caml_try_run_on_all_domains(&stw_register_frametables, rest)
+ (caml_eventring_set_stop_reason(EV_STOP_FRAMETABLES),
+  caml_try_run_on_all_domains(&stw_register_frametables, rest))

// A handler may be reading the old table: it is not freed.
// adds caml_eventring_publish_frames
@publish@
@@
add_frame_descriptors(...) {
  <...
- if (table->descriptors != NULL) caml_stat_free(table->descriptors);
  ...>
  table->frametables = new_frametables;
+ caml_eventring_publish_frames(table->descriptors, table->mask);
}
