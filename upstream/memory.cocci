// Memory that young custom blocks hold.
// file runtime/memory.c

// adds EV_CAUSE_CUSTOM_MEMORY
@minor_speed@
@@
caml_adjust_minor_gc_speed(...) {
<...
+ caml_eventring_minor_wanted(EV_CAUSE_CUSTOM_MEMORY);
  caml_request_minor_gc();
...>
}
