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

/* See merged_profile.h. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "filter_options.h"
#include "hub_streams.h"
#include "hub_target.h"
#include "merged_profile.h"
#include "profile_notes.h"
#include "profile_types.h"

bool is_build_id(const char *text)
{
  return text[0] != '\0'
         && text[strspn(text, "0123456789abcdef")] == '\0';
}

/* Returns whether the build id of [mapping] begins with the digits [version]. */
static bool begins_with(const struct eventring_mapping *mapping,
                        const char *version)
{
  char digits[2 * sizeof mapping->build_id + 1] = "";
  for (uint32_t i = 0; i < mapping->build_id_size; i++)
    snprintf(digits + 2 * i, 3, "%02x", mapping->build_id[i]);
  return strncmp(digits, version, strlen(version)) == 0;
}

/* Returns whether the program of [cursor], which has been read, has a build id
   with the prefix [version]. */
static bool is_version(struct eventring_cursor *cursor, const char *version)
{
  const struct eventring_info info = target_info(cursor);
  const struct eventring_mapping *mapping;
  for (uint32_t i = 0; (mapping = eventring_mapping(cursor, i)) != NULL; i++)
    if (strcmp(mapping->path, info.program) == 0
        && begins_with(mapping, version))
      return true;
  return false;
}

static void count_node(struct merged_profile *m, const char *node)
{
  for (uint32_t i = 0; i < m->origin.nodes; i++)
    if (strcmp(m->nodes[i], node) == 0) return;
  m->nodes = with_room(m->nodes, m->origin.nodes, &m->nodes_room,
                       sizeof(char *));
  char *copy = allocate(strlen(node) + 1, 1);
  m->nodes[m->origin.nodes++] = strcpy(copy, node);
}

struct profile *new_selected_profile(struct eventring_cursor *cursor,
                                     const struct profile_selection *s)
{
  struct profile *profile =
    new_profile(cursor, s->filter, s->conditions, s->conditions_count);
  profile_set_type(profile, s->type);
  profile_set_time(profile, s->at);
  return profile;
}

/* The profiles that take the events. */
struct takers { struct profile *profile, *other; };

static void take_event(void *state, const struct eventring_event *event)
{
  const struct takers *takers = state;
  profile_event(takers->profile, event);
  if (takers->other != NULL) profile_event(takers->other, event);
}

static bool go_on(void *state, bool idle)
{
  (void) state;
  (void) idle;
  return true;
}

enum status read_samples(struct eventring_cursor *cursor,
                         struct profile *profile, struct profile *other)
{
  struct takers takers = { profile, other };
  return read_events(cursor, &(struct reading) {
    .changes = true, .state = &takers, .event = take_event, .pass = go_on
  });
}

/* Counts the process of [cursor], on [node], whose samples were added. */
static void count_process(struct merged_profile *m, const char *node,
                          struct eventring_cursor *cursor)
{
  const struct eventring_info info = target_info(cursor);
  const uint64_t period_ns = info.sample_period_ns;
  if (m->origin.processes == 0) m->origin.sample_period_ns = period_ns;
  if (m->origin.sample_period_ns != period_ns) m->origin.sample_period_ns = 0;
  m->origin.processes++;
  m->origin.lost_events += lost_events(cursor);
  m->origin.dropped_samples += info.samples_dropped;
  count_node(m, node);
}

/* Adds the samples of the process of [cursor], on [node]. */
static enum status add_process(struct merged_profile *m, const char *node,
                               struct eventring_cursor *cursor,
                               const struct profile_selection *s)
{
  begin_filter(s->filter, cursor);
  struct profile *profile = new_selected_profile(cursor, s);
  enum status status = read_samples(cursor, profile, NULL);
  profile_finish(profile, NULL);
  const struct profile_sums sums = profile_sums(profile);
  const bool counts = (sums.all_samples > 0 || sums.unsampled > 0)
    && (s->version == NULL || is_version(cursor, s->version));
  if (counts) profile_add(m->profile, profile);
  if (counts && (sums.samples > 0 || sums.unsampled > 0))
    count_process(m, node, cursor);
  else
    m->origin.others++;
  free_profile(profile);
  return status;
}

static void say(void *state, const char *message)
{
  (void) state;
  note("%s", message);
}

static void begin(struct merged_profile *m, const struct profile_selection *s)
{
  *m = (struct merged_profile) { .profile = new_merged_profile(),
                                 .origin = { .version = s->version } };
  profile_set_type(m->profile, s->type);
}

/* Finds the functions, and explains why there is no sample. */
static void finish(struct merged_profile *m, const struct profile_selection *s)
{
  m->symbols = new_profile_symbols(m->profile, say, NULL);
  symbols_in(m->symbols, s->code);
  profile_finish(m->profile, m->symbols);
  const struct profile_sums sums = profile_sums(m->profile);
  const struct profile_type_words *words = &profile_type_words[s->type];
  note_left_out(&sums);
  if (sums.samples > 0 || sums.unsampled > 0) return;
  if (sums.all_samples > 0)
    note("no sample of %" PRIu64 " passes the filters", sums.all_samples);
  else if (s->version != NULL)
    note("no program with samples has a build id with the prefix %s",
         s->version);
  else
    note("no process has %s; to take some: start the programs with %s",
         words->samples, words->variables);
}

enum status merge_hub_profiles(struct merged_profile *m,
                               const struct hub_url *url, char *const *nodes,
                               size_t count,
                               const struct profile_selection *selection)
{
  struct hub_streams streams;
  enum status status = STATUS_OK;
  char why[512];
  json_t *known = get_hub_nodes(url, nodes, count, why, sizeof why);
  json_decref(known);
  if (known == NULL
      || !get_hub_streams(url, nodes, count, &streams, why, sizeof why)) {
    complain("%s", why);
    exit(STATUS_CANNOT_READ);
  }
  begin(m, selection);
  for (size_t i = 0; i < streams.count; i++) {
    const struct hub_stream *stream = &streams.list[i];
    if (stream->bytes <= 0) continue;
    struct eventring_cursor *cursor =
      open_hub_recording(url, stream->node, stream->stream);
    if (cursor == NULL
        || add_process(m, stream->node, cursor, selection) != STATUS_OK)
      status = STATUS_CANNOT_READ;
    if (cursor != NULL) close_hub_recording(cursor);
  }
  free_hub_streams(&streams);
  finish(m, selection);
  return status;
}

enum status merge_profiles(struct merged_profile *m, struct all_processes *all,
                           const struct profile_selection *selection)
{
  enum status status = all->status;
  begin(m, selection);
  for (int i = 0; i < all->count; i++) {
    enum status read = add_process(m, all->labels[i].node,
                                   all->sources[i].cursor, selection);
    if (read != STATUS_OK) status = read;
    eventring_close(all->sources[i].cursor);
    all->sources[i].cursor = NULL;
  }
  finish(m, selection);
  return status;
}

void free_merged_profile(struct merged_profile *m)
{
  for (uint32_t i = 0; i < m->origin.nodes; i++) free(m->nodes[i]);
  free(m->nodes);
  if (m->profile != NULL) free_profile(m->profile);
  free_symbols(m->symbols);
}
