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

/* The samples of a process and their selection; see profile.h. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "category.h"
#include "memory.h"
#include "pair_map.h"
#include "profile_nodes.h"
#include "target.h"

#define IDS 65536
#define USER_BIT 4              /* the category of the program's own events */

/* Open spans of a ring that are looked at for the span of a sample. */
#define MOST_OPEN 256

/* The first events of a recording that begins with the tracing come within this
   time. */
#define BEGUN_WITHIN_NS 100000000

struct profile *new_profile(struct eventring_cursor *cursor,
                            struct filter *filter,
                            const struct condition *conditions, size_t count)
{
  struct profile *p = allocate(1, sizeof *p);
  p->cursor = cursor;
  p->filter = filter;
  p->conditions = conditions;
  p->conditions_count = count;
  p->matches = allocate(count, sizeof *p->matches);
  for (size_t i = 0; i < count; i++)
    p->matches[i].wants = allocate(IDS, 1);
  p->spans = new_spans(cursor);
  p->kinds = new_samples(cursor);
  p->since_start = -1;
  const struct eventring_info info = target_info(cursor);
  p->rings = info.rings;
  p->first_samples = info.sample_rings_from;
  p->ring_ns = allocate(p->rings, sizeof *p->ring_ns);
  for (uint32_t i = 0; i < p->rings; i++) p->ring_ns[i] = INT64_MIN;
  p->tree = new_pair_map();
  p->request_numbers = new_pair_map();
  p->nodes_room = 256;
  p->nodes = allocate(p->nodes_room, sizeof *p->nodes);
  p->nodes_count = 1;
  p->common_ns = p->sums.common_ns = INT64_MIN;
  p->begins_ns[0] = p->begins_ns[1] = INT64_MIN;
  p->first_ns = INT64_MAX;
  p->last_ns = INT64_MIN;
  return p;
}

void profile_set_type(struct profile *p, enum profile_type type)
{
  p->type = type;
  if (type != PROFILE_LIVE || p->merged) return;
  p->blocks = new_live_blocks(p->cursor);
  p->cycle_id = eventring_find(p->cursor, "major_gc_cycle_domains");
}

enum profile_type profile_type(const struct profile *p)
{
  return p->type;
}

void profile_set_time(struct profile *p, int64_t since_start)
{
  p->since_start = since_start;
}

/* Returns the time at which blocks count as alive. */
static int64_t time_of(const struct profile *p)
{
  return p->since_start < 0 ? p->last_ns
    : time_after(target_info(p->cursor).started_ns, p->since_start);
}

void profile_compare(struct profile *later, struct profile *earlier)
{
  const int64_t from = time_of(earlier), to = time_of(later);
  const int64_t *cycles = later->cycles;
  size_t first = 0;
  while (first < later->cycles_count && cycles[first] < from) first++;
  size_t above = first;
  while (above < later->cycles_count && cycles[above] <= to) above++;
  if (above < first + 2) return;
  earlier->born_by = from;
  earlier->alive_until = cycles[first + 1];
  later->born_by = cycles[above - 2];
  later->alive_until = to;
  earlier->sums.survivors = later->sums.survivors = true;
}

void free_profile(struct profile *p)
{
  for (size_t i = 0; i < p->conditions_count; i++) {
    free(p->matches[i].wants);
    free(p->matches[i].list);
  }
  free(p->matches);
  if (p->spans != NULL) free_spans(p->spans);
  free_samples(p->kinds);
  free_live_blocks(p->blocks);
  free(p->cycles);
  free_pair_map(&p->tree);
  free_pair_map(&p->request_numbers);
  free(p->nodes);
  free(p->samples);
  free(p->used);
  free(p->losses);
  free(p->ring_ns);
  free(p->requests);
  for (size_t i = 0; i < p->waits_count; i++) free(p->waits[i].name);
  free(p->waits);
  for (size_t i = 0; i < p->files_count; i++) {
    free((char *) p->files[i]->path);
    free(p->files[i]);
  }
  free(p->files);
  free(p);
}

/* Spans and requests */

/* Returns whether events with id [id] are of the name of condition [i]. */
static bool is_wanted(struct profile *p, size_t i, uint16_t id)
{
  uint8_t *wants = &p->matches[i].wants[id];
  const struct condition *condition = &p->conditions[i];
  if (*wants == 0) {
    const struct eventring_description *d = eventring_describe(p->cursor, id);
    const char *category = d == NULL || condition->kind == IN_REQUEST ? NULL
                           : eventring_category(p->cursor, d->category);
    bool is_request = d != NULL && d->kind == EVENTRING_KIND_REQUEST;
    *wants = d != NULL && is_request == (condition->kind == IN_REQUEST)
             && (strcmp(d->name, condition->name) == 0
                 || (category != NULL
                     && strcmp(category, condition->name) == 0)) ? 1 : 2;
  }
  return *wants == 1;
}

/* Returns whether a time from [from] to [to] is long enough for [condition]. */
static bool is_slower(const struct condition *condition, int64_t from,
                      int64_t to)
{
  return to >= from
         && (condition->slower_ns < 0
             || (uint64_t) to - (uint64_t) from
                > (uint64_t) condition->slower_ns);
}

