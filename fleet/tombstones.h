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


/* Takes the tombstones that processes have left, for the spool: a process that
   ends while nobody records it leaves its final counts there. */

#ifndef FLEET_TOMBSTONES_H
#define FLEET_TOMBSTONES_H

#include <stdbool.h>
#include "search.h"
#include "spool.h"

struct tombstones;

/* Returns the taker of the tombstones that [search] finds.  [say] gets one line
   for each tombstone that cannot be read.  The caller frees it. */
struct tombstones *begin_tombstones(struct search *search, struct spool *spool,
                            int64_t age_ns, void (*say)(const char *line));
void free_tombstones(struct tombstones *tombstones);

/* Takes the tombstones that were found since the last call, and removes those
   that are older than the age.  Returns whether the spool has all: it has not
   while its disk is full. */
bool take_tombstones(struct tombstones *tombstones);

#endif /* FLEET_TOMBSTONES_H */
