// Parents of domains, causes of their collections, requesters of their stops.
// file runtime/domain.c

// Every stop has a reason, and every request for a collection a cause.  The
// recording has ended before 5.4 stops the domains that are left at the end.
// leaves (?<!\), )caml_try_run_on_all_domains\w* ?\( ?(?:\w+, )?&(?!stw_terminate_domain\b) 0 in runtime/*.c
// leaves ->requested_\w+ = 1; (?!caml_eventring_) 3 in runtime/*.c
// leaves \bcaml_request_(?:major_slice|minor_gc) ?\( 8 in runtime/*.c
// leaves \bmajor_collection_slice ?\( 5 in runtime/*.c

// adds caml_eventring_domain_start
@domain_starts@
@@
domain_thread_func(...) {
<...
  domain_create(...);
+ if (domain_self) caml_eventring_domain_start(p->parent->state);
...>
}

// adds caml_eventring_note_limit
@domain_limit@
identifier s, d;
@@
  s->id = d->id;
+ caml_eventring_note_limit(s);

// adds caml_eventring_gc_call_begin(EV_CAUSE_DOMAIN_END)
@domain_ends@
identifier s;
@@
  s->terminating = 1;
+ caml_eventring_gc_call_begin(EV_CAUSE_DOMAIN_END);

// Interrupts are answered by the backup thread while the domain's own thread
// blocks.
// adds caml_eventring_thread_resume
@backup@
@@
backup_thread_func(...) {
<...
+ caml_eventring_thread_resume();
  caml_handle_incoming_interrupts();
...>
}

// A signal that is blocked cannot be handled: a fault in the ring file would
// end the process.
// adds sigdelset(&mask, SIGBUS)
@backup_faults@
@@
install_backup_thread(...) {
<...
  sigfillset(&mask);
+ sigdelset(&mask, SIGBUS);
...>
}

// adds EV_STOP_RESERVATION
@reservation@
expression list rest;
@@
- caml_try_run_on_all_domains(&stw_resize_minor_heap_reservation, rest)
+ (caml_eventring_set_stop_reason(EV_STOP_RESERVATION),
+  caml_try_run_on_all_domains(&stw_resize_minor_heap_reservation, rest))

// adds EV_STOP_SLICE
@global_slice@
expression list rest;
@@
- caml_try_run_on_all_domains_async(&stw_global_major_slice, rest)
+ (caml_eventring_set_stop_reason(EV_STOP_SLICE),
+  caml_try_run_on_all_domains_async(&stw_global_major_slice, rest))

// adds EV_CAUSE_GLOBAL_SLICE
@global_slice_wanted@
identifier d;
@@
stw_global_major_slice(...) {
<...
  d->requested_major_slice = 1;
+ caml_eventring_request_slice(EV_CAUSE_GLOBAL_SLICE);
...>
}

// The domain that requests a stop arrives when it has interrupted the others;
// later, it passes a barrier with a probe there.
// if < 5.3
// adds caml_eventring_stop_arrived
@requester_arrives@
identifier s, i;
statement wait;
@@
caml_try_run_on_all_domains_with_spin_work(int s, ...) {
<...
+ if (s) caml_eventring_stop_arrived();
  for (i = 0; i < stw_request.num_domains; i++) wait
...>
}

// Each domain leaves; the last one ends the stop.
// adds caml_eventring_stop_left
@stop_left@
@@
decrement_stw_domains_still_processing(...) {
+ caml_eventring_stop_left();
  ...
}

// adds caml_eventring_stop_end
@stop_over@
@@
decrement_stw_domains_still_processing(...) {
<...
  if (am_last) {
+   caml_eventring_stop_end();
    ...
  }
...>
}

// adds EV_CAUSE_MINOR_HEAP_FULL
@minor_heap_full@
identifier d;
@@
  d->requested_minor_gc = 1;
+ caml_eventring_request_minor(EV_CAUSE_MINOR_HEAP_FULL);

// adds EV_CAUSE_HALF_MINOR_HEAP
@half_minor_heap@
identifier d;
@@
  CAMLassert(...);
  advance_global_major_slice_epoch(d);
+ caml_eventring_request_slice(EV_CAUSE_HALF_MINOR_HEAP);

// adds EV_CAUSE_EARLY_MINOR
@early_minor@
identifier d;
@@
  if (d->requested_minor_gc) {
    advance_global_major_slice_epoch(d);
+   caml_eventring_request_slice(EV_CAUSE_EARLY_MINOR);
  }

// adds EV_CAUSE_OTHER_DOMAIN
@other_domain@
identifier d;
@@
  if (d->major_slice_epoch < atomic_load(&caml_major_slice_epoch)) {
    d->requested_major_slice = 1;
+   caml_eventring_request_slice(EV_CAUSE_OTHER_DOMAIN);
  }

// adds caml_eventring_empty_minor_begin
// adds caml_eventring_empty_minor_end
@empties_minor_heap@
identifier d;
@@
+ caml_eventring_empty_minor_begin(d->requested_minor_gc);
  if (d->requested_minor_gc) {
    d->requested_minor_gc = 0;
    caml_empty_minor_heaps_once();
+   caml_eventring_empty_minor_end();
  }

// adds caml_eventring_slices_due
@slices_due@
identifier d;
statement s;
@@
+ caml_eventring_slices_due(d->requested_major_slice,
+                           d->requested_global_major_slice);
  if (d->requested_major_slice || d->requested_global_major_slice) s

// Threads need memory.
// adds Caml_eventring_created 2
@threads@
expression list how;
@@
- pthread_create(how)
+ Caml_eventring_created(pthread_create(how))

// A handler that walks the stack must not find one that has been freed.
// adds atomic_signal_fence
@free_last@
identifier d;
@@
- caml_free_stack(d->current_stack);
+ struct stack_info *last = d->current_stack;
+ d->current_stack = NULL;
+ atomic_signal_fence(memory_order_seq_cst);
+ caml_free_stack(last);

// Samples of allocation: the next sampled word is where OCaml code calls the
// runtime.
// if >= 5.3
// adds caml_eventring_young_trigger
@sampled@
expression a, b;
@@
caml_reset_young_limit(...) {
<...
  value *trigger =
- a > b ? a : b
+ caml_eventring_young_trigger(dom_st, a > b ? a : b)
  ;
...>
}

// A domain that ends leaves its sampled blocks to others while no collection can
// begin: in a later one it takes no part.
// if >= 5.3
// adds caml_eventring_blocks_domain_end
@blocks_left@
@@
  remove_from_stw_domains(domain_self);
+ caml_eventring_blocks_domain_end(Caml_state);