/* Adds the span with id [id] of thread [thread], from [from] to [to], to the
   conditions that it fulfils. */
static void add_span(struct profile *p, uint16_t id, uint32_t thread,
                     int64_t from, int64_t to)
{
  for (size_t i = 0; i < p->conditions_count; i++) {
    struct matches *m = &p->matches[i];
    if ((p->conditions[i].kind != DURING && p->conditions[i].kind != OUTSIDE)
        || !is_wanted(p, i, id) || !is_slower(&p->conditions[i], from, to))
      continue;
    m->list = with_room(m->list, m->count, &m->room, sizeof *m->list);
    m->list[m->count++] = (struct interval) { thread, from, to };
    m->found++;
  }
}

static void take_span(struct profile *p, const struct eventring_event *event)
{
  const struct eventring_event *begin =
    event->form == EVENTRING_EV_END ? begin_of(p->spans, event) : NULL;
  uint32_t thread = begin == NULL ? event->thread : begin->thread;
  int64_t since;
  if (span_ended(p->spans, event, &since))
    add_span(p, event->id, thread, since, event->ns);
}

/* Takes the spans that are still open for spans up to the last event. */
static void take_open_spans(struct profile *p)
{
  for (uint32_t ring = 0; ring < p->rings; ring++)
    for (const struct eventring_event *begin = outermost_span(p->spans, ring);
         begin != NULL; begin = next_inner_span(p->spans, begin))
      add_span(p, begin->id, begin->thread, begin->ns, p->last_ns);
}

static bool take_request(struct profile *p, const struct eventring_event *event)
{
  const struct eventring_description *d =
    event->words == 0 ? NULL : eventring_describe(p->cursor, event->id);
  if (d == NULL || d->kind != EVENTRING_KIND_REQUEST) return false;
  bool added;
  uint32_t at = number_of_pair(&p->request_numbers, event->payload[0], 0,
                               &added);
  if (added) {
    p->requests = with_room(p->requests, at, &p->requests_room,
                            sizeof *p->requests);
    /* The begin of a request may be lost: it began before. */
    p->requests[at] = (struct request) { event->payload[0], event->ns,
                                         INT64_MAX, event->id };
  }
  if (event->form == EVENTRING_EV_END) p->requests[at].to = event->ns;
  return true;
}

static const struct request *find_request(const struct profile *p,
                                          uint64_t number)
{
  uint32_t at = find_pair(&p->request_numbers, number, 0);
  return at == UINT32_MAX ? NULL : &p->requests[at];
}

/* Samples */

uint32_t add_node(struct profile *p, uint32_t parent, struct node node)
{
  bool added;
  uint32_t at = number_of_pair(&p->tree, node_key(parent, &node), node.address,
                               &added) + 1;
  if (!added) return at;
  if (p->nodes_count == p->nodes_room) {
    p->nodes_room *= 2;
    p->nodes = reallocate(p->nodes, p->nodes_room, sizeof *p->nodes);
  }
  node.parent = parent;
  p->nodes[p->nodes_count++] = node;
  return at;
}

uint8_t wait_number(struct profile *p, const char *name)
{
  for (size_t i = 0; i < p->waits_count; i++)
    if (strcmp(p->waits[i].name, name) == 0) return (uint8_t) (i + 1);
  if (p->waits_count == UINT8_MAX) return 0;
  p->waits = with_room(p->waits, p->waits_count, &p->waits_room,
                       sizeof *p->waits);
  p->waits[p->waits_count] = (struct wait_kind) {
    .name = strcpy(allocate(strlen(name) + 1, 1), name) };
  return (uint8_t) ++p->waits_count;
}

/* Returns the kind of the wait of the sample [event], as wait_number does. */
static uint8_t wait_of(struct profile *p, const struct eventring_event *event)
{
  char name[2 + 128];
  const char *wait = eventring_value(p->cursor, "wait",
                                     event->payload[WAIT_WAIT]);
  snprintf(name, sizeof name, "[%.127s]", wait != NULL ? wait : "wait");
  return wait_number(p, name);
}

/* Returns the id of the innermost span of the program that is open in the
   thread of [event], 0 when no span is. */
static uint16_t span_of_thread(struct profile *p,
                               const struct eventring_event *event)
{
  const struct eventring_event *best = NULL;
  for (uint32_t ring = 0; ring < p->rings; ring++) {
    const struct eventring_event *begin = innermost_span(p->spans, ring);
    for (int i = 0; begin != NULL && i < MOST_OPEN;
         i++, begin = next_outer_span(p->spans, begin)) {
      const struct eventring_description *d =
        eventring_describe(p->cursor, begin->id);
      if (begin->thread != event->thread || d == NULL
          || d->category != USER_BIT)
        continue;
      if (best == NULL || begin->ns > best->ns) best = begin;
      break;
    }
  }
  return best == NULL ? 0 : best->id;
}

