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

/* The formats that libeventring reads.  runtime_formats.c takes the place of
   this file in OCaml's runtime. */

#include <stddef.h>
#include "eventring_source.h"

const struct eventring_format *const eventring_formats[] = {
  &eventring_recording_format,
  &eventring_stock_format,
  &eventring_ring_format,
  NULL
};
