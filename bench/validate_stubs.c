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

/* Does nothing: a time measured here from outside is the cost of measuring.
   Like the functions of interest it calls another one and so begins by saving a
   register, an instruction that the kernel can emulate; another first
   instruction may cost the probe ten times more. */

#include <caml/mlvalues.h>

static __attribute__((noipa)) void inner(void)
{
}

__attribute__((noinline)) value bench_nothing(value unit)
{
  inner();
  return unit;
}
