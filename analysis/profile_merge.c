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

/* Profiles of many processes.

   The files with code are at addresses of their own: FILE_ROOM bytes for each,
   from FILE_ROOM on.  So a byte of a file has one address, also if the
   processes mapped it elsewhere, and the tree of addresses has a stack once. */

#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "profile_nodes.h"
#include "target.h"

#define FILE_ROOM ((uint64_t) 1 << 40)
#define MOST_FILES 4096

/* The most nodes, of some 100 bytes. */
#ifndef MOST_NODES
#define MOST_NODES (1 << 21)
#endif

struct profile *new_merged_profile(void)
{
  struct profile *p = allocate(1, sizeof *p);
  p->merged = true;
  p->common_ns = p->sums.common_ns = INT64_MIN;
  p->tree = new_pair_map();
  p->request_numbers = new_pair_map();
  p->nodes_room = 256;
  p->nodes = allocate(p->nodes_room, sizeof *p->nodes);
  p->nodes_count = 1;
  return p;
}

const struct eventring_mapping *profile_mapping(const struct profile *p,
                                                uint32_t index)
{
  if (!p->merged) return eventring_mapping(p->cursor, index);
  return index < p->files_count ? p->files[index] : NULL;
}

static const struct eventring_mapping *mapping_of_profile(void *profile,
                                                          uint32_t index)
{
  return profile_mapping(profile, index);
}

struct symbols *new_profile_symbols(struct profile *p,
                                    void (*say)(void *state,
                                                const char *message),
                                    void *state)
{
  return new_symbols_of(mapping_of_profile, p, say, state);
}

static bool is_same_code(const struct eventring_mapping *a,
                         const struct eventring_mapping *b)
{
  return a->build_id_size == b->build_id_size
         && (a->build_id_size > 0
             ? memcmp(a->build_id, b->build_id, a->build_id_size) == 0
             : strcmp(a->path, b->path) == 0);
}

/* Returns the file of the code in [mapping], a new one if necessary; NULL when
   there are too many, or the place in the file is impossible. */
static struct eventring_mapping *file_of(struct profile *p,
                                         const struct eventring_mapping *mapping)
{
  struct eventring_mapping *file = NULL;
  if (mapping->offset >= FILE_ROOM
      || mapping->length > FILE_ROOM - mapping->offset)
    return NULL;
  for (size_t i = 0; i < p->files_count && file == NULL; i++)
    if (is_same_code(p->files[i], mapping)) file = p->files[i];
  if (file == NULL) {
    if (p->files_count == MOST_FILES) return NULL;
    p->files = with_room(p->files, p->files_count, &p->files_room,
                         sizeof(struct eventring_mapping *));
    file = p->files[p->files_count++] = allocate(1, sizeof *file);
    *file = *mapping;
    file->path = strcpy(allocate(strlen(mapping->path) + 1, 1), mapping->path);
    file->start = p->files_count * FILE_ROOM;
    file->offset = file->length = 0;
  }
  if (mapping->offset + mapping->length > file->length)
    file->length = mapping->offset + mapping->length;
  return file;
}

/* The code of a process: its mappings and their files. */
struct code {
  const struct eventring_mapping *mapping;
  const struct eventring_mapping *file; /* or NULL */
};

static struct code *code_of(struct profile *p, const struct profile *from,
                            size_t *count)
{
  const struct eventring_mapping *mapping;
  struct code *code = NULL;
  size_t room = 0;
  *count = 0;
  while ((mapping = eventring_mapping(from->cursor, (uint32_t) *count))
         != NULL) {
    code = with_room(code, *count, &room, sizeof *code);
    code[(*count)++] = (struct code) { mapping, file_of(p, mapping) };
  }
  return code;
}

/* Returns the address of the code of [node] in a merged profile; 0 when its file
   is not known.  A return address may be the first one behind its file. */
static uint64_t merged_address(const struct code *code, size_t count,
                               const struct node *node)
{
  const uint64_t address = node->address - !node->leaf;
  for (size_t i = count; i-- > 0; ) {
    const struct eventring_mapping *m = code[i].mapping;
    if (address < m->start || address - m->start >= m->length) continue;
    return code[i].file == NULL ? 0 : code[i].file->start + m->offset
                                      + (node->address - m->start);
  }
  return 0;
}

/* Returns the node of [p] for [node] below [parent]; the node of all others when
   there is no room. */