/* The types of profiles that take samples of each kind, as bits. */
static const uint8_t takers[SAMPLE_KINDS] = {
  [CPU_SAMPLE] = 1 << PROFILE_CPU | 1 << PROFILE_WALL,
  [ALLOC_SAMPLE] = 1 << PROFILE_ALLOC | 1 << PROFILE_LIVE,
  [LIVE_SAMPLE] = 1 << PROFILE_LIVE,
  [WAIT_SAMPLE] = 1 << PROFILE_WAIT | 1 << PROFILE_WALL,
  [IO_SAMPLE] = 1 << PROFILE_IO,
  [BLOCKS_FREED] = 1 << PROFILE_LIVE,
  [ALLOC_START] = 1 << PROFILE_ALLOC | 1 << PROFILE_LIVE,
  [CPU_USED] = 1 << PROFILE_CPU | 1 << PROFILE_WALL
};

/* The functions that have processor time without samples, by its cause. */
static const char *const unsampled_names[USED_FIELDS] = {
  [USED_SIGNALS_BLOCKED] = "[signals blocked]",
  [USED_NO_RING] = "[more threads than rings]",
  [USED_NO_ROOM] = "[no room on the stack]",
  [USED_BETWEEN_SAMPLES] = "[between samples]",
  [USED_ENDED] = "[ended before a sample]",
  [USED_NOT_FOUND] = "[thread not found]"
};

const struct label_field label_fields[SAMPLE_KINDS][PROFILE_LABELS] = {
  [ALLOC_SAMPLE] = { { ALLOC_SOURCE, "source", "source" } },
  [LIVE_SAMPLE] = { { ALLOC_SOURCE, "source", "source" } },
  [WAIT_SAMPLE] = { { WAIT_WAIT, "wait", "wait" } },
  [IO_SAMPLE] = { { IO_OPERATION, "operation", "operation" },
                  { IO_FILE_KIND, "kind", "file_kind" } }
};

/* Returns allocation number [number], as struct code_address has it. */
static uint8_t allocation_of(uint64_t number)
{
  return number < UINT8_MAX ? (uint8_t) (number + 1) : 0;
}

/* Returns the node of the stack of the sample [event] of [kind]. */
static uint32_t add_frames(struct profile *p, enum sample_kind kind,
                           const struct eventring_event *event)
{
  const uint32_t first = first_frame(kind);
  const bool allocates = kind == ALLOC_SAMPLE || kind == LIVE_SAMPLE;
  uint32_t at = 0;
  if (!sample_is_whole(p->cursor, kind, event))
    at = add_node(p, at, (struct node) { .cut = true });
  for (uint32_t i = event->words; i-- > first; )
    at = add_node(p, at, (struct node) {
      .address = event->payload[i], .leaf = kind == CPU_SAMPLE && i == first,
      .allocation = allocates && i == first
                    ? allocation_of(event->payload[ALLOC_ALLOCATION]) : 0 });
  if (kind == WAIT_SAMPLE && p->type == PROFILE_WALL)
    at = add_node(p, at, (struct node) { .wait = wait_of(p, event) });
  return at;
}

/* Returns the weight of the sample [event] of [kind]. */
static uint64_t weight_of(enum sample_kind kind,
                          const struct eventring_event *event)
{
  const uint64_t n = event->payload[SAMPLE_WEIGHT];
  if (kind != ALLOC_SAMPLE && kind != LIVE_SAMPLE) return n;
  return n > UINT64_MAX / sizeof n ? UINT64_MAX : n * sizeof n;
}

/* Returns the variance of the weight of the sample [event] of [kind].  A weight w
   that is there with probability q, and 0 otherwise, adds w^2 (1 - q) to the
   variance of a sum: Horvitz and Thompson, A generalization of sampling without
   replacement from a finite universe, 1952.  [weight] is w. */
static double variance_of(const struct profile *p, enum sample_kind kind,
                          const struct eventring_event *event, double weight)
{
  double own;
  switch (kind) {
  case ALLOC_SAMPLE: case LIVE_SAMPLE:
    /* Each word is sampled by itself: a large block is several samples. */
    own = (double) p->present_period * (double) sizeof(uint64_t);
    return weight * (own > 0 && own < weight ? own : weight);
  case WAIT_SAMPLE:
    /* The weight has shorter waits before this one, which would have been the
       sample with probability duration / weight; a long one always. */
    own = (double) event->payload[WAIT_DURATION];
    return own < weight ? weight * (weight - own) : 0;
  case IO_SAMPLE: return 0;     /* there is one for each operation */
  default: return weight * weight;
  }
}

