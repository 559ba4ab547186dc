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

/* In place of eventring_formats.c in OCaml's runtime: programs in OCaml read
   ring files only, and are not linked with libzstd. */

#include <stddef.h>
#include "eventring_source.h"

const struct eventring_format *const eventring_formats[] = {
  &eventring_ring_format,
  NULL
};
