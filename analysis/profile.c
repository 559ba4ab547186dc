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

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "pair_map.h"
#include "profile.h"
#include "spans.h"
#include "target.h"

#define IDS 65536
#define USER_BIT 4              /* the category of the program's own events */

/* Open spans of a ring that are looked at for the span of a sample. */
#define MOST_OPEN 256

/* Processor time of all samples together, which fits in the numbers of every
   output.  No other sum is larger. */
#define MOST_CPU_NS ((uint64_t) INT64_MAX)

/* The stacks as a tree: each node is an address below its callers.  Node 0 is
   the root, above the outermost function. */
struct node {
  uint32_t parent;
  bool leaf;                    /* the address is not a return address */
  bool cut;                     /* a stack that is not whole begins here */
  uint64_t address;
  bool used;                    /* in the stack of a selected sample */
  uint64_t cpu_ns;              /* of the selected samples with this stack */
  uint32_t frames_count;
  const struct frame *frames;   /* innermost first */
};

struct sample {
  int64_t ns;
  uint64_t cpu_ns, request;
  uint32_t node, thread, domain;
  uint16_t span;                /* id of the events; 0: none */
};

struct interval { uint32_t thread; int64_t from, to; };

/* The intervals of a condition: the spans of each thread, or the requests,
   whose number is the [thread]. */
struct matches {
  uint8_t *wants;               /* by id of events: 1 yes, 2 no, 0 not known */
  struct interval *list;
  size_t count, room;
  uint64_t found;
};

struct request {
  uint64_t number;
  int64_t from, to;             /* to: INT64_MAX while it is open */
  uint16_t id;
};

struct profile {
  struct eventring_cursor *cursor;
  struct filter *filter;
  const struct condition *conditions;
  struct matches *matches;
  size_t conditions_count;
  struct spans *spans;
  int sample_id;
  uint32_t rings;

  struct pair_map tree;
  struct node *nodes;
  uint32_t nodes_count, nodes_room;
  struct sample *samples;
  size_t samples_count, samples_room;
  struct pair_map request_numbers;
  struct request *requests;
  size_t requests_room;
  int64_t last_ns;

  struct profile_sums sums;
  struct frame truncated;       /* above a stack that is cut */
};

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
  p->sample_id = -1;
  p->rings = target_info(cursor).rings;
  p->tree = new_pair_map();
  p->request_numbers = new_pair_map();
  p->nodes_room = 256;
  p->nodes = allocate(p->nodes_room, sizeof *p->nodes);
  p->nodes_count = 1;
  p->last_ns = INT64_MIN;
  return p;
}

void free_profile(struct profile *p)
{
  for (size_t i = 0; i < p->conditions_count; i++) {
    free(p->matches[i].wants);
    free(p->matches[i].list);
  }
  free(p->matches);
  free_spans(p->spans);
  free_pair_map(&p->tree);
  free_pair_map(&p->request_numbers);
  free(p->nodes);
  free(p->samples);
  free(p->requests);
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
    if (p->conditions[i].kind == IN_REQUEST || !is_wanted(p, i, id)
        || !is_slower(&p->conditions[i], from, to))
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

static uint32_t add_node(struct profile *p, uint32_t parent, struct node node)
{
  bool added;
  uint64_t kind = (uint64_t) parent << 2 | (uint64_t) node.leaf << 1 | node.cut;
  uint32_t at = number_of_pair(&p->tree, kind, node.address, &added) + 1;
  if (!added) return at;
  if (p->nodes_count == p->nodes_room) {
    p->nodes_room *= 2;
    p->nodes = reallocate(p->nodes, p->nodes_room, sizeof *p->nodes);
  }
  node.parent = parent;
  p->nodes[p->nodes_count++] = node;
  return at;
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

bool is_sample(struct eventring_cursor *cursor, int *id,
               const struct eventring_event *event)
{
  static const char name[] = "cpu_sample";
  if (event->form != EVENTRING_EV_INSTANT || event->words < SAMPLE_FIRST_FRAME)
    return false;
  if (*id < 0) {
    /* The search by name takes a step for each name that there is. */
    const struct eventring_description *d =
      eventring_describe(cursor, event->id);
    if (d == NULL || strcmp(d->name, name) != 0) return false;
    *id = eventring_find(cursor, name);
  }
  return event->id == *id;
}

bool sample_is_whole(struct eventring_cursor *cursor,
                     const struct eventring_event *event)
{
  const char *stack = eventring_value(cursor, "stack",
                                      event->payload[SAMPLE_STACK]);
  return stack != NULL && strcmp(stack, "complete") == 0;
}

static void take_sample(struct profile *p, const struct eventring_event *event)
{
  uint32_t at = 0;
  p->sums.all_samples++;
  if (!filter_wants(p->filter, event, -1)) return;
  if (!sample_is_whole(p->cursor, event))
    at = add_node(p, at, (struct node) { .cut = true });
  for (uint32_t i = event->words; i-- > SAMPLE_FIRST_FRAME; )
    at = add_node(p, at, (struct node) { .address = event->payload[i],
                                         .leaf = i == SAMPLE_FIRST_FRAME });
  p->samples = with_room(p->samples, p->samples_count, &p->samples_room,
                         sizeof *p->samples);
  p->samples[p->samples_count++] = (struct sample) {
    event->ns, event->payload[SAMPLE_CPU_TIME],
    event->payload[SAMPLE_REQUEST], at,
    event->thread, event->domain, span_of_thread(p, event)
  };
}

void profile_event(struct profile *p, const struct eventring_event *event)
{
  if (event->ns > p->last_ns) p->last_ns = event->ns;
  if (is_sample(p->cursor, &p->sample_id, event))
    take_sample(p, event);
  else if (!take_request(p, event))
    take_span(p, event);
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
      if (request == NULL || !request_matches(p, i, request)) return false;
      break;
    }
  }
  return true;
}

