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


/* See stored.h. */

#include <stdlib.h>
#include <string.h>
#include "event_reader.h"
#include "eventring_reader.h"
#include "memory.h"
#include "stored.h"
#include "target.h"

void set_end(struct stored *c, uint32_t ring, uint64_t end)
{
  if (ring >= c->rings) {
    c->ends = reallocate(c->ends, ring + (size_t) 1, sizeof *c->ends);
    memset(c->ends + c->rings, 0, (ring + 1 - c->rings) * sizeof *c->ends);
    c->rings = ring + 1;
  }
  c->ends[ring] = end;
}

void count_part(struct stored *c, const char *path)
{
  static const struct eventring_options options = { .size = sizeof options };
  struct eventring_cursor *cursor;
  struct event_reader reader;
  if (eventring_open(path, &options, &cursor) < 0) return;
  const uint32_t rings = target_info(cursor).rings;
  for (uint32_t i = 0; i < rings && i < c->rings; i++)
    eventring_skip_events(cursor, i, c->ends[i]);
  read_new_events(&reader, cursor, INT64_MAX);
  while (next_event(&reader) != NULL) { }
  for (uint32_t i = 0; i < rings; i++) {
    uint64_t end = eventring_events_end(cursor, i);
    c->events += eventring_events_read(cursor, i);
    if (end > (i < c->rings ? c->ends[i] : 0)) set_end(c, i, end);
  }
  eventring_close(cursor);
}

struct stored copy_stored(const struct stored *c)
{
  struct stored copy = *c;
  copy.ends = reallocate(NULL, c->rings, sizeof *c->ends);
  if (c->rings > 0) memcpy(copy.ends, c->ends, c->rings * sizeof *c->ends);
  return copy;
}
