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

/* The machine of a recording, and the samples of its clocks. */

#ifndef RENDER_NODE_H
#define RENDER_NODE_H

#include <jansson.h>
#include <stdint.h>
#include "eventring_reader.h"

/* Returns the description of the machine in the recording of [cursor], an object
   that the caller frees with json_decref; NULL when it has none. */
json_t *node_of(struct eventring_cursor *cursor);

/* The samples of the clocks in a recording. */
struct clock_samples {
  uint32_t count;
  struct eventring_clock_sample first, last;
  uint64_t bound_ns;              /* the largest */
};
struct clock_samples clock_samples(struct eventring_cursor *cursor);

#endif /* RENDER_NODE_H */
