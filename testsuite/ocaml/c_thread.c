#include <pthread.h>
#include <caml/callback.h>
#include <caml/memory.h>
#include <caml/mlvalues.h>
#include <caml/signals.h>
#include <caml/threads.h>

/* A thread that is C's, and calls OCaml code. */

static value function_of_c;

static void *c_thread(void *unused)
{
  (void) unused;
  if (!caml_c_thread_register()) return NULL;
  caml_acquire_runtime_system();
  caml_callback(function_of_c, Val_unit);
  caml_release_runtime_system();
  caml_c_thread_unregister();
  return NULL;
}

value test_call_from_thread(value function)
{
  CAMLparam1(function);
  pthread_t thread;
  function_of_c = function;
  caml_register_generational_global_root(&function_of_c);
  caml_enter_blocking_section();
  if (pthread_create(&thread, NULL, c_thread, NULL) == 0)
    pthread_join(thread, NULL);
  caml_leave_blocking_section();
  caml_remove_generational_global_root(&function_of_c);
  CAMLreturn(Val_unit);
}