static void select_samples(struct profile *p)
{
  size_t kept = 0;
  for (size_t i = 0; i < p->samples_count; i++) {
    const struct sample sample = p->samples[i];
    if (!is_selected(p, &sample)) continue;
    if (sample.cpu_ns > MOST_CPU_NS - p->sums.cpu_ns) {
      p->sums.impossible++;
      continue;
    }
    if (p->sums.samples == 0 || sample.ns < p->sums.first_ns)
      p->sums.first_ns = sample.ns;
    if (p->sums.samples == 0 || sample.ns > p->sums.last_ns)
      p->sums.last_ns = sample.ns;
    p->sums.samples++;
    p->sums.cpu_ns += sample.cpu_ns;
    p->nodes[sample.node].cpu_ns += sample.cpu_ns;
    p->nodes[sample.node].used = true;
    p->samples[kept++] = sample;
  }
  p->samples_count = kept;
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

/* Finds the functions of all nodes that are in the stacks of selected
   samples.  A node comes after its parent. */
static void find_functions(struct profile *p, struct symbols *symbols)
{
  for (uint32_t i = p->nodes_count; i-- > 1; )
    if (p->nodes[i].used) p->nodes[p->nodes[i].parent].used = true;
  p->truncated.function = symbols_text(symbols, SAMPLE_TRUNCATED);
  for (uint32_t i = 1; i < p->nodes_count; i++) {
    struct node *node = &p->nodes[i];
    if (!node->used) continue;
    node->frames = &p->truncated;
    node->frames_count = 1;
    if (!node->cut)
      node->frames_count = find_frames(symbols, node->address, !node->leaf,
                                       &node->frames);
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
  find_functions(p, symbols);
}

struct profile_sums profile_sums(const struct profile *p)
{
  return p->sums;
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

/* Tables */

struct table {
  enum profile_by by;
  struct pair_map functions, places;
  struct profile_entry *entries;
  uint32_t *last_stack;         /* the last node that was added to the entry */
  size_t room, last_room;
};

/* Returns the number of the entry for [frame]. */
static uint32_t entry_of(struct table *t, const struct frame *frame)
{
  bool added;
  uint32_t at =
    number_of_pair(&t->functions,
                   t->by == BY_FILE_LINE ? 0 : (uintptr_t) frame->function,
                   t->by == BY_FUNCTION ? 0 : (uintptr_t) frame->file, &added);
  if (t->by != BY_FUNCTION)
    at = number_of_pair(&t->places, at, frame->line, &added);
  if (added) {
    t->entries = with_room(t->entries, at, &t->room, sizeof *t->entries);
    t->last_stack = with_room(t->last_stack, at, &t->last_room,
                              sizeof *t->last_stack);
    t->entries[at] = (struct profile_entry) { .frame = *frame };
    t->last_stack[at] = 0;
    if (t->by == BY_FUNCTION) t->entries[at].frame.line = 0;
  }
  return at;
}

/* Adds the samples with the stack that ends at node [leaf]. */
static void add_stack(const struct profile *p, struct table *t, uint32_t leaf)
{
  uint64_t cpu_ns = p->nodes[leaf].cpu_ns;
  for (uint32_t at = leaf; at != 0; at = p->nodes[at].parent) {
    const struct node *node = &p->nodes[at];
    for (uint32_t i = 0; i < node->frames_count; i++) {
      uint32_t entry = entry_of(t, &node->frames[i]);
      if (at == leaf && i == 0) t->entries[entry].self_ns += cpu_ns;
      /* Recursion counts once. */
      if (t->last_stack[entry] == leaf) continue;
      t->last_stack[entry] = leaf;
      t->entries[entry].total_ns += cpu_ns;
    }
  }
}

/* Compares texts, of which NULL is the first. */
static int compare_texts(const char *a, const char *b)
{
  return a == NULL || b == NULL ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

static int by_self(const void *a, const void *b)
{
  const struct profile_entry *x = a, *y = b;
  if (x->self_ns != y->self_ns) return x->self_ns < y->self_ns ? 1 : -1;
  if (x->total_ns != y->total_ns) return x->total_ns < y->total_ns ? 1 : -1;
  int order = compare_texts(x->frame.function, y->frame.function);
  if (order == 0) order = compare_texts(x->frame.file, y->frame.file);
  return order != 0 ? order
         : (x->frame.line > y->frame.line) - (x->frame.line < y->frame.line);
}

struct profile_entry *profile_table(const struct profile *p,
                                    enum profile_by by, size_t *count)
{
  struct table t = { .by = by, .functions = new_pair_map(),
                     .places = new_pair_map() };
  for (uint32_t i = 1; i < p->nodes_count; i++)
    if (p->nodes[i].cpu_ns > 0) add_stack(p, &t, i);
  *count = by == BY_FUNCTION ? t.functions.count : t.places.count;
  if (t.entries != NULL) qsort(t.entries, *count, sizeof *t.entries, by_self);
  free_pair_map(&t.functions);
  free_pair_map(&t.places);
  free(t.last_stack);
  return t.entries;
}

/* Trees */

struct tree {
  struct pair_map children;     /* (parent, function) */
  struct profile_node *nodes;
  uint32_t count;
  size_t room;
};

static uint32_t child_of(struct tree *t, uint32_t parent, const char *function)
{
  bool added;
  uint32_t at = number_of_pair(&t->children, parent, (uintptr_t) function,
                               &added) + 1;
  if (!added) return at;
  t->nodes = with_room(t->nodes, t->count, &t->room, sizeof *t->nodes);
  t->nodes[t->count++] = (struct profile_node) {
    .function = function, .parent = parent, .next = t->nodes[parent].first };
  t->nodes[parent].first = at;
  return at;
}

/* Adds the functions of the stack that ends at node [leaf], below node [at],
   from the root on or, if [inverted] is true, from the leaf on.  Returns the
   last node.  [path] has room for the nodes of the stack. */
static uint32_t add_path(const struct profile *p, struct tree *t, uint32_t leaf,
                         bool inverted, uint32_t *path)
{
  uint64_t cpu_ns = p->nodes[leaf].cpu_ns;
  uint32_t depth = 0, at = 0;
  t->nodes[0].total_ns += cpu_ns;
  for (uint32_t i = leaf; i != 0; i = p->nodes[i].parent) path[depth++] = i;
  for (uint32_t i = 0; i < depth; i++) {
    const struct node *node = &p->nodes[path[inverted ? i : depth - 1 - i]];
    for (uint32_t j = 0; j < node->frames_count; j++) {
      uint32_t frame = inverted ? j : node->frames_count - 1 - j;
      at = child_of(t, at, node->frames[frame].function);
      t->nodes[at].total_ns += cpu_ns;
      if (inverted && i == 0 && j == 0) t->nodes[at].self_ns += cpu_ns;
    }
  }
  if (!inverted) t->nodes[at].self_ns += cpu_ns;
  return at;
}

static int by_total(const void *a, const void *b, void *nodes)
{
  const struct profile_node *all = nodes;
  const struct profile_node *x = &all[*(const uint32_t *) a];
  const struct profile_node *y = &all[*(const uint32_t *) b];
  if (x->total_ns != y->total_ns) return x->total_ns < y->total_ns ? 1 : -1;
  return strcmp(x->function, y->function);
}

/* Sorts the children of node [parent]; [list] has room for all of them. */
static void sort_children(struct tree *t, uint32_t parent, uint32_t *list)
{
  uint32_t count = 0, last = 0;
  for (uint32_t at = t->nodes[parent].first; at != 0; at = t->nodes[at].next)
    list[count++] = at;
  qsort_r(list, count, sizeof *list, by_total, t->nodes);
  for (uint32_t i = count; i-- > 0; last = list[i])
    t->nodes[list[i]].next = last;
  t->nodes[parent].first = last;
}

struct profile_node *profile_tree(const struct profile *p, bool inverted,
                                  uint32_t *count)
{
  struct tree t = { .children = new_pair_map() };
  uint32_t *path = allocate(p->nodes_count, sizeof *path);
  t.nodes = with_room(NULL, 0, &t.room, sizeof *t.nodes);
  t.nodes[t.count++] = (struct profile_node) { .function = "all" };
  for (uint32_t i = 1; i < p->nodes_count; i++)
    if (p->nodes[i].cpu_ns > 0) add_path(p, &t, i, inverted, path);
  path = reallocate(path, t.count, sizeof *path);
  for (uint32_t i = 0; i < t.count; i++) sort_children(&t, i, path);
  free(path);
  free_pair_map(&t.children);
  *count = t.count;
  return t.nodes;
}

/* Stacks */

static int by_stack(const void *a, const void *b)
{
  const struct sample *x = a, *y = b;
#define COMPARE(field) \
  if (x->field != y->field) return x->field < y->field ? -1 : 1
  COMPARE(node);
  COMPARE(domain);
  COMPARE(thread);
  COMPARE(request);
  COMPARE(span);
#undef COMPARE
  return 0;
}

/* Sets the frames and addresses of [stack] to the stack that ends at node
   [leaf]. */
static void take_frames(const struct profile *p, uint32_t leaf,
                        struct profile_stack *stack,
                        const struct frame ***frames, uint64_t **addresses,
                        size_t *room)
{
  size_t depth = 0;
  for (uint32_t at = leaf; at != 0; at = p->nodes[at].parent)
    depth += p->nodes[at].frames_count;
  if (depth > *room) {
    *room = depth;
    *frames = reallocate(*frames, depth, sizeof **frames);
    *addresses = reallocate(*addresses, depth, sizeof **addresses);
  }
  stack->depth = 0;
  for (uint32_t at = leaf; at != 0; at = p->nodes[at].parent)
    for (uint32_t i = 0; i < p->nodes[at].frames_count; i++) {
      (*frames)[stack->depth] = &p->nodes[at].frames[i];
      (*addresses)[stack->depth++] = p->nodes[at].address;
    }
  stack->frames = *frames;
  stack->addresses = *addresses;
}

void profile_stacks(const struct profile *p,
                    void (*take)(void *state,
                                 const struct profile_stack *stack),
                    void *state)
{
  size_t room = 64;
  const struct frame **frames = allocate(room, sizeof *frames);
  uint64_t *addresses = allocate(room, sizeof *addresses);
  if (p->samples_count > 0)
    qsort(p->samples, p->samples_count, sizeof *p->samples, by_stack);
  for (size_t i = 0, next; i < p->samples_count; i = next) {
    const struct sample *sample = &p->samples[i];
    const struct eventring_description *span =
      sample->span == 0 ? NULL : eventring_describe(p->cursor, sample->span);
    struct profile_stack stack = {
      .domain = sample->domain, .thread = sample->thread,
      .request = sample->request, .span = span == NULL ? NULL : span->name
    };
    for (next = i; next < p->samples_count
                   && by_stack(sample, &p->samples[next]) == 0; next++) {
      stack.samples++;
      stack.cpu_ns += p->samples[next].cpu_ns;
    }
    take_frames(p, sample->node, &stack, &frames, &addresses, &room);
    take(state, &stack);
  }
  free(frames);
  free(addresses);
}
