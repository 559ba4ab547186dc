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


/* The number of events of a stream that its parts have, each event once.

   The events of a ring have numbers, and the parts of a stream are counted in
   their order.  A part that repeats events of the parts before it, as the first
   part of a new agent does, counts with its later events only. */

#ifndef FLEET_STORED_H
#define FLEET_STORED_H

#include <stdint.h>

struct stored {
  uint64_t events;                /* in all counted parts */
  uint64_t *ends;                 /* of each ring: the number of its last event
                                     in a counted part; 0: none */
  uint32_t rings;
};

/* Sets the end of ring [ring]. */
void set_end(struct stored *stored, uint32_t ring, uint64_t end);

/* Adds the events of the recording at [path]; none when it cannot be read.
   Stops at damage as a reader does. */
void count_part(struct stored *stored, const char *path);

/* Returns a copy of [stored], whose [ends] the caller frees. */
struct stored copy_stored(const struct stored *stored);

#endif /* FLEET_STORED_H */