static void keep_sample(struct profile *p, enum sample_kind kind,
                        const struct eventring_event *event, uint32_t block,
                        bool same_thread)
{
  struct sample sample = {
    .ns = event->ns, .weight = weight_of(kind, event),
    .request = event->payload[SAMPLE_REQUEST],
    .node = add_frames(p, kind, event), .block = block, .kind = (uint8_t) kind,
    .thread = same_thread ? event->thread : UINT32_MAX,
    .domain = same_thread ? event->domain : UINT32_MAX,
    .span = same_thread ? span_of_thread(p, event) : 0
  };
  sample.variance = variance_of(p, kind, event, (double) sample.weight);
  if (kind == IO_SAMPLE) sample.extra = event->payload[IO_BYTES];
  if (kind == ALLOC_SAMPLE || kind == LIVE_SAMPLE)
    sample.extra = event->payload[ALLOC_SIZE];
  for (int i = 0; i < PROFILE_LABELS; i++) {
    uint32_t word = label_fields[kind][i].word;
    uint64_t value = word == 0 ? MOST_LABEL : event->payload[word];
    sample.labels[i] = value < MOST_LABEL ? (uint8_t) value : MOST_LABEL;
  }
  p->samples = with_room(p->samples, p->samples_count, &p->samples_room,
                         sizeof *p->samples);
  p->samples[p->samples_count++] = sample;
}

/* Returns whether the selection asks for the thread of a sample. */
static bool asks_for_thread(const struct profile *p)
{
  for (size_t i = 0; i < p->conditions_count; i++)
    if (p->conditions[i].kind != IN_REQUEST) return true;
  return filter_has_threads(p->filter);
}

/* Takes a sample of a block that is followed.  A LIVE_SAMPLE counts when the
   ALLOC_SAMPLE of the block is lost: then the thread is not known. */
static void take_block(struct profile *p, enum sample_kind kind,
                       const struct eventring_event *event)
{
  struct eventring_event born = *event;
  if (kind == LIVE_SAMPLE)
    born.ns = time_after(event->ns, -(int64_t) (event->payload[LIVE_AGE]
                                                & INT64_MAX));
  const uint64_t number = event->payload[ALLOC_BLOCK];
  if (number == 0) p->sums.not_followed++;
  uint32_t block = block_sampled(p->blocks, event, number, born.ns);
  if (block == UINT32_MAX) return;
  p->sums.all_samples++;
  if (kind == LIVE_SAMPLE && asks_for_thread(p))
    p->sums.unknown_threads++;
  else if (filter_wants(p->filter, &born, -1))
    keep_sample(p, kind, &born, block, kind == ALLOC_SAMPLE);
}

static void take_start(struct profile *p, const struct eventring_event *event)
{
  const uint64_t period = event->payload[START_PERIOD];
  const bool changed = p->period_known && p->sums.period_words != period;
  p->period_known = true;
  p->sums.period_words = changed ? 0 : period;
  p->present_period = period;
  if (p->type == PROFILE_LIVE)
    sampling_began(p->blocks, event->payload[START_BLOCK], event->ns);
}

/* Returns whether the data and the selection begin with the tracing, as far as no
   loss is reported: a recording may be a part of another.  Then the first CPU_USED
   has no time of before. */
static bool has_all_since_start(const struct profile *p,
                                const struct eventring_event *event)
{
  const struct eventring_info info = target_info(p->cursor);
  struct eventring_event first = *event;
  first.ns = info.started_ns;
  return (info.format == EVENTRING_FORMAT_RING
          || time_since(p->first_ns, info.started_ns) < BEGUN_WITHIN_NS)
         && filter_wants(p->filter, &first, -1);
}

/* Adds the sample of [ns] of processor time without samples up to [to], with its
   [cause]. */
static void keep_unsampled(struct profile *p, int64_t to, uint64_t ns, uint32_t cause)
{
  p->samples = with_room(p->samples, p->samples_count, &p->samples_room,
                         sizeof *p->samples);
  p->samples[p->samples_count++] = (struct sample) {
    .ns = to, .weight = ns, .block = NO_BLOCK,
    .node = add_node(p, 0, (struct node) { .unsampled = (uint8_t) cause }),
    .thread = UINT32_MAX, .domain = UINT32_MAX, .kind = CPU_USED,
    .labels = { MOST_LABEL, MOST_LABEL }
  };
}

/* Takes the processor time since the last CPU_USED, if no threads are selected:
   those without samples are not known.  [selected]: it is of the time of the profile. */
static void take_used(struct profile *p, const struct eventring_event *event,
                      bool selected)
{
  if (p->conditions_count > 0 || filter_has_threads(p->filter)) return;
  struct cpu_used used = {
    .to = event->ns, .ns = event->payload[USED_TIME],
    .tick_ns = event->words > USED_BY_TICKS ? event->payload[USED_BY_TICKS]
                                            : UINT64_MAX,
    .told = event->payload[USED_BETWEEN_SAMPLES], .selected = selected
  };
  uint64_t with = p->sampled_ns;
  p->sampled_ns = 0;
  for (uint32_t cause = USED_TIME + 1; cause < USED_FIELDS; cause++) {
    const uint64_t ns = event->payload[cause];
    if (ns == 0 || cause == USED_BETWEEN_SAMPLES) continue;
    with = limited_sum(with, ns);
    if (selected) keep_unsampled(p, event->ns, ns, cause);
  }
  used.without = limited_sum(0, used.ns > with ? used.ns - with : 0);
  if (selected && !p->used_is_selected) {
    p->used_is_selected = true;
    p->used_is_cut = !has_all_since_start(p, event);
  }
  p->used = with_room(p->used, p->used_count, &p->used_room, sizeof *p->used);
  p->used[p->used_count++] = used;
}

