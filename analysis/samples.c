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

/* The kind of each id is looked up once. */

#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "samples.h"

#define IDS 65536
#define NOT_KNOWN SAMPLE_KINDS  /* of an id without a description so far */

static const struct layout {
  const char *name;
  uint32_t least;               /* words of the payload */
  uint32_t frames;              /* see first_frame */
} layouts[SAMPLE_KINDS] = {
  [CPU_SAMPLE] = { "cpu_sample", SAMPLE_FIRST_FRAME, SAMPLE_FIRST_FRAME },
  [ALLOC_SAMPLE] = { "alloc_sample", ALLOC_FIRST_FRAME, ALLOC_FIRST_FRAME },
  [LIVE_SAMPLE] = { "live_sample", LIVE_FIRST_FRAME, LIVE_FIRST_FRAME },
  [WAIT_SAMPLE] = { "wait_sample", WAIT_FIRST_FRAME, WAIT_FIRST_FRAME },
  [IO_SAMPLE] = { "io", IO_FIRST_FRAME, IO_FIRST_FRAME },
  [BLOCKS_FREED] = { "blocks_freed", 0, 0 },
  [ALLOC_START] = { "alloc_start", START_BLOCK + 1, 0 },
  [CPU_USED] = { "cpu_used", USED_FIELDS, 0 }
};

struct samples {
  struct eventring_cursor *cursor;
  uint8_t kinds[IDS];           /* by id of events */
};

struct samples *new_samples(struct eventring_cursor *cursor)
{
  struct samples *s = allocate(1, sizeof *s);
  s->cursor = cursor;
  memset(s->kinds, NOT_KNOWN, sizeof s->kinds);
  return s;
}

void free_samples(struct samples *s)
{
  free(s);
}

/* Looks the kind of events with id [id] up. */
static enum sample_kind find_kind(struct samples *s, uint16_t id)
{
  const struct eventring_description *d = eventring_describe(s->cursor, id);
  if (d == NULL) return NO_SAMPLE;
  s->kinds[id] = NO_SAMPLE;
  for (int kind = NO_SAMPLE + 1; kind < SAMPLE_KINDS; kind++)
    /* The program may have an event of the same name: the first counts. */
    if (strcmp(d->name, layouts[kind].name) == 0
        && eventring_find(s->cursor, d->name) == id)
      s->kinds[id] = (uint8_t) kind;
  return s->kinds[id];
}

enum sample_kind sample_kind(struct samples *s,
                             const struct eventring_event *event)
{
  if (event->form != EVENTRING_EV_INSTANT) return NO_SAMPLE;
  enum sample_kind kind = s->kinds[event->id];
  if (kind == NOT_KNOWN) kind = find_kind(s, event->id);
  return event->words < layouts[kind].least ? NO_SAMPLE : kind;
}

uint32_t first_frame(enum sample_kind kind)
{
  return layouts[kind].frames;
}

bool sample_is_whole(struct eventring_cursor *cursor, enum sample_kind kind,
                     const struct eventring_event *event)
{
  const char *stack = eventring_value(cursor, "stack",
                                      event->payload[SAMPLE_STACK]);
  return event->words > layouts[kind].frames && stack != NULL
         && strcmp(stack, "complete") == 0;
}
