// Memory of values that are written.
// file runtime/extern.c

// adds #include "caml/eventring.h"
@header@
@@
  #include "caml/shared_heap.h"
+ #include "caml/eventring.h"

// adds Caml_eventring_allocated(malloc
@memory@
expression size;
@@
- malloc(size)
+ Caml_eventring_allocated(malloc(size))
