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

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "counts.h"
#include "memory.h"

#define IDS 65536

/* Names belong to ids; several ids may have the same name. */
struct counts {
  struct eventring_cursor *cursor;
  uint64_t total;
  uint64_t by_id[IDS];
};

struct counts *new_counts(struct eventring_cursor *cursor)
{
  struct counts *c = allocate(1, sizeof *c);
  c->cursor = cursor;
  return c;
}

void free_counts(struct counts *c)
{
  free(c);
}

void count_event(struct counts *c, const struct eventring_event *event)
{
  if (event->form == EVENTRING_EV_LOST) return;
  c->by_id[event->id]++;
  c->total++;
}

static int by_name(const void *a, const void *b)
{
  return strcmp(((const struct named_count *) a)->name,
                ((const struct named_count *) b)->name);
}

static int by_count(const void *a, const void *b)
{
  const struct named_count *x = a, *y = b;
  return x->count != y->count ? (x->count < y->count ? 1 : -1)
                              : by_name(a, b);
}

static void set_name(struct named_count *named,
                     struct eventring_cursor *cursor, uint32_t id)
{
  const struct eventring_description *d = eventring_describe(cursor, id);
  if (d == NULL || d->name[0] == '\0')
    snprintf(named->name, sizeof named->name, "#%" PRIu32, id);
  else
    snprintf(named->name, sizeof named->name, "%s", d->name);
}

struct named_count *counts_by_name(const struct counts *c, size_t *names)
{
  size_t ids = 0;
  for (uint32_t id = 0; id < IDS; id++) ids += c->by_id[id] > 0;
  struct named_count *list = allocate(ids + 1, sizeof *list);
  size_t n = 0;
  for (uint32_t id = 0; id < IDS; id++)
    if (c->by_id[id] > 0) {
      set_name(&list[n], c->cursor, id);
      list[n++].count = c->by_id[id];
    }
  qsort(list, n, sizeof *list, by_name);
  *names = 0;
  for (size_t i = 0; i < n; i++)
    if (*names > 0 && by_name(&list[*names - 1], &list[i]) == 0)
      list[*names - 1].count += list[i].count;
    else
      list[(*names)++] = list[i];
  qsort(list, *names, sizeof *list, by_count);
  return list;
}

uint64_t total_count(const struct counts *c)
{
  return c->total;
}
