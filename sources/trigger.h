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

/* Triggers: of `eventring record`, and of the rules of `eventring serve`.
   'NAME > TIME' is a span, a stop or a request that took longer; NAME any event
   of this name; `lost` is the loss of events.

     struct trigger_watch *w = new_trigger_watch(cursor);
     for each event: h = trigger_look(w, event); trigger_fires(trigger, &h); */

#ifndef SOURCES_TRIGGER_H
#define SOURCES_TRIGGER_H

#include <stdint.h>
#include <stdbool.h>
#include "eventring_reader.h"
#include "requests.h"
#include "spans.h"

/* Events are noticed a little later than they happen: those before are to be held so
   much longer. */
#define NOTICED_NS (INT64_C(1000000000) / 4)

struct trigger {
  const char *text;               /* NULL: no trigger */
  char name[128];
  int64_t longer_than;            /* -1: any event of that name */
};

/* Parses [text], a trigger such as "NAME > TIME" or "NAME", into [t].  The last
   ">" ends the name; spaces around it are left out.  [t] keeps the pointer
   [text], which must stay valid as long as [t].  If [text] is not a trigger, or
   the name is empty or has more than 127 bytes, returns false, with the reason
   in [why]. */
bool parse_trigger(struct trigger *t, const char *text, char *why,
                   size_t why_size);

/* An event as triggers see it. */
struct happening {
  const char *name;               /* NULL: none that a trigger can have */
  int64_t took_ns;                /* of the activity that the event ends;
                                     -1: it ends none */
};

/* Returns [event], which [cursor] has read, as triggers see it.  [spans] and
   [requests] have all events before it, but not the event itself.  The name is valid
   as long as the cursor. */
struct happening happening_of(struct eventring_cursor *cursor,
                              const struct spans *spans,
                              struct requests *requests,
                              const struct eventring_event *event);

/* For a caller that has no tables of spans and requests. */
struct trigger_watch;

/* Creates a watch of the events that [cursor] reads.  Never returns NULL (see
   memory.h).  The caller frees it with free_trigger_watch; the cursor must stay
   open while the watch is used. */
struct trigger_watch *new_trigger_watch(struct eventring_cursor *cursor);
void free_trigger_watch(struct trigger_watch *watch);

/* Returns [event] as happening_of does, but losses before the first event of a ring,
   which are none of the reader's, as nothing.  The caller passes every event, in
   order. */
struct happening trigger_look(struct trigger_watch *watch,
                              const struct eventring_event *event);

/* Returns whether [happening] has the name of [trigger]. */
bool trigger_names(const struct trigger *trigger, const struct happening *happening);

/* Returns whether [happening] fires [trigger]. */
bool trigger_fires(const struct trigger *trigger,
                   const struct happening *happening);

#endif /* SOURCES_TRIGGER_H */
