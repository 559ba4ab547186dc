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
#include "count.h"
#include "json.h"
#include "text.h"

#define IDS 65536

/* Names belong to ids; several ids may have the same name. */
struct counts {
  struct eventring_cursor *cursor;
  uint64_t total;
  uint64_t by_id[IDS];
};

struct named_count {
  char name[128];
  uint64_t count;
};

struct counts *new_counts(struct eventring_cursor *cursor)
{
  struct counts *c = calloc(1, sizeof *c);
  if (c == NULL) {
    complain("not enough memory");
    exit(STATUS_CANNOT_READ);
  }
  c->cursor = cursor;
  return c;
}

void free_counts(struct counts *c)
{
  free(c);
}

/* A loss is no event. */
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

/* One for each name, in the order of printing; sets *names. */
static struct named_count *sort_counts(struct counts *c, size_t *names)
{
  size_t ids = 0;
  for (uint32_t id = 0; id < IDS; id++) ids += c->by_id[id] > 0;
  struct named_count *list = calloc(ids + 1, sizeof *list);
  if (list == NULL) {
    complain("not enough memory");
    exit(STATUS_CANNOT_READ);
  }
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

void print_counts(struct counts *c, bool as_json)
{
  size_t names;
  struct named_count *list = sort_counts(c, &names);
  if (as_json) {
    json_t *array = json_array();
    for (size_t i = 0; i < names; i++) {
      json_t *name = json_text(list[i].name);
      json_array_append_new(
        array, json_pack("{s:o,s:I}", "name", name, "events",
                         (json_int_t) list[i].count));
    }
    print_json(json_pack("{s:I,s:o}", "events", (json_int_t) c->total,
                         "names", array), false);
  } else {
    for (size_t i = 0; i < names; i++) {
      printf("%12" PRIu64 "  ", list[i].count);
      print_text(stdout, list[i].name, strlen(list[i].name), TEXT_COLUMN);
      putchar('\n');
    }
    printf("%12" PRIu64 "  total\n", c->total);
  }
  free(list);
}
