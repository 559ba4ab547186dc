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

/* The present activity of a domain, in words, for `eventring top`. */

#ifndef TOOLS_TOP_PHASE_H
#define TOOLS_TOP_PHASE_H

#include <stdbool.h>
#include <stddef.h>
#include "live_stats.h"
#include "text.h"

/* Writes [ns] as an age, such as "3 m 20 s", into [buffer].  Returns
   [buffer]. */
const char *format_age(char buffer[QUANTITY_SIZE], int64_t ns);

/* The process of the domain. */
struct phase_facts {
  struct eventring_cursor *cursor;
  bool running, paused;
  int64_t now;                    /* up to which events were read */
};

/* Writes the present activity of the domain [d] to [phase], a buffer of [size]
   bytes. */
void fill_phase(const struct phase_facts *f, const struct live_domain *d,
                char *phase, size_t size);

#endif /* TOOLS_TOP_PHASE_H */
