/* A domain that is the last one to stop. */

#define CAML_INTERNALS
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>
#include <caml/eventring.h>
#include <caml/mlvalues.h>
#include <caml/domain_state.h>

static int mark;

value late_register(value unit)
{
  mark = caml_eventring_register_mark("late");
  return unit;
}

/* Waits until a stop is asked for, and for half a second more: all others stop. */
value late_wait(value unit)
{
  const struct timespec time = { .tv_nsec = 500000000 };
  while (atomic_load(&Caml_state->young_limit) != (uintnat) -1) { }
  nanosleep(&time, NULL);
  caml_eventring_mark_emit(mark);
  return unit;
}
