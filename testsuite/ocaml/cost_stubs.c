#define CAML_INTERNALS
#include <caml/mlvalues.h>
#include <caml/runtime_events.h>

value test_cause(value n)
{
  for (intnat i = Long_val(n); i > 0; i--)
    CAML_EV_COUNTER(EV_C_FORCE_MINOR_MEMPROF, 1);
  return Val_unit;
}
