// Waiting for locks of the runtime, such as a channel's.
// file runtime/platform.c

// adds #include "caml/runtime_events.h"
@header@
@@
  #include "caml/lf_skiplist.h"
+ #include "caml/runtime_events.h"

// if >= 5.3
// adds EV_LOCK_WAIT
@lock@
@@
caml_plat_lock_non_blocking_actual(...) {
<...
+ caml_eventring_set_wait_reason(EV_LOCK_WAIT);
  caml_enter_blocking_section_no_pending();
...>
}

// adds Caml_eventring_allocated(caml_plat_mem_map
@map@
expression size, reserve_only;
@@
- caml_plat_mem_map(size, reserve_only)
+ Caml_eventring_allocated(caml_plat_mem_map(size, reserve_only))
