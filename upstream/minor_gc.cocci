// Stops for minor collections, and the size of the minor heap.
// file runtime/minor_gc.c

// adds EV_STOP_MINOR
@minor@
expression sync;
expression list rest;
@@
- caml_try_run_on_all_domains_with_spin_work(sync, &caml_stw_empty_minor_heap, rest)
+ (caml_eventring_set_stop_reason(EV_STOP_MINOR),
+  caml_try_run_on_all_domains_with_spin_work(sync, &caml_stw_empty_minor_heap, rest))

// adds EV_MINOR_HEAP_SIZE
@resize@
identifier d;
expression size;
statement s;
@@
caml_set_minor_heap_size(...) {
<...
+ Caml_eventring_resized(EV_MINOR_HEAP_SIZE, EVENTRING_GC,
+                        Caml_state->minor_heap_wsz, size);
  if (caml_reallocate_minor_heap(size) < 0) s
...>
}

// Samples of allocation, after those of Gc.Memprof: its callbacks may collect.
// if >= 5.3
// adds caml_eventring_sample_young
@sampled@
@@
caml_alloc_small_dispatch(...) {
...
+ caml_eventring_sample_young(dom_st, wosize, flags, nallocs,
+                             encoded_alloc_lens);
}

// What became of sampled blocks is certain when all domains have left the
// barrier: another domain may promote a block of this one until then.
// if >= 5.3
// adds caml_eventring_blocks_after_minor
@blocks@
identifier d;
@@
caml_stw_empty_minor_heap_no_major_slice(...) {
<...
+ caml_eventring_blocks_after_minor(d);
  custom_finalize_minor(d);
...>
}
