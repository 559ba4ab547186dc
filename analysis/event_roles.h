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

/* The role of the events with an id, and where in their payload the fields are that
   analyses read.  Both are looked up once for each id, by names, so that files of
   every OCaml are understood, for all names that are known.

     struct event_roles *roles = new_event_roles(cursor);
     for each event:
       switch (role_of(roles, event->id)) ... */

#ifndef ANALYSIS_EVENT_ROLES_H
#define ANALYSIS_EVENT_ROLES_H

#include <stdbool.h>
#include <stdint.h>
#include "eventring_reader.h"

/* Events of the program have ROLE_OTHER, whatever their name. */
enum event_role {
  ROLE_OTHER,
  /* Waits */
  ROLE_WAIT, ROLE_MUTEX_WAIT, ROLE_CONDITION_WAIT, ROLE_YIELD,
  /* Spans: a call of a function of module Gc, and parts of the collector */
  ROLE_CALL,
  ROLE_MINOR, ROLE_SLICE, ROLE_CYCLE, ROLE_COMPACTION, ROLE_IN_STOP,
  ROLE_IN_COLLECTOR,
  /* Others */
  ROLE_STOP, ROLE_HEAP, ROLE_MEMORY, ROLE_MINOR_HEAP_SIZE, ROLE_PACING,
  ROLE_PROMOTED, ROLE_ALLOCATED, ROLE_MAJOR_ALLOCATED, ROLE_AT_END,
  ROLE_POOLS, ROLE_POOLS_LIVE, ROLE_LARGE, ROLE_FRAGMENTED,
  ROLE_DOMAIN_STARTS, ROLE_DOMAIN_ENDS, ROLE_THREAD_RUN, ROLE_THREAD_ENDS,
  ROLE_REQUEST_RUN, ROLE_RING_START, ROLE_RING_PAUSE, ROLE_RING_RESUME,
  EVENT_ROLES
};

/* Categories, several of some. */
enum event_area {
  AREA_OTHER, AREA_USER, AREA_WAIT, AREA_COLLECTOR, AREA_STOP
};

struct event_class {
  bool known;                     /* the event is described */
  uint8_t role, area;
  uint8_t kind;                   /* EVENTRING_KIND_SPAN and the like */
};

/* The fields that are used, by name. */
enum field_name {
  F_CAUSE, F_REASON, F_REQUESTED_BY, F_PROMOTED,
  F_ALLOCATED, F_MINOR, F_DIRECT, F_DOMAIN,
  F_ARRIVED_AFTER, F_LEFT_BEFORE, F_POOLS, F_LIVE, F_FREE,
  F_FRAGMENTED, F_LARGE, F_CUSTOM, F_MAPPED, F_RESIDENT,
  F_TO, F_FOR_DOMAIN_LOCK, F_MUTEX, F_CONDITION, F_HOLDER,
  EVENT_FIELDS
};

struct event_roles {
  struct eventring_cursor *cursor;
  struct event_class classes[UINT16_MAX + 1];
  uint8_t scale[EVENT_ROLES];     /* bytes in the unit that its counter has */
  /* 1 + the place of the field; 0: no such field. */
  uint8_t place[EVENT_ROLES][EVENT_FIELDS];
  uint8_t round;                  /* words of the repeated fields of a stop */
  int request_run;                /* 1 + the id of the event; 0: not looked up */
};

/* Returns the roles of the events of [cursor], which must stay open.  Never returns
   NULL (see memory.h).  The caller frees them with free. */
struct event_roles *new_event_roles(struct eventring_cursor *cursor);

/* Looks the class of the events with the id [id] up by their name and category, and
   stores it with the places of their fields.  Returns the class.  [class_of] calls
   this once for each id that is described. */
struct event_class look_up_class(struct event_roles *roles, uint16_t id);

/* Returns the class of the events with the id [id]; zeros while they are not
   described. */
static inline struct event_class class_of(struct event_roles *roles,
                                          uint16_t id)
{
  const struct event_class class = roles->classes[id];
  return class.known ? class : look_up_class(roles, id);
}

/* Returns the role of the events with the id [id]. */
static inline enum event_role role_of(struct event_roles *roles, uint16_t id)
{
  return (enum event_role) class_of(roles, id).role;
}

/* Returns whether events with the role [role] report waits, or are spans of the
   collector. */
static inline bool is_wait_role(enum event_role role)
{
  return role >= ROLE_WAIT && role <= ROLE_YIELD;
}
static inline bool in_collector(enum event_role role)
{
  return role >= ROLE_MINOR && role <= ROLE_IN_COLLECTOR;
}

/* Returns whether events of [class] are spans of the collector.  A call of Gc is none: the
   collections in it are, and finalisers are in it, too. */
static inline bool is_collector_span(struct event_class class)
{
  return class.area == AREA_COLLECTOR && class.kind == EVENTRING_KIND_SPAN
         && class.role != ROLE_CALL;
}

/* Returns whether a thread in a span of [class] collects, or is stopped for that. */
static inline bool is_collecting(struct event_class class)
{
  return is_collector_span(class)
         || (class.area == AREA_STOP && class.kind == EVENTRING_KIND_SPAN);
}

/* Returns whether events of [class] tell the begin or the end of a pause of the
   recording. */
static inline bool is_pause(struct event_class class)
{
  return class.role == ROLE_RING_PAUSE || class.role == ROLE_RING_RESUME;
}

/* Returns the value of [field] of [event], which has the role [role], or
   [otherwise] when the event does not have the field. */
static inline uint64_t field_of(const struct event_roles *roles,
                                enum event_role role,
                                const struct eventring_event *event,
                                enum field_name field, uint64_t otherwise)
{
  uint32_t place = roles->place[role][field];
  return place != 0 && place <= event->words ? event->payload[place - 1]
                                             : otherwise;
}

/* A domain that a stop-the-world section lists. */
struct stopped_domain {
  uint32_t id;
  uint64_t arrived_after;         /* ns, from the request of the stop on */
  uint64_t left_before;           /* ns, until the end of the stop; 0 in files that
                                     do not tell */
};

/* Returns the number of domains that [event] lists, which has the role ROLE_STOP, and
   stores the domain that arrived last in *last; if several did, the first in the list.
   Returns 0, and leaves *last as it is, when the list is empty: for a request for which
   no other domain must stop. */
uint32_t stopped_domains(const struct event_roles *roles,
                         const struct eventring_event *event,
                         struct stopped_domain *last);

/* Returns domain number [i], from 0, of the list; [i] must be less than the number of
   domains. */
struct stopped_domain stopped_domain(const struct event_roles *roles,
                                     const struct eventring_event *event, uint32_t i);

/* When a domain stood still for a stop. */
struct stopped_time { int64_t from_ns, to_ns; };

/* Returns the time of the domain [in] of the stop [event], at which [last] arrived last:
   from its arrival until it went on. */
struct stopped_time stopped_time(const struct eventring_event *event,
                                 const struct stopped_domain *last,
                                 const struct stopped_domain *in);

/* Returns whether the events with the id [id] are recorded at present. */
bool event_is_recorded(const struct event_roles *roles, int id);

#endif /* ANALYSIS_EVENT_ROLES_H */
