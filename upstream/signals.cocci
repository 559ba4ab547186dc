// Requests from C code, blocking sections, signal handlers.
// file runtime/signals.c

// adds #include "caml/runtime_events.h"
@header@
@@
  #include "caml/signals.h"
+ #include "caml/runtime_events.h"

// Whoever has another cause has said so before.
// adds caml_eventring_slice_wanted(caml_eventring_c_call())
// adds caml_eventring_slices_wanted(caml_eventring_c_call())
@request_slice@
identifier all;
@@
caml_request_major_slice(int all) {
+ if (all) caml_eventring_slices_wanted(caml_eventring_c_call());
+ else caml_eventring_slice_wanted(caml_eventring_c_call());
  ...
}

// adds caml_eventring_minor_wanted(caml_eventring_c_call())
@request_minor@
@@
caml_request_minor_gc(void) {
+ caml_eventring_minor_wanted(caml_eventring_c_call());
  ...
}

// adds int eventring_reason
// adds caml_eventring_wait_signals
// adds caml_eventring_blocks(eventring_reason)
@enter@
identifier domain;
@@
caml_enter_blocking_section(void) {
  caml_domain_state *domain = Caml_state;
+ int eventring_reason = caml_eventring_wait_reason();
  while (1) {
    if (check_pending_actions(domain)) {
      ...
-     caml_get_value_or_raise(caml_process_pending_signals_res());
+     caml_get_value_or_raise(
+       caml_eventring_wait_signals(eventring_reason,
+                                   caml_process_pending_signals_res()));
    }
+   caml_eventring_blocks(eventring_reason);
    caml_enter_blocking_section_hook();
    ...
  }
}

// adds caml_eventring_blocks(caml_eventring_wait_reason())
@enter_no_pending@
@@
caml_enter_blocking_section_no_pending(void) {
+ caml_eventring_blocks(caml_eventring_wait_reason());
  caml_enter_blocking_section_hook();
}

// adds caml_eventring_returns
// adds caml_eventring_unblocks
@leave@
@@
caml_leave_blocking_section(void) {
  ...
+ uint64_t eventring_returned = caml_eventring_returns();
  caml_leave_blocking_section_hook();
  Caml_check_caml_state();
+ caml_eventring_unblocks(eventring_returned);
  ...
}

// adds caml_eventring_begins
// adds caml_eventring_took
@handler@
identifier signal, res;
expression list how;
@@
caml_execute_signal_res(int signal) {
  <...
+ uint64_t eventring_since = caml_eventring_begins(EVENTRING_RUNTIME);
  caml_result res = caml_callback_res(how);
+ caml_eventring_took(EV_SIGNAL, eventring_since, signal);
  ...>
}