static void take_sampled(struct profile *p, const struct eventring_event *event)
{
  p->sampled_ns = limited_sum(p->sampled_ns, event->payload[SAMPLE_WEIGHT]);
}

static void take_sample(struct profile *p, enum sample_kind kind,
                        const struct eventring_event *event)
{
  if (kind == CPU_SAMPLE) take_sampled(p, event);
  if (kind == ALLOC_START) {
    take_start(p, event);
  } else if (kind == CPU_USED) {
    take_used(p, event, filter_wants(p->filter, event, -1));
  } else if (kind == BLOCKS_FREED) {
    for (uint32_t i = 0; i < event->words; i++)
      block_freed(p->blocks, event->payload[i], event->ns);
  } else if (p->type == PROFILE_LIVE) {
    take_block(p, kind, event);
  } else {
    p->sums.all_samples++;
    p->sums.all_waits += kind == WAIT_SAMPLE;
    if (filter_wants(p->filter, event, -1))
      keep_sample(p, kind, event, NO_BLOCK, true);
  }
}

/* Takes the beginning or end of a major cycle in a domain.  The domains end a
   cycle together, each after the last has begun to end it. */
static void take_cycle(struct profile *p, const struct eventring_event *event)
{
  if (event->form == EVENTRING_EV_BEGIN) {
    p->in_cycle = true;
  } else if (event->form == EVENTRING_EV_END) {
    if (p->in_cycle || p->cycles_count == 0) {
      p->cycles = with_room(p->cycles, p->cycles_count, &p->cycles_room,
                            sizeof *p->cycles);
      p->cycles_count++;
    }
    p->cycles[p->cycles_count - 1] = event->ns;
    p->in_cycle = false;
  }
}

void profile_ring_begins(struct profile *p, uint32_t ring, int64_t ns)
{
  /* Without rings of samples, those of events have them. */
  for (int samples = 0; samples <= 1; samples++)
    if ((p->first_samples == 0 || (ring >= p->first_samples) == samples)
        && ns > p->begins_ns[samples])
      p->begins_ns[samples] = ns;
}

/* Takes the time of [event] in its ring, and the losses of the ring.  [outside]: of the
   time of the profile, so that a loss is not the begin of its ring in it. */
static void take_ring(struct profile *p, const struct eventring_event *event, bool outside)
{
  if (event->ring >= p->rings || event->form == EVENTRING_EV_CONTROL_CHANGED)
    return;
  const int64_t last_ns = p->ring_ns[event->ring];
  p->ring_ns[event->ring] = event->ns;
  if (event->form != EVENTRING_EV_LOST) return;
  if (last_ns == INT64_MIN && !outside) profile_ring_begins(p, event->ring, event->ns);
  if (event->ring < p->first_samples) return;
  p->losses = with_room(p->losses, p->losses_count, &p->losses_room,
                        sizeof *p->losses);
  p->losses[p->losses_count++] = (struct loss) { last_ns, event->ns };
}

void profile_event(struct profile *p, const struct eventring_event *event)
{
  const enum sample_kind kind = sample_kind(p->kinds, event);
  if (event->ns > p->last_ns) p->last_ns = event->ns;
  if (event->ns < p->first_ns) p->first_ns = event->ns;
  if ((takers[kind] >> p->type & 1) != 0) take_sample(p, kind, event);
  take_ring(p, event, false);
  if (p->blocks != NULL) blocks_event(p->blocks, event);
  if (p->blocks != NULL && event->id == p->cycle_id) take_cycle(p, event);
  /* An operation is a complete event, so a span too. */
  if (kind != CPU_SAMPLE && !take_request(p, event)) take_span(p, event);
}

void profile_outside(struct profile *p, const struct eventring_event *event)
{
  const enum sample_kind kind = sample_kind(p->kinds, event);
  take_ring(p, event, true);
  if ((takers[kind] >> p->type & 1) == 0) return;
  if (kind == CPU_SAMPLE) take_sampled(p, event);
  else if (kind == CPU_USED) take_used(p, event, false);
}

/* Selection */

static int by_thread_and_time(const void *a, const void *b)
{
  const struct interval *x = a, *y = b;
  if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
  return (x->from > y->from) - (x->from < y->from);
}

/* Sorts the intervals of [m], and makes intervals that overlap one. */
static void sort_intervals(struct matches *m)
{
  size_t kept = 0;
  if (m->count == 0) return;
  qsort(m->list, m->count, sizeof *m->list, by_thread_and_time);
  for (size_t i = 1; i < m->count; i++) {
    struct interval *last = &m->list[kept], *next = &m->list[i];
    if (next->thread == last->thread && next->from <= last->to) {
      if (next->to > last->to) last->to = next->to;
    } else {
      m->list[++kept] = *next;
    }
  }
  m->count = kept + 1;
}

