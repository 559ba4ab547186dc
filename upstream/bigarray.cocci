// Memory of bigarrays.
// file runtime/bigarray.c

// adds #include "caml/eventring.h"
@header@
@@
  #include "caml/signals.h"
+ #include "caml/eventring.h"

// adds Caml_eventring_allocated(malloc 3
@memory@
expression size;
@@
- malloc(size)
+ Caml_eventring_allocated(malloc(size))
