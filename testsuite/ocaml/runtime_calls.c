/* Calls that OCaml code cannot make by itself: collections from C, a signal at
   an exact place, names that the system has for threads. */

#define CAML_INTERNALS
#include <signal.h>
#include <sys/prctl.h>
#include <caml/minor_gc.h>
#include <caml/mlvalues.h>
#include <caml/runtime_events.h>
#include <caml/signals.h>

value test_minor_collection(value unit)
{
  caml_minor_collection();
  return unit;
}

value test_request_major_slice(value unit)
{
  caml_request_major_slice(0);
  return unit;
}

/* Begins [slices] major slices within each other, as a domain does that waits
   for others in one, and ends them. */
value test_nest_slices(value slices)
{
  for (int i = 0; i < Int_val(slices); i++) {
    caml_eventring_request_slice(EV_CAUSE_C_CALL);
    CAML_EV_BEGIN(EV_MAJOR_SLICE);
  }
  for (int i = 0; i < Int_val(slices); i++) CAML_EV_END(EV_MAJOR_SLICE);
  return Val_unit;
}

/* The signal is noted, and its handler not run before the program's next
   poll. */
value test_raise_signal(value unit)
{
  raise(SIGALRM);
  return unit;
}

value test_name_thread(value name)
{
  prctl(PR_SET_NAME, String_val(name));
  return Val_unit;
}