/* Returns whether [sample] is in an interval of [m]. */
static bool is_inside(const struct matches *m, const struct sample *sample)
{
  size_t low = 0, high = m->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct interval *interval = &m->list[middle];
    if (interval->thread < sample->thread
        || (interval->thread == sample->thread && interval->to < sample->ns))
      low = middle + 1;
    else
      high = middle;
  }
  return low < m->count && m->list[low].thread == sample->thread
         && m->list[low].from <= sample->ns;
}

/* Returns whether request [r] is one that condition [i] means. */
static bool request_matches(struct profile *p, size_t i,
                            const struct request *r)
{
  int64_t to = r->to == INT64_MAX ? p->last_ns : r->to;
  return is_wanted(p, i, r->id) && is_slower(&p->conditions[i], r->from, to);
}

static bool is_selected(struct profile *p, const struct sample *sample)
{
  for (size_t i = 0; i < p->conditions_count; i++) {
    const struct request *request;
    switch (p->conditions[i].kind) {
    case DURING:
      if (!is_inside(&p->matches[i], sample)) return false;
      break;
    case OUTSIDE:
      if (is_inside(&p->matches[i], sample)) return false;
      break;
    case IN_REQUEST:
      request = sample->request == 0 ? NULL : find_request(p, sample->request);
      if (request == NULL) p->sums.unknown_requests += sample->request != 0;
      if (request == NULL || !request_matches(p, i, request)) return false;
      break;
    case IN_THE_REQUEST:
      if (sample->request != p->conditions[i].number) return false;
      break;
    }
  }
  return true;
}

/* Sets the number of blocks that [sample] represents; its [extra] is the size
   of the block.  The blocks of a stack are rounded together. */
static void estimate_blocks(struct profile *p, struct sample *sample)
{
  struct node *node = &p->nodes[sample->node];
  const uint64_t words = sample->weight / sizeof(uint64_t);
  if (sample->extra > 0)
    node->blocks += (double) words / (double) sample->extra;
  const double rounded = node->blocks + 0.5;
  sample->extra = rounded < (double) MOST_WEIGHT
                  ? (uint64_t) rounded - node->value.extra : 0;
}

/* Returns whether the sums stay possible when [sample] is added. */
static bool has_possible_sums(const struct profile *p,
                              const struct sample *sample)
{
  return sample->weight <= MOST_WEIGHT - p->sums.weight
         && (sample->kind != IO_SAMPLE
             || sample->extra <= MOST_WEIGHT - p->sums.extra);
}

static int compare_used(const void *a, const void *b)
{
  const struct cpu_used *x = a, *y = b;
  return (x->to > y->to) - (x->to < y->to);
}

/* Returns the number of the first CPU_USED of [p] that is later than [ns]. */
static size_t used_after(const struct profile *p, int64_t ns)
{
  size_t low = 0, high = p->used_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (p->used[middle].to > ns) high = middle;
    else low = middle + 1;
  }
  return low;
}

/* Finds the time from which on the samples of processor time and of waits are there.
   Their rings go back for different times: samples of processor time have rings of
   their own, and waits are among the other events of their domain.  Rings of a kind
   that the process does not record lack no samples. */
static void find_common_time(struct profile *p)
{
  const bool counts[2] = {
    p->sums.all_waits > 0 || records_category(p->cursor, "profile_wait"),
    p->sums.all_samples > p->sums.all_waits || records_category(p->cursor, "profile")
  };
  for (int i = 0; i < 2; i++)
    if (counts[i] && p->begins_ns[i] > p->common_ns) p->common_ns = p->begins_ns[i];
}

/* Returns whether [ns] is in a time of which one ring has samples and another has
   lost them: the sum of both would be of unequal times. */
static bool is_earlier(const struct profile *p, int64_t ns)
{
  return ns < p->common_ns;
}

/* Leaves out of [sample], which stands for waits up to its time, the time before
   [common_ns]. */
static void cut_wait(const struct profile *p, struct sample *sample)
{
  if (p->common_ns == INT64_MIN) return;
  const uint64_t most = (uint64_t) sample->ns - (uint64_t) p->common_ns;
  if (sample->weight > most) sample->weight = most;
}

/* Finds out of which of the selected times the processor time is known. */
static void find_known_times(struct profile *p)
{
  if (p->used_count == 0) return;
  qsort(p->used, p->used_count, sizeof *p->used, compare_used);
  for (size_t i = 0; i < p->used_count; i++) {
    struct cpu_used *used = &p->used[i];
    const bool follows = i > 0 && p->used[i - 1].selected;
    used->from = i > 0 ? p->used[i - 1].to : INT64_MIN;
    used->known = used->selected && (follows || !p->used_is_cut)
                  && !is_earlier(p, used->from);
    /* The first may be of longer than the data. */
    if (i == 0 && !used->known) used->without = 0;
  }
  for (size_t i = 0; i < p->losses_count; i++)
    for (size_t k = used_after(p, p->losses[i].from);
         k < p->used_count && p->used[k].from < p->losses[i].to; k++) {
      p->used[k].known = false;
      p->used[k].without = 0;
    }
}

/* Returns whether the processor time around [ns] is known. */
static bool is_known(const struct profile *p, int64_t ns)
{
  const size_t i = ns > INT64_MIN ? used_after(p, ns - 1) : 0;
  return i < p->used_count && p->used[i].known;
}

