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

/* The tables, trees and stacks of a profile; see profile.h. */

#define _GNU_SOURCE               /* qsort_r */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "profile_nodes.h"

/* Errors */

double weight_error(const struct profile_value *value)
{
  return sqrt(value->variance);
}

/* A share is a ratio of two sums: each sample in [value] moves it by weight * (1 -
   share), each other one by weight * -share, divided by the weight of all
   (Cochran, Sampling Techniques, on the variance of a ratio).  With equal weights
   that is the binomial sqrt(share * (1 - share) / samples). */
double share_error(const struct profile_value *value,
                   const struct profile_value *all)
{
  if (all->weight == 0 || value->samples == 0) return 0;
  const double share = (double) value->weight / (double) all->weight;
  const double rest = all->variance - value->variance;
  const double others = rest > 0 ? rest : 0; /* sums are rounded */
  if (value->samples >= all->samples) return 0;
  return sqrt(value->variance * (1 - share) * (1 - share)
              + others * share * share) / (double) all->weight;
}

/* Tables */

struct table {
  enum profile_by by;
  bool by_file;                 /* each file with the code has its entries */
  struct pair_map functions, places, files;
  struct profile_entry *entries;
  uint32_t *last_stack;         /* the last node that was added to the entry */
  size_t room, last_room;
};

/* Returns the number of the entry for [frame] with the code in the file [code],
   which may be NULL. */
static uint32_t entry_of(struct table *t, const struct frame *frame,
                         const struct eventring_mapping *code)
{
  bool added;
  uint32_t at =
    number_of_pair(&t->functions,
                   t->by == BY_FILE_LINE ? 0 : (uintptr_t) frame->function,
                   t->by == BY_FUNCTION ? 0 : (uintptr_t) frame->file, &added);
  if (t->by != BY_FUNCTION)
    at = number_of_pair(&t->places, at, frame->line, &added);
  if (t->by_file)
    at = number_of_pair(&t->files, at, (uintptr_t) code, &added);
  if (added) {
    t->entries = with_room(t->entries, at, &t->room, sizeof *t->entries);
    t->last_stack = with_room(t->last_stack, at, &t->last_room,
                              sizeof *t->last_stack);
    t->entries[at] = (struct profile_entry) { .frame = *frame, .code = code };
    t->last_stack[at] = 0;
    if (t->by == BY_FUNCTION) t->entries[at].frame.line = 0;
  }
  return at;
}

/* Adds the samples with the stack that ends at node [leaf]. */
static void add_stack(const struct profile *p, struct table *t, uint32_t leaf)
{
  const struct profile_value value = p->nodes[leaf].value;
  for (uint32_t at = leaf; at != 0; at = p->nodes[at].parent) {
    const struct node *node = &p->nodes[at];
    const struct eventring_mapping *code =
      t->by_file ? file_of_node(p, at) : NULL;
    for (uint32_t i = 0; i < node->frames_count; i++) {
      uint32_t entry = entry_of(t, &node->frames[i], code);
      if (at == leaf && i == 0) add_value(&t->entries[entry].self, value);
      /* Recursion counts once. */
      if (t->last_stack[entry] == leaf) continue;
      t->last_stack[entry] = leaf;
      add_value(&t->entries[entry].total, value);
    }
  }
}

