// Threads of the threads library: the running one, and the reasons of waits.
// file otherlibs/systhreads/st_stubs.c

// adds #include "caml/runtime_events.h"
@header@
@@
  #include "caml/signals.h"
+ #include "caml/runtime_events.h"

// adds caml_eventring_thread_start(new_thread->descr)
@domain@
@@
caml_thread_domain_initialize_hook(void) {
  ...
  caml_memprof_enter_thread(new_thread->memprof);
+ caml_eventring_thread_start(new_thread->descr);
}

// adds caml_eventring_thread_start(th->descr)
@starts@
identifier th;
@@
caml_thread_start(...) {
<...
  thread_init_current(th);
+ caml_eventring_thread_start(th->descr);
...>
}

// adds caml_eventring_thread_end
@ends@
identifier th;
@@
thread_detach_from_runtime(void) {
<...
  CAMLassert(th == Active_thread);
+ caml_eventring_thread_end(th->descr);
...>
}

// adds caml_eventring_thread_created(th->descr)
@created@
identifier th;
@@
caml_thread_new(...) {
<...
+ caml_eventring_thread_created(th->descr);
  CAMLreturn(th->descr);
...>
}

// adds caml_eventring_thread_registered
@registered@
identifier th;
@@
caml_c_thread_register(void) {
<...
  th->descr = caml_thread_new_descriptor(...);
+ caml_eventring_thread_registered(th->descr);
...>
}

// adds eventring_since = caml_eventring_wait_begin
// adds caml_eventring_wait_end
// adds caml_eventring_thread_resume
@yield@
@@
thread_yield(void) {
  ...
+ uint64_t eventring_since = caml_eventring_wait_begin();
  save_runtime_state();
  st_thread_yield(...);
  restore_runtime_state(...);
+ caml_eventring_thread_resume();
+ caml_eventring_wait_end(EV_THREAD_YIELD, eventring_since);
  ...
}

// adds EV_THREAD_JOIN
@join@
@@
caml_threadstatus_wait(...) {
<...
+ caml_eventring_set_wait_reason(EV_THREAD_JOIN);
  caml_enter_blocking_section();
...>
}
