/* Calls that OCaml code cannot make by itself: collections from C, a signal at
   an exact place, names that the system has for threads. */

#define CAML_INTERNALS
#include <signal.h>
#include <sys/prctl.h>
#include <caml/minor_gc.h>
#include <caml/mlvalues.h>
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
