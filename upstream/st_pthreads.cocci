// Threads need memory.
// file otherlibs/systhreads/st_pthreads.h

// adds #include "caml/eventring.h"
@header@
@@
  #include <pthread.h>
+ #include "caml/eventring.h"

// adds Caml_eventring_created
@threads@
expression list how;
@@
st_thread_create(...) {
<...
- pthread_create(how)
+ Caml_eventring_created(pthread_create(how))
...>
}
