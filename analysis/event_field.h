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

/* The fields of an event's payload. */

#ifndef ANALYSIS_EVENT_FIELD_H
#define ANALYSIS_EVENT_FIELD_H

#include "eventring_reader.h"

/* Returns the description of word [word] of the payload of [event], from 0, or
   NULL when the word has no description.  Does not check that the event has so
   many words.  The begin of a span has no fields, since fields are in the end
   of the span: NULL. */
static inline const struct eventring_field *
event_field(struct eventring_cursor *cursor,
            const struct eventring_event *event, uint32_t word)
{
  return event->form == EVENTRING_EV_BEGIN ? NULL
         : eventring_field(cursor, event->id, word);
}

#endif /* ANALYSIS_EVENT_FIELD_H */
