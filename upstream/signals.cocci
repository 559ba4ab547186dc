// Requests from C code, blocking sections, signal handlers.
// file runtime/signals.c

// adds #include "caml/runtime_events.h"
@header@
@@
  #include "caml/signals.h"
+ #include "caml/runtime_events.h"

// Code with another cause has set that cause before.
// adds caml_eventring_request_slice(caml_eventring_c_call())
// adds caml_eventring_request_slices(caml_eventring_c_call())
@request_slice@
identifier all;
@@
caml_request_major_slice(int all) {
+ if (all) caml_eventring_request_slices(caml_eventring_c_call());
+ else caml_eventring_request_slice(caml_eventring_c_call());
  ...
}

// adds caml_eventring_request_minor(caml_eventring_c_call())
@request_minor@
@@
caml_request_minor_gc(void) {
+ caml_eventring_request_minor(caml_eventring_c_call());
  ...
}

// adds int eventring_reason
// adds caml_eventring_check_signals
// adds caml_eventring_enter_blocking(eventring_reason)
// adds caml_eventring_retry_blocking
@enter@
identifier domain;
identifier signals =~ "^caml_process_pending_signals_...$";
identifier value_or_raise =~ "^caml_.*raise";
@@
caml_enter_blocking_section(void) {
  caml_domain_state *domain = Caml_state;
+ int eventring_reason = caml_eventring_take_wait_reason();
  while (1) {
    if (check_pending_actions(domain)) {
      ...
-     value_or_raise(signals());
+     value_or_raise(
+       caml_eventring_check_signals(eventring_reason,
+                                   signals()));
    }
+   caml_eventring_enter_blocking(eventring_reason);
    caml_enter_blocking_section_hook();
    ...
    caml_leave_blocking_section_hook();
+   caml_eventring_retry_blocking();
  }
}

// adds caml_eventring_enter_blocking(caml_eventring_take_wait_reason())
@enter_no_pending@
@@
caml_enter_blocking_section_no_pending(void) {
+ caml_eventring_enter_blocking(caml_eventring_take_wait_reason());
  caml_enter_blocking_section_hook();
}

// adds caml_eventring_blocking_returned
// adds caml_eventring_leave_blocking
@leave@
@@
caml_leave_blocking_section(void) {
  ...
+ uint64_t eventring_returned = caml_eventring_blocking_returned();
  caml_leave_blocking_section_hook();
  Caml_check_caml_state();
+ caml_eventring_leave_blocking(eventring_returned);
  ...
}

// adds caml_eventring_work_begin
// adds caml_eventring_work_end
@handler@
type result;
identifier signal, res;
identifier execute =~ "^caml_execute_signal_...$";
identifier callback =~ "^caml_callback_...$";
expression list how;
@@
execute(int signal) {
  <...
+ uint64_t eventring_since = caml_eventring_work_begin(EVENTRING_RUNTIME);
  result res = callback(how);
+ caml_eventring_work_end(EV_SIGNAL, eventring_since, signal);
  ...>
}

// Requests of another process, see runtime/eventring_attach.c.
// adds caml_eventring_attend
@attend@
identifier do_actions =~ "^caml_do_pending_actions_...$";
@@
do_actions(void) {
  ...
  Caml_state->action_pending = 0;
+ caml_eventring_attend();
  ...
}

// The handler of samples runs there, and may be interrupted by SIGBUS.
// adds caml_eventring_signal_stack_size 4
@signal_stack@
@@
- SIGSTKSZ
+ caml_eventring_signal_stack_size()
