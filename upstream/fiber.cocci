// Stacks that grow.
// file runtime/fiber.c

// adds #include "caml/runtime_events.h"
@header@
@@
  #include "caml/platform.h"
+ #include "caml/runtime_events.h"

// adds EV_STACK_SIZE
@grow@
@@
caml_try_realloc_stack(...) {
<...
  if (!new_stack) return 0;
+ Caml_eventring_resized(EV_STACK_SIZE, EVENTRING_RUNTIME,
+                        Stack_high(old_stack) - Stack_base(old_stack), wsize);
...>
}

// A handler that walks the stack must not find one that has been freed.
// adds atomic_signal_fence
@free_last@
@@
caml_try_realloc_stack(...) {
  <...
- caml_free_stack(old_stack);
  Caml_state->current_stack = new_stack;
+ atomic_signal_fence(memory_order_seq_cst);
+ caml_free_stack(old_stack);
  ...>
}
