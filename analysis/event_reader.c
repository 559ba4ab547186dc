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

#include "event_reader.h"

void read_new_events(struct event_reader *r, struct eventring_cursor *cursor)
{
  r->cursor = cursor;
  r->next = r->count = r->error = 0;
  r->damaged = 0;
}

const struct eventring_event *next_event(struct event_reader *r)
{
  int n;
  if (r->next < r->count) return &r->batch[r->next++];
  while ((n = eventring_read(r->cursor, r->batch, EVENT_BATCH))
         == EVENTRING_E_DAMAGED)
    r->damaged++;
  r->error = n < 0 ? n : 0;
  r->count = n > 0 ? n : 0;
  r->next = n > 0;
  return n > 0 ? &r->batch[0] : NULL;
}
