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

/* Profiles of every type and requests: an input is a ring file.  All sums of a
   profile must be equal; a request cannot wait for longer than it takes.  No
   file with code is opened: mappings are hostile here, code in fuzz_code.c. */

#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "live_samples.h"
#include "profile.h"
#include "requests.h"

#define BATCH 37
#define MAX_RINGS 64

static void say(void *state, const char *message)
{
  (void) state;
  CHECK(message[0] != '\0');
}

static void add_stack(void *state, const struct profile_stack *stack)
{
  struct profile_value *sum = state;
  CHECK(stack->value.samples > 0 && stack->labels_count <= PROFILE_LABELS);
  for (uint32_t i = 0; i < stack->labels_count; i++)
    CHECK(stack->labels[i].name[0] != '\0' && stack->labels[i].value != NULL);
  for (uint32_t i = 0; i < stack->depth; i++)
    CHECK(stack->frames[i]->function[0] != '\0');
  add_value(sum, stack->value);
}

static bool are_equal(struct profile_value a, struct profile_value b)
{
  return a.weight == b.weight && a.extra == b.extra && a.samples == b.samples;
}

/* Returns the sums of the tree. */
static struct profile_value check_tree(const struct profile *profile,
                                       bool inverted)
{
  uint32_t count;
  struct profile_node *nodes = profile_tree(profile, inverted, &count);
  struct profile_value sum = { 0, 0, 0, 0 }, children = { 0, 0, 0, 0 };
  CHECK(count >= 1 && nodes[0].parent == 0);
  for (uint32_t i = 1; i < count; i++) {
    CHECK(nodes[i].parent < i && nodes[i].next < count
          && nodes[i].first < count);
    add_value(&sum, nodes[i].self);
  }
  for (uint32_t i = nodes[0].first; i != 0; i = nodes[i].next)
    add_value(&children, nodes[i].total);
  CHECK(are_equal(sum, nodes[0].total) && are_equal(children, sum));
  free(nodes);
  return sum;
}

/* [total]: of the tree. */
static void check_tables(const struct profile *profile,
                         struct profile_value total)
{
  for (enum profile_by by = BY_FUNCTION; by <= BY_FILE_LINE; by++) {
    size_t count;
    struct profile_value sum = { 0, 0, 0, 0 };
    struct profile_entry *entries = profile_table(profile, by, &count);
    for (size_t i = 0; i < count; i++) {
      add_value(&sum, entries[i].self);
      CHECK(entries[i].frame.function != NULL);
    }
    CHECK(are_equal(sum, total));
    free(entries);
  }
}

static void take_run(void *state, const struct ended_run *run)
{
  uint64_t *runs = state;
  CHECK(run->number != 0);
  ++*runs;
}

/* Passes [event] to [requests]; a request that it ends has sensible times.
   [in_order]: times have not gone back so far. */
static void take_request(struct requests *requests,
                         const struct eventring_event *event, int in_order)
{
  struct ended_request r;
  if (!request_ended(requests, event, &r)) return;
  CHECK(r.end_ns >= event->ns && r.id == event->id);
  CHECK(!in_order || !r.runs_known
        || r.waiting_ns <= (uint64_t) r.end_ns - (uint64_t) r.begin_ns);
  const struct request_kind *kind = request_kind(requests, r.id);
  CHECK(kind == NULL || (kind->running.count == kind->waiting.count
                         && kind->running.count <= kind->total.count));
}

/* Reads all events as the commands that show requests and live samples do. */
static void take_requests(struct eventring_cursor *cursor)
{
  struct eventring_event events[BATCH];
  struct requests *requests = new_requests(cursor);
  struct live_samples *samples = new_live_samples(cursor);
  struct symbols *symbols = new_symbols(cursor, say, NULL);
  uint64_t runs = 0;
  int64_t last_ns = INT64_MIN;
  int n, in_order = 1;
  watch_runs(requests, take_run, &runs);
  while ((n = eventring_read(cursor, events, BATCH)) != 0)
    for (int i = 0; i < n; i++) {
      if (events[i].ns < last_ns) in_order = 0;
      else last_ns = events[i].ns;
      take_request(requests, &events[i], in_order);
      live_sample(samples, &events[i]);
    }
  struct profile *profile = live_profile(samples, last_ns, symbols);
  struct profile_sums sums = profile_sums(profile);
  CHECK(sums.samples == sums.all_samples);
  check_tree(profile, false);
  free_profile(profile);
  free_symbols(symbols);
  free_live_samples(samples);
  free_requests(requests);
}

