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

/* The processes of a profile. */

#ifndef RENDER_PROFILE_ORIGIN_H
#define RENDER_PROFILE_ORIGIN_H

#include <stdint.h>
#include "eventring_reader.h"

struct profile_origin {
  struct eventring_cursor *cursor; /* of the process; NULL: of many */
  /* Of many processes: */
  uint32_t processes, nodes;      /* with samples in the profile */
  uint32_t others;                /* processes without */
  const char *version;            /* the prefix of the build ids of their
                                     programs; NULL: any */
  /* Of one process or many: */
  uint64_t lost_events, dropped_samples;
  uint64_t sample_period_ns;      /* 0: it differs */
};

/* Returns the origin of a profile of the process of [cursor] alone, with the events
   that were lost up to now. */
struct profile_origin origin_of_process(struct eventring_cursor *cursor);

#endif /* RENDER_PROFILE_ORIGIN_H */
