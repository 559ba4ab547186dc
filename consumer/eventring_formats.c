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

/* The formats that libeventring reads beside ring files.  OCaml's runtime,
   which holds the reader too, has none of them. */

#include <stddef.h>
#include "eventring_source.h"

extern const struct eventring_format eventring_recording_format;
extern const struct eventring_format eventring_stock_format;

const struct eventring_format *const eventring_formats[] = {
  &eventring_recording_format,
  &eventring_stock_format,
  NULL
};