/* Compares the sums of all outputs. */
static void check_sums(const struct profile *profile)
{
  const struct profile_sums sums = profile_sums(profile);
  struct profile_value stacks = { 0, 0, 0, 0 };
  profile_stacks(profile, add_stack, &stacks);
  CHECK(stacks.weight == sums.weight && stacks.extra == sums.extra
        && stacks.samples == sums.samples);
  struct profile_value total = check_tree(profile, false);
  CHECK(are_equal(check_tree(profile, true), total));
  CHECK(total.weight == sums.weight && total.extra == sums.extra);
  check_tables(profile, total);
}

/* Merges the profile of two processes with the same samples. */
static void merge_twice(const struct profile *profile)
{
  struct profile *merged = new_merged_profile();
  struct profile_sums one = profile_sums(profile);
  profile_set_type(merged, profile_type(profile));
  profile_add(merged, profile);
  profile_add(merged, profile);
  struct symbols *symbols = new_profile_symbols(merged, say, NULL);
  profile_finish(merged, symbols);
  struct profile_sums sums = profile_sums(merged);
  CHECK(sums.all_samples == 2 * one.all_samples);
  CHECK(sums.samples + sums.impossible == 2 * (one.samples + one.impossible));
  CHECK(sums.impossible > 0 || sums.weight == 2 * one.weight);
  check_sums(merged);
  free_profile(merged);
  free_symbols(symbols);
}

/* Makes the profile of [type] of all events, with the first [count] conditions;
   of the blocks that are alive at [at].  [outside]: some are of another time. */
static void take_profile(struct eventring_cursor *cursor, enum profile_type type,
                         size_t count, int64_t at, bool outside)
{
  static const struct condition conditions[] = {
    { DURING, "gc", -1, 0 }, { OUTSIDE, "minor", 1000, 0 },
    { IN_REQUEST, "get", 10, 0 }, { IN_THE_REQUEST, NULL, -1, 1 }
  };
  char why[256];
  struct filter *filter = new_filter();
  struct symbols *symbols = new_symbols(cursor, say, NULL);
  struct profile *profile = new_profile(cursor, filter, conditions, count);
  struct eventring_event events[BATCH];
  int n;
  profile_set_type(profile, type);
  profile_set_time(profile, at);
  CHECK(filter_begin(filter, cursor, why, sizeof why));
  while ((n = eventring_read(cursor, events, BATCH)) != 0)
    for (int i = 0; i < n; i++) {
      if (outside && events[i].ns % 2 == 0) profile_outside(profile, &events[i]);
      else profile_event(profile, &events[i]);
    }
  profile_finish(profile, symbols);
  struct profile_sums sums = profile_sums(profile);
  CHECK(sums.samples <= sums.all_samples && sums.incomplete <= sums.samples);
  check_sums(profile);
  merge_twice(profile);
  free_profile(profile);
  free_symbols(symbols);
  free_filter(filter);
}

/* Returns whether no mapping has a file that is there. */
static int has_no_files(struct eventring_cursor *cursor)
{
  const struct eventring_mapping *m;
  for (uint32_t i = 0; (m = eventring_mapping(cursor, i)) != NULL; i++)
    if (strncmp(m->path, "/nowhere/", 9) != 0) return 0;
  return 1;
}

/* Returns a type that depends on all bytes of the input: every type would take
   too long. */
static enum profile_type type_of(const uint8_t *data, size_t size)
{
  unsigned sum = 0;
  for (size_t i = 0; i < size; i++) sum = 31 * sum + data[i];
  return (enum profile_type) (sum % PROFILE_TYPES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct eventring_options o = { .size = sizeof o };
  struct eventring_info info = { .size = sizeof info };
  struct eventring_cursor *cursor;
  if (eventring_open(fuzz_file(0, data, size, 0), &o, &cursor) < 0) return 0;
  CHECK(eventring_get_info(cursor, &info) == 0);
  int wanted = info.rings <= MAX_RINGS && has_no_files(cursor);
  eventring_close(cursor);
  const enum profile_type type = type_of(data, size);
  for (int i = 0; wanted && i < 3; i++) {
    /* A cursor is read once. */
    if (eventring_open(fuzz_file(0, data, size, 0), &o, &cursor) < 0) return 0;
    take_profile(cursor, type, i == 1 ? 3 : 0, i == 1 ? 1500 : -1, i == 2);
    eventring_close(cursor);
  }
  if (wanted && eventring_open(fuzz_file(0, data, size, 0), &o, &cursor) >= 0) {
    take_requests(cursor);
    eventring_close(cursor);
  }
  return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned int seed)
{
  return fuzz_mutate_words(data, size, max_size, seed);
}
