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

/* Which role the events with an id have in a summary, and where in their payload
   the fields are that it reads.  Both are looked up once for each id, by name, so
   that files of every OCaml are understood, for all names that are known. */

#ifndef SUMMARY_ROLES_H
#define SUMMARY_ROLES_H

#include <stdbool.h>
#include <stdint.h>
#include "eventring_reader.h"

enum role {
  NOT_LOOKED_UP, OTHER, WAIT, EXPLICIT,
  MINOR, SLICE, CYCLE, COMPACTION, IN_STOP, IN_COLLECTOR,
  STOP, HEAP, MEMORY, MINOR_HEAP_SIZE, PACING,
  PROMOTED, ALLOCATED, MAJOR_ALLOCATED, AT_END,
  POOLS, POOLS_LIVE, LARGE, FRAGMENTED,
  DOMAIN_STARTS, DOMAIN_ENDS, THREAD_RUN, THREAD_ENDS, RING_PAUSE, RING_RESUME,
  ROLES
};

/* The fields that are used, by name. */
enum field {
  CAUSE, REASON, REQUESTED_BY, F_PROMOTED, F_ALLOCATED, F_MINOR, DIRECT, DOMAIN,
  ARRIVED_AFTER, LEFT_BEFORE,
  F_POOLS, LIVE, FREE, F_FRAGMENTED, F_LARGE, CUSTOM, MAPPED, RESIDENT, TO,
  FIELDS
};

struct summary_ids {
  struct eventring_cursor *cursor;
  uint8_t role[UINT16_MAX + 1];
  uint8_t scale[ROLES];           /* bytes in the unit that its counter has */
  /* 1 + the place of the field; 0: no such field. */
  uint8_t place[ROLES][FIELDS];
  uint8_t round;                  /* words of the repeated fields of a stop */
  int stop_id;                    /* of stop-the-world sections; less than 0: they
                                     have no event */
  bool collects;                  /* there was an event of category gc */
  bool tells_major;               /* there was an event that did; see
                                     summary_tells_major */
  bool tells_threads;             /* likewise */
  bool tells_waits;               /* the same */
};

/* Returns new ids for the events of [cursor], which the caller frees with free. */
struct summary_ids *new_summary_ids(struct eventring_cursor *cursor);

/* Looks the role of the events with the id [id] up by their name and category, and
   stores it with the places of the fields.  Returns the role; [role_of] calls this
   once for each id. */
enum role look_up_role(struct summary_ids *ids, uint16_t id);

/* Returns the role of the events with the id [id]. */
static inline enum role role_of(struct summary_ids *ids, uint16_t id)
{
  enum role role = (enum role) ids->role[id];
  return role != NOT_LOOKED_UP ? role : look_up_role(ids, id);
}

/* Returns the value of field [f] of [event], which has the role [role], or
   [otherwise] when the event does not have the field. */
static inline uint64_t field_of(const struct summary_ids *ids, enum role role,
                                const struct eventring_event *event,
                                enum field f, uint64_t otherwise)
{
  uint32_t place = ids->place[role][f];
  return place != 0 && place <= event->words ? event->payload[place - 1]
                                             : otherwise;
}

/* Returns whether major slices have the number of words allocated directly in the
   major heap.  Otherwise only events of category gc_detail may have it. */
bool tells_direct(const struct summary_ids *ids);

/* Returns whether the events with the id [id] are described, and are in the category
   [name]. */
bool has_category(struct summary_ids *ids, uint16_t id, const char *name);

#endif
