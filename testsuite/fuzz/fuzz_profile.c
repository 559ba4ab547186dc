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

/* Profiles and requests: an input is a ring file.  All sums of a profile must
   be equal; a request cannot wait for longer than it takes.  No file with code
   is opened: mappings are hostile here, code in fuzz_code.c. */

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
  uint64_t *cpu_ns = state;
  CHECK(stack->samples > 0);
  for (uint32_t i = 0; i < stack->depth; i++)
    CHECK(stack->frames[i]->function[0] != '\0');
  *cpu_ns += stack->cpu_ns;
}

/* Returns the total time of the tree. */
static uint64_t check_tree(const struct profile *profile, bool inverted)
{
  uint32_t count;
  struct profile_node *nodes = profile_tree(profile, inverted, &count);
  uint64_t sum = 0, children = 0;
  CHECK(count >= 1 && nodes[0].parent == 0);
  for (uint32_t i = 1; i < count; i++) {
    CHECK(nodes[i].parent < i && nodes[i].next < count
          && nodes[i].first < count);
    sum += nodes[i].self_ns;
  }
  for (uint32_t i = nodes[0].first; i != 0; i = nodes[i].next)
    children += nodes[i].total_ns;
  CHECK(sum == nodes[0].total_ns && children == sum);
  free(nodes);
  return sum;
}

/* [total_ns]: of the tree. */
static void check_tables(const struct profile *profile, uint64_t total_ns)
{
  for (enum profile_by by = BY_FUNCTION; by <= BY_FILE_LINE; by++) {
    size_t count;
    uint64_t sum = 0;
    struct profile_entry *entries = profile_table(profile, by, &count);
    for (size_t i = 0; i < count; i++) {
      sum += entries[i].self_ns;
      CHECK(entries[i].frame.function != NULL);
    }
    CHECK(sum == total_ns);
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

static void take_profile(struct eventring_cursor *cursor)
{
  static const struct condition conditions[] = {
    { DURING, "gc", -1 }, { OUTSIDE, "minor", 1000 },
    { IN_REQUEST, "get", 10 }
  };
  char why[256];
  for (size_t count = 0; count <= 3; count += 3) {
    struct filter *filter = new_filter();
    struct symbols *symbols = new_symbols(cursor, say, NULL);
    struct profile *profile = new_profile(cursor, filter, conditions, count);
    struct eventring_event events[BATCH];
    uint64_t stacks = 0;
    int n;
    CHECK(filter_begin(filter, cursor, why, sizeof why));
    while ((n = eventring_read(cursor, events, BATCH)) != 0)
      for (int i = 0; i < n; i++) profile_event(profile, &events[i]);
    profile_finish(profile, symbols);
    struct profile_sums sums = profile_sums(profile);
    CHECK(sums.samples <= sums.all_samples && sums.incomplete <= sums.samples);
    profile_stacks(profile, add_stack, &stacks);
    CHECK(stacks == sums.cpu_ns);
    uint64_t total_ns = check_tree(profile, false);
    CHECK(check_tree(profile, true) == total_ns);
    check_tables(profile, total_ns);
    free_profile(profile);
    free_symbols(symbols);
    free_filter(filter);
  }
}

/* Returns whether no mapping has a file that is there. */
static int has_no_files(struct eventring_cursor *cursor)
{
  const struct eventring_mapping *m;
  for (uint32_t i = 0; (m = eventring_mapping(cursor, i)) != NULL; i++)
    if (strncmp(m->path, "/nowhere/", 9) != 0) return 0;
  return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct eventring_options o = { .size = sizeof o };
  struct eventring_info info = { .size = sizeof info };
  struct eventring_cursor *cursor;
  if (eventring_open(fuzz_file(0, data, size, 0), &o, &cursor) < 0) return 0;
  CHECK(eventring_get_info(cursor, &info) == 0);
  int wanted = info.rings <= MAX_RINGS && has_no_files(cursor);
  if (wanted) take_profile(cursor);
  eventring_close(cursor);
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
