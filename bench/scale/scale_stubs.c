/**************************************************************************/
/*                                                                        */
/*                               Eventring                                */
/*                                                                        */
/*   Copyright 2026 the Eventring authors                                 */
/*                                                                        */
/*   This file is distributed under the terms of the GNU Lesser General   */
/*   Public License version 2.1, with the special exception on linking    */
/*   described in the file LICENSE.                                       */
/*                                                                        */
/**************************************************************************/

/* For scale.ml: the processor time of a domain, and events of the runtime from
   C.  Compiled with our toolchain and with a stock one. */

#define CAML_INTERNALS
#include <time.h>
#include <caml/mlvalues.h>
#include <caml/runtime_events.h>

value bench_cpu_now(value unit)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return Val_long((int64_t) t.tv_sec * 1000000000 + t.tv_nsec);
}

value bench_phases(value times)
{
  for (long i = 0; i < Long_val(times); i++) {
    CAML_EV_BEGIN(EV_MAJOR_SWEEP);
    CAML_EV_END(EV_MAJOR_SWEEP);
  }
  return Val_unit;
}
