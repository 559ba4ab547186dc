// Memory that young custom blocks hold.
// file runtime/memory.c

// adds EV_CAUSE_CUSTOM_MEMORY
@minor_speed@
@@
caml_adjust_minor_gc_speed(...) {
<...
+ caml_eventring_request_minor(EV_CAUSE_CUSTOM_MEMORY);
  caml_request_minor_gc();
...>
}

// The program gets the memory of the rings before it runs out of its own.
// adds Caml_eventring_allocated(malloc 2
@stat_alloc@
expression size;
@@
caml_stat_alloc_noexc(...) {
<...
- malloc(size)
+ Caml_eventring_allocated(malloc(size))
...>
}

// adds Caml_eventring_allocated(realloc 2
@stat_resize@
expression block, size;
@@
caml_stat_resize_noexc(...) {
<...
- realloc(block, size)
+ Caml_eventring_allocated(realloc(block, size))
...>
}
