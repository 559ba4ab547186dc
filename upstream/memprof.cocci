// Samples of allocation, beside those of Gc.Memprof.
// file runtime/memprof.c

// if >= 5.3
// adds caml_eventring_set_alloc_trigger
@trigger@
@@
caml_memprof_set_trigger(...) {
...
+ caml_eventring_set_alloc_trigger(state);
}

// if >= 5.3
// adds caml_eventring_sample_block
@block@
@@
caml_memprof_sample_block(...) {
+ if (Caml_eventring_on(EVENTRING_PROFILE_ALLOC))
+   caml_eventring_sample_block(block, sampled_words, source);
...
}

// if >= 5.3
// adds caml_eventring_scan_blocks
@scan@
@@
caml_memprof_scan_roots(...) {
...
+ if (weak) caml_eventring_scan_blocks(f, fdata, state);
}

// if >= 5.3
// adds caml_eventring_blocks_after_major
@major@
@@
caml_memprof_after_major_gc(...) {
...
+ caml_eventring_blocks_after_major(state);
}
