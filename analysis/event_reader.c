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
#include "target.h"

void read_new_events(struct event_reader *r, struct eventring_cursor *cursor,
                     int64_t until_ns)
{
  r->cursor = cursor;
  r->until_ns = until_ns;
  r->next = r->count = r->error = 0;
  r->begun = r->out_of_time = false;
  r->damaged = 0;
}

const struct eventring_event *next_event(struct event_reader *r)
{
  int n;
  if (r->next < r->count) return &r->batch[r->next++];
  r->next = r->count = 0;
  do {
    r->out_of_time = r->begun && r->until_ns != INT64_MAX
                     && monotonic_ns() >= r->until_ns;
    if (r->out_of_time) return NULL;
    r->begun = true;
    n = eventring_read(r->cursor, r->batch, EVENT_BATCH);
    r->damaged += n == EVENTRING_E_DAMAGED;
  } while (n == EVENTRING_E_DAMAGED);
  if (n < 0) r->error = n;
  if (n <= 0) return NULL;
  r->count = n;
  return &r->batch[r->next++];
}
