// Stops of the major collector, and slices that are done again.
// file runtime/major_gc.c

// adds EV_STOP_PHASE
@phase@
expression list rest;
@@
- caml_try_run_on_all_domains(&stw_try_complete_gc_phase, rest)
+ (caml_eventring_set_stop_reason(EV_STOP_PHASE),
+  caml_try_run_on_all_domains(&stw_try_complete_gc_phase, rest))

// adds EV_STOP_MAJOR_CYCLE
@cycle@
expression list rest;
@@
- caml_try_run_on_all_domains(&stw_cycle_all_domains, rest)
+ (caml_eventring_set_stop_reason(EV_STOP_MAJOR_CYCLE),
+  caml_try_run_on_all_domains(&stw_cycle_all_domains, rest))

// adds EV_STOP_FINISH
@finish@
expression list rest;
@@
- caml_try_run_on_all_domains(&stw_finish_major_cycle, rest)
+ (caml_eventring_set_stop_reason(EV_STOP_FINISH),
+  caml_try_run_on_all_domains(&stw_finish_major_cycle, rest))

// adds EV_CAUSE_INTERRUPTED
@interrupted@
@@
+ caml_eventring_request_slice(EV_CAUSE_INTERRUPTED);
  caml_request_major_slice(0);
