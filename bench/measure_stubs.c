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

/* The clock of measure.ml, and what reading it costs bare.  Compiled with our
   toolchain and with a stock one. */

#include <caml/mlvalues.h>
#include <caml/eventring_clock.h>

#define PER_RUN 4096              /* as in measure.ml */

static uint64_t sink;

value bench_now(value unit)
{
  return Val_long(eventring_clock_ns(CLOCK_MONOTONIC));
}

/* Eight a turn, so that the loop itself does not count. */
value bench_bare_clock(value unit)
{
#define ONE sink += eventring_hardware_ticks();
  for (int i = 0; i < PER_RUN / 8; i++)
    { ONE ONE ONE ONE ONE ONE ONE ONE }
  return Val_unit;
}
