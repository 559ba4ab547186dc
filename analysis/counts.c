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

/* The counts of this many ids are allocated together, at the first event of one
   of them: a file has few ids, but may have a thousand processes. */
#define GROUP 256

/* Names belong to ids; several ids may have the same name. */
struct counts {
  struct eventring_cursor *cursor;
  uint64_t total;
  uint64_t *group[IDS / GROUP];   /* of ids; NULL: no events */
};

struct counts *new_counts(struct eventring_cursor *cursor)
{
  struct counts *c = allocate(1, sizeof *c);
  c->cursor = cursor;
  return c;
}

void free_counts(struct counts *c)
{
  for (uint32_t i = 0; i < IDS / GROUP; i++) free(c->group[i]);
  free(c);
}

void count_event(struct counts *c, const struct eventring_event *event)
{
  if (event->form == EVENTRING_EV_LOST || event->form == EVENTRING_EV_OPEN)
    return;
  uint64_t **group = &c->group[event->id / GROUP];
  if (*group == NULL) *group = allocate(GROUP, sizeof **group);
  (*group)[event->id % GROUP]++;
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

/* Adds the names of events in [c] and their counts to the [*count] elements of
   the list, and returns the list, which may have moved. */
static struct named_count *add_names(struct named_count *list, size_t *count,
                                     size_t *room, const struct counts *c)
{
  for (uint32_t id = 0; id < IDS; id++) {
    const uint64_t *group = c->group[id / GROUP];
    const uint64_t n = group == NULL ? 0 : group[id % GROUP];
    if (n == 0) continue;
    list = with_room(list, *count, room, sizeof *list);
    set_name(&list[*count], c->cursor, id);
    list[(*count)++].count = n;
  }
  return list;
}

struct named_count *counts_by_name(const struct counts *const *all,
                                   size_t count, size_t *names)
{
  size_t n = 0, room = 0;
  struct named_count *list = with_room(NULL, 0, &room, sizeof *list);
  for (size_t i = 0; i < count; i++) list = add_names(list, &n, &room, all[i]);
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
