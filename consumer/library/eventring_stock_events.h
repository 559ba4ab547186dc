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

/* The numbers of the events of stock OCaml 5.

   The numbers in a .events file are places in enumerations of the runtime that
   wrote it, which are the rows of caml/eventring_events.tbl for its version of
   OCaml, in their order.  All rows but the ones of 5.3 were added at the end, so
   that two numberings read every file: up to 5.2, and from 5.3 on. */

#ifndef EVENTRING_STOCK_EVENTS_H
#define EVENTRING_STOCK_EVENTS_H

#include "caml/eventring_format.h"

#define STOCK_BEFORE_5_3 2
#define STOCK_NEWEST 5

struct stock_event {
  uint32_t id;
  uint32_t category;            /* bit number */
  const char *name;
  const char *unit;
};

/* The category of a grouped counter is the category of its event. */
enum {
#define PHASE(id, number, category, name, doc) \
  STOCK_CATEGORY_##id = EVENTRING_##category##_BIT,
#define RECORD(id, number, category, payload, unit, name, doc) \
  STOCK_CATEGORY_##id = EVENTRING_##category##_BIT,
#include "caml/eventring_events.tbl"
};

static const struct stock_event stock_phases[] = {
#define PHASE(id, number, category, name, doc) \
  { number, STOCK_CATEGORY_##id, name, "" },
#include "caml/eventring_events.tbl"
};

static const struct stock_event stock_counters[] = {
#define COUNTER(id, number, category, unit, name, doc) \
  { number, EVENTRING_##category##_BIT, name, unit },
#define GROUPED(id, number, part, event, place, scale, unit, name, doc) \
  { number, STOCK_CATEGORY_##event, name, unit },
#include "caml/eventring_events.tbl"
};

static const struct stock_event stock_lifecycles[] = {
#define LIFECYCLE(id, number, category, name, doc) \
  { number, EVENTRING_##category##_BIT, name, "" },
#include "caml/eventring_events.tbl"
};

/* The ids of the same events up to 5.2, in the order of their numbers. */
#define EVENTRING_OCAML STOCK_BEFORE_5_3
static const uint16_t stock_phases_before_5_3[] = {
#define PHASE(id, number, category, name, doc) number,
#include "caml/eventring_events.tbl"
};

static const uint16_t stock_counters_before_5_3[] = {
#define COUNTER(id, number, category, unit, name, doc) number,
#define GROUPED(id, number, part, event, place, scale, unit, name, doc) number,
#include "caml/eventring_events.tbl"
};
#undef EVENTRING_OCAML

/* Numbers that are looked for, the same in all versions. */
enum { STOCK_RING_START = 0, STOCK_RING_STOP = 1 };
enum { STOCK_MINOR_ALLOCATED = 5, STOCK_MINOR_ALLOCATED_WORDS = 26 };

/* A minor collection ends right after it has reported the amount allocated;
   this is how the two numberings are told apart. */
enum { STOCK_MINOR_BEFORE_5_3 = 10, STOCK_MINOR_SINCE_5_3 = 11 };

#endif /* EVENTRING_STOCK_EVENTS_H */
