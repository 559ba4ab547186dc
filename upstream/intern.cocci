// Memory of values that are read.
// file runtime/intern.c

// adds #include "caml/eventring.h"
@header@
@@
  #include "caml/shared_heap.h"
+ #include "caml/eventring.h"

// adds Caml_eventring_allocated(malloc 2
@memory@
expression size;
@@
- malloc(size)
+ Caml_eventring_allocated(malloc(size))
