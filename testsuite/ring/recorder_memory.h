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

#ifndef RECORDER_MEMORY_H
#define RECORDER_MEMORY_H

#include <stdint.h>

struct eventring_recorder;

/* Returns the bytes of the buffers of recorder [r] that grow with the events it
   has to copy at once. */
uint64_t recorder_memory(const struct eventring_recorder *r);

#endif /* RECORDER_MEMORY_H */
