// Bytecode that is loaded.
// file runtime/meta.c

// adds #include "caml/runtime_events.h"
@header@
@@
  #include "caml/prims.h"
+ #include "caml/runtime_events.h"

// adds EV_DYNLINK
@bytecode@
@@
+ caml_eventring_text(EV_DYNLINK, EVENTRING_RUNTIME, "bytecode");
  caml_debugger(CODE_LOADED, ...);