/* Compares texts, of which NULL is the first. */
static int compare_texts(const char *a, const char *b)
{
  return a == NULL || b == NULL ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

/* Compares weights, of which the largest is the first. */
static int by_weight(uint64_t a, uint64_t b)
{
  return (a < b) - (a > b);
}

static int by_self(const void *a, const void *b)
{
  const struct profile_entry *x = a, *y = b;
  int order = by_weight(x->self.weight, y->self.weight);
  if (order == 0) order = by_weight(x->total.weight, y->total.weight);
  if (order != 0) return order;
  order = compare_texts(x->frame.function, y->frame.function);
  if (order == 0) order = compare_texts(x->frame.file, y->frame.file);
  if (order == 0)
    order = (x->frame.line > y->frame.line) - (x->frame.line < y->frame.line);
  return order != 0 || x->code == NULL || y->code == NULL ? order
         : (x->code->start > y->code->start)
           - (x->code->start < y->code->start);
}

struct profile_entry *profile_table(const struct profile *p,
                                    enum profile_by by, size_t *count)
{
  struct table t = { .by = by, .by_file = p->merged && by != BY_FILE_LINE,
                     .functions = new_pair_map(), .places = new_pair_map(),
                     .files = new_pair_map() };
  for (uint32_t i = 1; i < p->nodes_count; i++)
    if (has_value(&p->nodes[i].value)) add_stack(p, &t, i);
  *count = t.by_file ? t.files.count
           : by == BY_FUNCTION ? t.functions.count : t.places.count;
  if (t.entries != NULL) qsort(t.entries, *count, sizeof *t.entries, by_self);
  free_pair_map(&t.functions);
  free_pair_map(&t.places);
  free_pair_map(&t.files);
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

static uint32_t child_of(struct tree *t, uint32_t parent,
                         const struct frame *frame)
{
  bool added;
  uint32_t at = number_of_pair(&t->children, parent,
                               (uintptr_t) frame->function, &added) + 1;
  if (!added) return at;
  t->nodes = with_room(t->nodes, t->count, &t->room, sizeof *t->nodes);
  t->nodes[t->count++] = (struct profile_node) {
    .function = frame->function, .kind = frame->kind, .parent = parent,
    .next = t->nodes[parent].first };
  t->nodes[parent].first = at;
  return at;
}

/* Adds the functions of the stack that ends at node [leaf], below node [at],
   from the root on or, if [inverted] is true, from the leaf on.  Returns the
   last node.  [path] has room for the nodes of the stack. */
static uint32_t add_path(const struct profile *p, struct tree *t, uint32_t leaf,
                         bool inverted, uint32_t *path)
{
  const struct profile_value value = p->nodes[leaf].value;
  uint32_t depth = 0, at = 0;
  add_value(&t->nodes[0].total, value);
  for (uint32_t i = leaf; i != 0; i = p->nodes[i].parent) path[depth++] = i;
  for (uint32_t i = 0; i < depth; i++) {
    const struct node *node = &p->nodes[path[inverted ? i : depth - 1 - i]];
    for (uint32_t j = 0; j < node->frames_count; j++) {
      uint32_t frame = inverted ? j : node->frames_count - 1 - j;
      at = child_of(t, at, &node->frames[frame]);
      add_value(&t->nodes[at].total, value);
      if (inverted && i == 0 && j == 0) add_value(&t->nodes[at].self, value);
    }
  }
  if (!inverted) add_value(&t->nodes[at].self, value);
  return at;
}

static int by_total(const void *a, const void *b, void *nodes)
{
  const struct profile_node *all = nodes;
  const struct profile_node *x = &all[*(const uint32_t *) a];
  const struct profile_node *y = &all[*(const uint32_t *) b];
  int order = by_weight(x->total.weight, y->total.weight);
  return order != 0 ? order : strcmp(x->function, y->function);
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
    if (has_value(&p->nodes[i].value)) add_path(p, &t, i, inverted, path);
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
  COMPARE(kind);
  COMPARE(labels[0]);
  COMPARE(labels[1]);
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

/* Sets the labels of [stack] to those of [sample]. */
static void take_labels(const struct profile *p, const struct sample *sample,
                        struct profile_stack *stack)
{
  for (int i = 0; i < PROFILE_LABELS; i++) {
    const struct label_field *field = &label_fields[sample->kind][i];
    const char *value = sample->labels[i] == MOST_LABEL ? NULL
      : eventring_value(p->cursor, field->unit, sample->labels[i]);
    if (value != NULL)
      stack->labels[stack->labels_count++] =
        (struct profile_label) { field->name, value };
  }
}

/* Calls [take] for the stacks of a merged profile. */
static void merged_stacks(const struct profile *p,
                          void (*take)(void *state,
                                       const struct profile_stack *stack),
                          void *state)
{
  size_t room = 64;
  const struct frame **frames = allocate(room, sizeof *frames);
  uint64_t *addresses = allocate(room, sizeof *addresses);
  for (uint32_t i = 1; i < p->nodes_count; i++) {
    if (p->nodes[i].value.samples == 0 && p->nodes[i].unsampled == 0) continue;
    struct profile_stack stack = {
      .value = p->nodes[i].value,
      .domain = UINT32_MAX, .thread = UINT32_MAX
    };
    take_frames(p, i, &stack, &frames, &addresses, &room);
    take(state, &stack);
  }
  free(frames);
  free(addresses);
}

void profile_stacks(const struct profile *p,
                    void (*take)(void *state,
                                 const struct profile_stack *stack),
                    void *state)
{
  size_t room = 64;
  if (p->merged) {
    merged_stacks(p, take, state);
    return;
  }
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
                   && by_stack(sample, &p->samples[next]) == 0; next++)
      add_value(&stack.value, (struct profile_value) {
        p->samples[next].weight, p->samples[next].extra,
        p->samples[next].kind != CPU_USED, 0 });
    take_labels(p, sample, &stack);
    take_frames(p, sample->node, &stack, &frames, &addresses, &room);
    take(state, &stack);
  }
  free(frames);
  free(addresses);
}

/* Requests */

static int by_number(const void *x, const void *y)
{
  const struct profile_request *a = x, *b = y;
  return (a->number > b->number) - (a->number < b->number);
}

static int most_samples_first(const void *x, const void *y)
{
  const struct profile_request *a = x, *b = y;
  if (a->value.samples != b->value.samples)
    return a->value.samples < b->value.samples ? 1 : -1;
  if (a->value.weight != b->value.weight)
    return a->value.weight < b->value.weight ? 1 : -1;
  return by_number(x, y);
}

struct profile_request *profile_requests(const struct profile *p, size_t *count)
{
  struct profile_request *list = allocate(p->samples_count + 1, sizeof *list);
  size_t all = 0, requests = 0;
  for (size_t i = 0; !p->merged && i < p->samples_count; i++)
    if (p->samples[i].request != 0)
      list[all++] = (struct profile_request) {
        p->samples[i].request,
        { p->samples[i].weight, p->samples[i].extra, 1, 0 } };
  qsort(list, all, sizeof *list, by_number);
  for (size_t i = 0; i < all; i++)
    if (requests > 0 && list[requests - 1].number == list[i].number)
      add_value(&list[requests - 1].value, list[i].value);
    else list[requests++] = list[i];
  qsort(list, requests, sizeof *list, most_samples_first);
  *count = requests;
  return list;
}