static uint32_t merged_node(struct profile *p, uint32_t parent,
                            struct node node)
{
  if (parent != 0 && parent == p->others_node) return parent;
  if (p->nodes_count >= MOST_NODES) {
    const uint32_t at = find_pair(&p->tree, node_key(parent, &node),
                                  node.address);
    if (at != UINT32_MAX) return at + 1;
    if (p->others_node == 0)
      p->others_node = add_node(p, 0, (struct node) { .leaf = true,
                                                      .cut = true });
    return p->others_node;
  }
  return add_node(p, parent, node);
}

/* Adds the samples with a stack that ends at [node] of a process to node [at]. */
static void add_samples(struct profile *p, uint32_t at, const struct node *node)
{
  const struct profile_value value = node->value;
  if (value.weight > MOST_WEIGHT - p->sums.weight
      || value.extra > MOST_WEIGHT - p->sums.extra) {
    p->sums.impossible += value.samples;
    return;
  }
  p->nodes[at].used = true;
  add_value(&p->nodes[at].value, value);
  p->sums.samples += value.samples;
  if (node->unsampled != 0) p->sums.unsampled += value.weight;
  p->sums.weight += value.weight;
  p->sums.extra += value.extra;
  p->sums.variance += value.variance;
  if (at == p->others_node) p->sums.others += value.samples;
}

static void add_sums(struct profile *p, const struct profile *from)
{
  const struct eventring_info info = target_info(from->cursor);
  const int64_t first = time_after(
    info.started_realtime_ns, time_since(from->sums.first_ns, info.started_ns));
  const int64_t last = time_after(
    info.started_realtime_ns, time_since(from->sums.last_ns, info.started_ns));
  p->sums.all_samples += from->sums.all_samples;
  p->sums.all_waits += from->sums.all_waits;
  if (from->sums.cpu_ns > 0) p->sums.covered_ns += from->sums.covered_ns;
  p->sums.cpu_ns = limited_sum(p->sums.cpu_ns, from->sums.cpu_ns);
  p->sums.tick_ns = limited_sum(p->sums.tick_ns, from->sums.tick_ns);
  p->sums.tick_ns_unknown |= from->sums.tick_ns_unknown;
  p->sums.impossible += from->sums.impossible;
  p->sums.not_followed += from->sums.not_followed;
  p->sums.unknown_requests += from->sums.unknown_requests;
  p->sums.unknown_threads += from->sums.unknown_threads;
  p->sums.earlier += from->sums.earlier;
  if (from->sums.samples == 0 && from->sums.unsampled == 0) return;
  p->sums.incomplete += from->sums.incomplete;
  if (!p->period_known) p->sums.period_words = from->sums.period_words;
  p->period_known = true;
  if (p->sums.period_words != from->sums.period_words)
    p->sums.period_words = 0;
  const bool is_first = p->sums.samples == 0 && p->sums.unsampled == 0;
  if (is_first || first < p->sums.first_ns) p->sums.first_ns = first;
  if (is_first || last > p->sums.last_ns) p->sums.last_ns = last;
}

void profile_add(struct profile *p, const struct profile *from)
{
  size_t count;
  struct code *code = code_of(p, from, &count);
  uint32_t *merged = allocate(from->nodes_count, sizeof *merged);
  add_sums(p, from);
  for (uint32_t i = 1; i < from->nodes_count; i++) {
    const struct node *node = &from->nodes[i];
    if (!node->used) continue;
    merged[i] = merged_node(p, merged[node->parent], (struct node) {
      .leaf = node->leaf, .cut = node->cut, .allocation = node->allocation,
      .unsampled = node->unsampled,
      .wait = node->wait == 0
              ? 0 : wait_number(p, from->waits[node->wait - 1].name),
      .address = node->cut || node->unsampled != 0 || node->wait != 0
                 ? 0 : merged_address(code, count, node) });
    if (node->value.samples > 0 || node->unsampled != 0) add_samples(p, merged[i], node);
  }
  free(merged);
  free(code);
}

const struct eventring_mapping *file_of_node(const struct profile *p,
                                             uint32_t at)
{
  const struct node *node = &p->nodes[at];
  const uint64_t address = node->address - !node->leaf;
  const uint64_t file = node->address == 0 ? 0 : address / FILE_ROOM;
  return file == 0 ? NULL : p->files[file - 1];
}
