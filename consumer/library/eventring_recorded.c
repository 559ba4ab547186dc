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

/* See eventring_recorded.h. */

#include <stdlib.h>
#include <string.h>

#include "eventring_chunks.h"
#include "eventring_reader.h"
#include "eventring_recorded.h"

int eventring_take_schema(struct recorded *r, const char *entries, size_t size)
{
  char *more;
  size -= size % sizeof(struct eventring_schema_entry);
  more = realloc(r->schema, r->schema_size + size + 1);
  if (more == NULL) return EVENTRING_E_MEMORY;
  memcpy(more + r->schema_size, entries, size);
  r->schema = more;
  r->schema_size += size;
  return 0;
}

int eventring_take_node(struct recorded *r, const char *text, size_t size)
{
  char *copy = malloc(size + 1);
  if (copy == NULL) return EVENTRING_E_MEMORY;
  memcpy(copy, text, size);
  copy[size] = '\0';
  free(r->node);
  r->node = copy;
  r->source.node = copy;
  return 0;
}

int eventring_take_clocks(struct recorded *r, const char *samples, size_t size)
{
  const size_t one = sizeof r->clocks[0];
  r->source.clocks = r->clocks;
  for (; size >= one; samples += one, size -= one) {
    if (r->source.clock_count < RECORDED_CLOCKS) r->source.clock_count++;
    memcpy(&r->clocks[r->source.clock_count - 1], samples, one);
  }
  return 0;
}

int eventring_take_open(struct recorded *r, const char *spans, size_t size)
{
  const size_t all = size / sizeof *r->open_spans;
  const size_t count = all < RECORDING_MAX_OPEN ? all : RECORDING_MAX_OPEN;
  struct eventring_open_span *copy = malloc((count + 1) * sizeof *copy);
  if (copy == NULL) return EVENTRING_E_MEMORY;
  memcpy(copy, spans, count * sizeof *copy);
  free(r->open_spans);
  r->open_spans = copy;
  r->open_count = (uint32_t) count;
  return 0;
}

void eventring_show_open(struct recorded *r, int at_begin)
{
  r->source.open_spans = r->open_spans;
  r->source.open_count = at_begin ? r->open_count : 0;
}

const char *eventring_node(struct eventring_cursor *c)
{
  return c == NULL ? NULL : eventring_cursor_source(c)->node;
}

int eventring_get_clock_sample(struct eventring_cursor *c, uint32_t index,
                               struct eventring_clock_sample *sample)
{
  const struct eventring_source *s = c == NULL ? NULL
                                     : eventring_cursor_source(c);
  if (s == NULL || sample == NULL || index >= s->clock_count) return 0;
  *sample = (struct eventring_clock_sample) {
    s->clocks[index].monotonic_ns, s->clocks[index].realtime_ns,
    s->clocks[index].bound_ns };
  return 1;
}

int eventring_same_process(const struct eventring_header *a,
                           const struct eventring_header *b)
{
  return a->pid == b->pid && a->start_time == b->start_time
    && a->rings == b->rings && a->block_words == b->block_words
    && a->clock == b->clock && a->started.ticks == b->started.ticks
    && memcmp(a->boot_id, b->boot_id, sizeof a->boot_id) == 0;
}

/* Completes and checks the header, as eventring_show_recorded describes. */
static int check_header(struct recorded *r, uint32_t capacity,
                        const struct eventring_options *o, const char *path)
{
  struct eventring_header *h = &r->header;
  h->header_size = sizeof *h;
  h->schema_offset = EVENTRING_PAGE;
  h->schema_entry_size = sizeof(struct eventring_schema_entry);
  h->schema_count = (uint32_t) (r->schema_size
                                / sizeof(struct eventring_schema_entry));
  h->schema_capacity = capacity;
  h->slot_size = sizeof(struct eventring_slot);
  h->directory_offset = h->schema_offset
    + (uint64_t) h->schema_capacity * h->schema_entry_size;
  h->rings_offset = h->directory_offset + (uint64_t) h->rings * h->slot_size;
  h->file_size = UINT64_MAX;
  return eventring_check_header(h, UINT64_MAX, o, path);
}

int eventring_show_recorded(struct recorded *r, uint32_t capacity,
                            const struct eventring_options *o,
                            const char *path)
{
  int err = check_header(r, capacity, o, path);
  if (err < 0) return err;
  r->slots = calloc(r->header.rings, sizeof *r->slots);
  r->source.rings = calloc(r->header.rings, sizeof *r->source.rings);
  if (r->slots == NULL || r->source.rings == NULL)
    return fail(o, EVENTRING_E_MEMORY, "%s: no memory to read it", path);
  for (uint32_t i = 0; i < r->header.rings; i++) {
    r->source.rings[i].mask = UINT64_MAX;
    r->source.rings[i].from = RECORDING_ANY;
  }
  r->source.checked = r->header;
  r->source.header = &r->header;
  r->source.schema = r->schema;
  r->source.directory = (const char *) r->slots;
  r->source.lap = UINT64_MAX;
  r->source.format = EVENTRING_FORMAT_RECORDING;
  r->source.lost_is_bound =
    memcmp(r->header.magic, STOCK_MAGIC, sizeof r->header.magic) == 0;
  return 0;
}

void eventring_free_recorded(struct recorded *r)
{
  free(r->source.rings);
  free(r->slots);
  free(r->schema);
  free(r->node);
  free(r->open_spans);
}

int eventring_take_segment(struct recorded *r, const char *p, size_t size,
                           uint64_t shift)
{
  const uint64_t block_words = r->header.block_words;
  const uint64_t *words;
  struct run run;
  int more;

  while ((more = eventring_next_run(&p, &size, &r->header, &run, &words)) > 0) {
    uint64_t end = run.position + shift + run.words;
    r->source.rings[run.ring].words = words;
    r->source.rings[run.ring].first = run.position + shift;
    r->slots[run.ring].tail = end;
    r->slots[run.ring].reserve =
      (end + block_words - 1) / block_words * block_words;
  }
  return more;
}

void eventring_no_words(struct recorded *r)
{
  for (uint32_t i = 0; i < r->header.rings; i++)
    r->source.rings[i].first = r->slots[i].tail;
}

void eventring_take_header(struct recorded *r,
                           const struct eventring_header *header)
{
  r->header.control = header->control;
  r->header.threshold = header->threshold;
  r->header.marks_made = header->marks_made;
  memcpy(r->header.marks, header->marks, sizeof r->header.marks);
  r->header.state = header->state;
  r->header.ended = header->ended;
  r->header.sample_period = header->sample_period;
  r->header.samples_dropped = header->samples_dropped;
  r->header.flushes = header->flushes;
  r->header.alloc_period = header->alloc_period;
}