/* Adds the selected [sample] to the sums. */
static void add_sample(struct profile *p, struct sample *sample)
{
  struct node *node = &p->nodes[sample->node];
  if (sample->kind == ALLOC_SAMPLE || sample->kind == LIVE_SAMPLE)
    estimate_blocks(p, sample);
  const struct profile_value value = {
    sample->weight, sample->extra, sample->kind != CPU_USED, sample->variance
  };
  const bool first = p->sums.samples == 0 && p->sums.unsampled == 0;
  if (first || sample->ns < p->sums.first_ns) p->sums.first_ns = sample->ns;
  if (first || sample->ns > p->sums.last_ns) p->sums.last_ns = sample->ns;
  p->sums.samples += value.samples;
  p->sums.weight += value.weight;
  p->sums.extra += value.extra;
  p->sums.variance += value.variance;
  if (sample->kind == CPU_USED) p->sums.unsampled += value.weight;
  if (sample->kind == CPU_SAMPLE && is_known(p, sample->ns))
    p->sums.covered_ns += value.weight;
  add_value(&node->value, value);
  node->used = true;
}

/* Adds the processor time of the process while it is known. */
static void add_used(struct profile *p)
{
  struct profile_sums *sums = &p->sums; /* not zeros in a merged profile */
  for (size_t i = 0; i < p->used_count; i++) {
    const struct cpu_used *used = &p->used[i];
    if (!used->known) continue;
    sums->cpu_ns = limited_sum(sums->cpu_ns, used->ns);
    if (used->tick_ns == UINT64_MAX) sums->tick_ns_unknown = true;
    else sums->tick_ns = limited_sum(sums->tick_ns, used->tick_ns);
  }
}

/* Time between samples: the runtime tells it when it has become too much to be chance,
   so that it may be of long before.  It is spread over the time since it was told last,
   as much of it as has no samples, and then over the time before that.  A part may be of
   before the data: then the data has too much of it, but never more than has no samples. */

/* The elements of [used] between two that tell of time between samples, the sum of their
   members [without], and the part of it that is [left]. */
struct untold { size_t first, end; uint64_t sum, left; };

/* Adds the time that was told of the elements of [untold] to the samples. */
static void add_told(struct profile *p, const struct untold *untold)
{
  const uint64_t told = untold->sum - untold->left;
  if (told == 0) return;
  const double part = (double) told / (double) untold->sum;
  double rest = 0;                /* of rounding */
  for (size_t i = untold->first; i < untold->end; i++) {
    const struct cpu_used *used = &p->used[i];
    const double exact = (double) used->without * part + rest;
    uint64_t ns = (uint64_t) (exact + 0.5);
    rest = exact - (double) ns;
    if (ns > used->without) ns = used->without;   /* large numbers are not exact */
    if (used->known && ns > 0)
      keep_unsampled(p, used->to, ns, USED_BETWEEN_SAMPLES);
  }
}

static void spread_between_samples(struct profile *p)
{
  struct untold *list = NULL;
  size_t count = 0, room = 0, first = 0;
  uint64_t sum = 0;
  for (size_t i = 0; i < p->used_count; i++) {
    uint64_t told = p->used[i].told;
    sum = limited_sum(sum, p->used[i].without);
    if (told == 0) continue;
    list = with_room(list, count, &room, sizeof *list);
    list[count++] = (struct untold) { first, i + 1, sum, sum };
    first = i + 1;
    sum = 0;
    while (told > 0 && count > 0) {
      struct untold *last = &list[count - 1];
      const uint64_t ns = told < last->left ? told : last->left;
      last->left -= ns;
      told -= ns;
      if (last->left > 0) break;
      add_told(p, last);
      count--;
    }
  }
  for (size_t i = 0; i < count; i++) add_told(p, &list[i]);
  free(list);
}

static bool is_between_samples(const struct profile *p, const struct sample *sample)
{
  return p->nodes[sample->node].unsampled == USED_BETWEEN_SAMPLES;
}

/* Adds the samples of the selection that are time between samples, at most the time of
   the selection that has no samples. */
static void add_between_samples(struct profile *p)
{
  const struct profile_sums *sums = &p->sums;
  const uint64_t told = limited_sum(sums->covered_ns, sums->unsampled);
  uint64_t left = sums->cpu_ns > told ? sums->cpu_ns - told : 0;
  size_t kept = 0;
  for (size_t i = 0; i < p->samples_count; i++) {
    struct sample sample = p->samples[i];
    if (is_between_samples(p, &sample)) {
      if (left == 0) continue;
      if (sample.weight > left) sample.weight = left;
      left -= sample.weight;
      add_sample(p, &sample);
    }
    p->samples[kept++] = sample;
  }
  p->samples_count = kept;
}

