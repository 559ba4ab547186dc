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

/* See recorder_memory.h.  A file of its own, since the library and cmocka give
   the name "fail" to different things. */

#include "eventring_recorder.h"
#include "recorder_memory.h"

uint64_t recorder_memory(const struct eventring_recorder *r)
{
  uint64_t bytes = r->raw_capacity;
  for (uint32_t i = 0; i < r->source->checked.rings; i++)
    bytes += r->rings[i].capacity * sizeof(uint64_t);
  return bytes;
}
