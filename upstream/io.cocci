// Waiting for the lock of a channel; later, runtime/platform.c has that.
// file runtime/io.c

// if < 5.3
// adds #include "caml/runtime_events.h"
@header@
@@
  #include "caml/signals.h"
+ #include "caml/runtime_events.h"

// if < 5.3
// adds EV_LOCK_WAIT
@lock@
@@
caml_channel_lock(...) {
<...
+ caml_eventring_set_wait_reason(EV_LOCK_WAIT);
  caml_enter_blocking_section();
...>
}