static void select_samples(struct profile *p)
{
  const int64_t now = p->blocks != NULL ? time_of(p) : 0;
  const int64_t born_by = p->sums.survivors ? p->born_by : now;
  const int64_t alive_until = p->sums.survivors ? p->alive_until : now;
  size_t kept = 0;
  if (p->type == PROFILE_WALL) find_common_time(p);
  find_known_times(p);
  spread_between_samples(p);
  for (size_t i = 0; i < p->samples_count; i++) {
    struct sample sample = p->samples[i];
    if (sample.block != NO_BLOCK
        && (block_born(p->blocks, sample.block) > born_by
            || block_died(p->blocks, sample.block) <= alive_until))
      continue;
    if (!is_selected(p, &sample)) continue;
    if (sample.kind == CPU_USED && !is_known(p, sample.ns)) continue;
    if (is_earlier(p, sample.ns)) {
      p->sums.earlier++;
      continue;
    }
    if (sample.kind == WAIT_SAMPLE) cut_wait(p, &sample);
    if (!has_possible_sums(p, &sample)) {
      p->sums.impossible++;
      continue;
    }
    if (!is_between_samples(p, &sample)) add_sample(p, &sample);
    p->samples[kept++] = sample;
  }
  p->samples_count = kept;
  add_used(p);
  add_between_samples(p);
  if (p->blocks != NULL) p->sums.first_ns = p->sums.last_ns = now;
  p->sums.data_ns = p->first_ns;
  if (p->common_ns > INT64_MIN)
    p->sums.common_ns = time_since(p->common_ns,
                                   target_info(p->cursor).started_ns);
  p->sums.data_end_ns = p->last_ns;
  if (p->blocks != NULL && blocks_lost(p->blocks) > p->first_ns)
    p->sums.data_ns = blocks_lost(p->blocks);
}

/* Returns whether the stack that ends at node [at] begins with a cut. */
static bool is_cut(const struct profile *p, uint32_t at)
{
  while (p->nodes[at].parent != 0) at = p->nodes[at].parent;
  return p->nodes[at].cut;
}

/* Counts the requests that each condition means. */
static void count_requests(struct profile *p)
{
  for (size_t i = 0; i < p->conditions_count; i++) {
    if (p->conditions[i].kind != IN_REQUEST) continue;
    for (uint32_t r = 0; r < p->request_numbers.count; r++)
      p->matches[i].found += request_matches(p, i, &p->requests[r]);
  }
}

/* Marks all nodes that are in the stacks of selected samples.  A node comes
   after its parent. */
static void mark_used(struct profile *p)
{
  for (uint32_t i = p->nodes_count; i-- > 1; )
    if (p->nodes[i].used) p->nodes[p->nodes[i].parent].used = true;
}

/* Returns the frame of node number [at], or NULL when the node is code. */
static const struct frame *frame_without_code(const struct profile *p,
                                              uint32_t at)
{
  const struct node *node = &p->nodes[at];
  if (at == p->others_node) return &p->others;
  if (node->unsampled != 0) return &p->unsampled[node->unsampled];
  if (node->wait != 0) return &p->waits[node->wait - 1].frame;
  return node->cut ? &p->truncated : NULL;
}

/* Finds the functions of all nodes that are in the stacks of selected
   samples. */
static void find_functions(struct profile *p, struct symbols *symbols)
{
  p->truncated.function = symbols_text(symbols, SAMPLE_TRUNCATED);
  p->others.function = symbols_text(symbols, PROFILE_OTHERS);
  for (int i = USED_TIME + 1; i < USED_FIELDS; i++)
    p->unsampled[i].function = symbols_text(symbols, unsampled_names[i]);
  for (size_t i = 0; i < p->waits_count; i++)
    p->waits[i].frame = (struct frame) {
      .function = symbols_text(symbols, p->waits[i].name), .kind = FRAME_WAIT };
  for (uint32_t i = 1; i < p->nodes_count; i++) {
    struct node *node = &p->nodes[i];
    if (!node->used) continue;
    node->frames = frame_without_code(p, i);
    node->frames_count = 1;
    if (node->frames == NULL)
      node->frames_count = find_frames(symbols, (struct code_address) {
        node->address, !node->leaf, node->allocation }, &node->frames);
  }
}

void profile_finish(struct profile *p, struct symbols *symbols)
{
  take_open_spans(p);
  for (size_t i = 0; i < p->conditions_count; i++)
    sort_intervals(&p->matches[i]);
  count_requests(p);
  select_samples(p);
  for (size_t i = 0; i < p->samples_count; i++)
    p->sums.incomplete += is_cut(p, p->samples[i].node);
  mark_used(p);
  if (symbols != NULL) find_functions(p, symbols);
}

struct profile_sums profile_sums(const struct profile *p)
{
  return p->sums;
}

struct profile_value profile_total(const struct profile *p)
{
  return (struct profile_value) { p->sums.weight, p->sums.extra,
                                  p->sums.samples, p->sums.variance };
}

uint64_t profile_matches(const struct profile *p, size_t condition)
{
  return p->matches[condition].found;
}

const char *profile_request(const struct profile *p, uint64_t number)
{
  const struct request *r = find_request(p, number);
  const struct eventring_description *d =
    r == NULL ? NULL : eventring_describe(p->cursor, r->id);
  return d == NULL ? NULL : d->name;
}
