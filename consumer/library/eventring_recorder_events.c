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

/* A cursor on what a recorder copies, so that a recording and a program that
   reads its events at the same time have the same events and the same losses:

     rings --> recorder --> segment --> file
                               |
                               +------> source --> cursor --> events

   The recorder keeps a copy of each segment until the cursor shows it; a step
   makes no further segment before that, so that there is one at a time.  Only
   the end of the recording, which takes all that the rings have, may leave
   several. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdlib.h>
#include <string.h>

#include "eventring_cursor.h"
#include "eventring_recorded.h"
#include "eventring_recorder.h"

struct segment {
  struct segment *next;
  uint64_t horizon;
  size_t size;
  char runs[];
};

struct copied_events {
  struct recorded shown;
  struct eventring_recorder *recorder;
  struct segment *present;      /* the one that is shown, or NULL */
  struct segment *unread, **unread_end;
};

int eventring_keep_events(struct eventring_recorder *r, size_t size,
                          uint64_t horizon)
{
  struct copied_events *e = r->events;
  struct segment *s = malloc(sizeof *s + size);
  if (s == NULL) return EVENTRING_E_MEMORY;
  s->next = NULL;
  s->horizon = horizon;
  s->size = size;
  memcpy(s->runs, r->raw, size);
  *e->unread_end = s;
  e->unread_end = &s->next;
  return 0;
}

int eventring_has_unread(const struct eventring_recorder *r)
{
  return r->events != NULL && r->events->unread != NULL;
}

/* Shows the oldest segment that was not shown.  After the last one of a recorder
   that has ended, lets out the events behind the horizon, once. */
static int advance(struct eventring_source *source)
{
  struct copied_events *e = (struct copied_events *) source;
  struct segment *s = e->unread;
  int err;
  if (s == NULL) {
    if (!e->recorder->ended || source->horizon == UINT64_MAX) return 0;
    source->horizon = UINT64_MAX;
    return EVENTRING_MORE;
  }
  e->unread = s->next;
  if (e->unread == NULL) e->unread_end = &e->unread;
  eventring_no_words(&e->shown);
  free(e->present);
  e->present = s;
  source->horizon = s->horizon;
  err = eventring_take_segment(&e->shown, s->runs, s->size, 0);
  if (err < 0) eventring_no_words(&e->shown);
  return err < 0 ? err : EVENTRING_MORE;
}

static void close_events(struct eventring_source *source)
{
  struct copied_events *e = (struct copied_events *) source;
  while (e->unread != NULL) {
    struct segment *s = e->unread;
    e->unread = s->next;
    free(s);
  }
  free(e->present);
  e->recorder->events = NULL;
  eventring_free_recorded(&e->shown);
  free(e);
}

/* Makes a source like [source], which the recorder reads, with the words of
   segments in place of the words of rings.  [source] is live: what it points to
   stays where it is.  Returns 0 or EVENTRING_E_MEMORY. */
static int show_rings(struct recorded *shown,
                      const struct eventring_source *source)
{
  shown->header = source->checked;
  shown->slots = calloc(shown->header.rings, sizeof *shown->slots);
  shown->source = *source;
  shown->source.rings = calloc(shown->header.rings,
                               sizeof *shown->source.rings);
  shown->source.checked.slot_size = sizeof *shown->slots;
  shown->source.directory = (const char *) shown->slots;
  shown->source.lap = UINT64_MAX;
  shown->source.horizon = 0;
  shown->source.behind = 0;
  shown->source.advance = advance;
  shown->source.seek = NULL;
  shown->source.close = close_events;
  if (shown->slots == NULL || shown->source.rings == NULL)
    return EVENTRING_E_MEMORY;
  for (uint32_t i = 0; i < shown->header.rings; i++)
    shown->source.rings[i].mask = UINT64_MAX;
  return 0;
}

int eventring_record_events(struct eventring_recorder *r,
                            struct eventring_cursor **result)
{
  const struct eventring_options none = { .size = sizeof none };
  struct copied_events *e;
  int err;
  if (result == NULL) return EVENTRING_E_ARGUMENT;
  *result = NULL;
  if (r == NULL || r->hold || r->file.sink != NULL || r->events != NULL
      || r->stepped || !r->options.from_start)
    return EVENTRING_E_ARGUMENT;
  e = calloc(1, sizeof *e);
  if (e == NULL) return EVENTRING_E_MEMORY;
  e->recorder = r;
  e->unread_end = &e->unread;
  r->events = e;
  err = show_rings(&e->shown, r->source);
  if (err < 0) {
    close_events(&e->shown.source);
    return err;
  }
  return eventring_new_cursor(&e->shown.source, eventring_path(r->cursor),
                              eventring_cursor_file(r->cursor),
                              r->cursor->pid, &none, result);
}
