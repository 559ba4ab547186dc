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
#include <string.h>
#include "category.h"
#include "common.h"
#include "hub_target.h"
#include "profile_notes.h"
#include "profile_types.h"

/* Returns whether the process of [cursor] records one of [categories], which
   have blanks between them. */
static bool records_any(struct eventring_cursor *cursor, const char *categories)
{
  char name[64];
  for (size_t length; *categories != '\0'; categories += length) {
    categories += strspn(categories, " ");
    length = strcspn(categories, " ");
    snprintf(name, sizeof name, "%.*s", (int) length, categories);
    if (records_category(cursor, name)) return true;
  }
  return false;
}

/* Says why the process of [cursor] has no samples for [type], called [samples],
   and how to take some. */
static void note_no_samples(struct eventring_cursor *cursor,
                            enum profile_type type, const char *samples)
{
  const struct profile_type_words *words = &profile_type_words[type];
  const char *path = shown_path(cursor);
  char number[16];
  if ((type == PROFILE_CPU || type == PROFILE_WALL)
      && target_info(cursor).sample_rings_from == 0)
    note("%s: no %s: processor time is sampled in native code only, on Linux, "
         "x86-64 and arm64", path, samples);
  else if (eventring_state(cursor) != EVENTRING_STATE_RUNNING)
    note("%s: no %s; to take some: start the program with %s", path, samples,
         words->variables);
  else if (!records_any(cursor, words->categories))
    note("%s: no %s; to take some: eventring enable %s %s", path, samples,
         target_operand(cursor, number), words->categories);
  else
    note("%s: no %s yet: %s", path, samples,
         target_info(cursor).active == 0 ? "the recording is paused"
                                         : words->scarce);
}

void note_left_out(const struct profile_sums *sums)
{
  if (sums->unknown_requests > 0)
    note("%" PRIu64 " samples are left out: the events of their requests are "
         "lost", sums->unknown_requests);
  if (sums->earlier > 0)
    note("%" PRIu64 " samples are left out: other samples of their time are "
         "lost", sums->earlier);
  if (sums->unknown_threads > 0)
    note("%" PRIu64 " blocks are left out: the thread that allocated them is "
         "not known", sums->unknown_threads);
  if (sums->not_followed > 0)
    note("%" PRIu64 " samples are left out: a domain follows 65536 blocks at "
         "most; a lower rate has fewer", sums->not_followed);
}

/* Tells when the time at which blocks count as alive is outside of the
   events. */
static void note_time(const struct profile_sums *sums)
{
  if (sums->last_ns < sums->data_ns)
    note("the first event is from a later time: blocks that were freed before "
         "it are missing");
  if (sums->last_ns > sums->data_end_ns)
    note("the last event is from an earlier time: blocks that were freed after "
         "it are counted");
}

void note_missing_samples(struct eventring_cursor *cursor,
                          const struct profile *profile)
{
  const struct profile_sums sums = profile_sums(profile);
  const enum profile_type type = profile_type(profile);
  if (sums.all_samples == 0 && sums.not_followed == 0 && sums.unsampled == 0)
    note_no_samples(cursor, type, profile_type_words[type].samples);
  else if (type == PROFILE_WALL && sums.all_waits == 0)
    note_no_samples(cursor, PROFILE_WAIT, "samples of waits");
  else if (type == PROFILE_WALL && sums.all_waits == sums.all_samples)
    note_no_samples(cursor, PROFILE_CPU, "samples of processor time");
  note_left_out(&sums);
  if (type != PROFILE_LIVE || sums.all_samples == 0) return;
  note_time(&sums);
  if (eventring_state(cursor) == EVENTRING_STATE_RUNNING
      && !records_any(cursor, profile_type_words[type].categories))
    note("the category is switched off: blocks that were freed since then are "
         "counted");
}
