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

/* Causes of collections, for the rules of diagnosis.h: their meaning, advice on
   them, and the one with most of the collector's time.  doc/EVENTS.md has their
   names, such as minor_heap_full. */

#ifndef ANALYSIS_CAUSES_H
#define ANALYSIS_CAUSES_H

#include <stdbool.h>
#include "diagnosis_rules.h"
#include "summary.h"

/* Names of causes with most of the collector's time, valid as long as the cursor. */
struct collector_causes {
  const char *first;              /* NULL: not known, as for stock OCaml */
  const char *second;             /* of about as much time; NULL: none */
};

/* Returns the advice of [rule] on the cause called [name]; NULL when the rule
   has none of its own for this cause. */
const char *advice_on_cause(enum rule_id rule, const char *name);

/* Returns the meaning of the cause called [name]; NULL when this version does
   not know the cause. */
const char *cause_meaning(const char *name);

/* Returns whether the cause called [name] is a call of the program, such as
   gc_full_major. */
bool is_call_of_program(const char *name);

/* Returns the cause that belongs to the event called [event], a call of the
   collector by the program such as explicit_gc_minor; NULL for other events.
   The result is a part of [event]. */
const char *call_in_event(const char *event);

/* Returns the time in nanoseconds in which the collector worked for the calls of
   the program that write the event called [event], such as explicit_gc_minor.  When
   no event has a cause, as for stock OCaml, it is the time of the calls, which may
   have run finalisers and other threads. */
uint64_t collector_called(struct summary *s, const char *event);

/* Returns the causes to name for the collector's time.  The first is the one with the
   most time among those on which rule collector_time has the advice that concerns the
   most time; the second is the one with the most time of the others, if it is about
   as long: [favour] times its time is at least that of the first.  The time of a cause
   in [last], which the diagnosis before named, counts [favour] times. */
struct collector_causes collector_causes(struct summary *s,
                                         const struct collector_causes *last,
                                         double favour);

#endif /* ANALYSIS_CAUSES_H */
