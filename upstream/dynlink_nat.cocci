// Native code that is loaded.
// file runtime/dynlink_nat.c

// adds #include "caml/runtime_events.h"
@header@
@@
  #include "caml/signals.h"
+ #include "caml/runtime_events.h"

// adds EV_DYNLINK
@unit@
identifier unit;
@@
caml_natdynlink_run(...) {
<...
  unit = String_val(symbol);
+ caml_eventring_text(EV_DYNLINK, EVENTRING_RUNTIME, unit);
...>
}
