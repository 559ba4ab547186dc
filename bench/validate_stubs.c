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

/* A function in which no time passes: what an outside observer measures here
   is the observing.  Like the functions that matter it calls another one and
   so begins by saving a register; the kernel knows how to do that itself,
   while another first instruction may cost the probe ten times more. */

#include <caml/mlvalues.h>

static __attribute__((noipa)) void inner(void)
{
}

__attribute__((noinline)) value bench_nothing(value unit)
{
  inner();
  return unit;
}
