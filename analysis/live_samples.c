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

/* Samples are kept as the cursor returned them, in a circular queue, and are
   taken by a new profile (profile.h) each time. */

#include <stdlib.h>
#include <string.h>
#include "live_samples.h"
#include "live_stats.h"
#include "memory.h"
#include "samples.h"
#include "target.h"

/* A copy of an event; [event.payload] is not used. */
struct kept {
  struct eventring_event event;
  uint64_t payload[];
};

struct live_samples {
  struct eventring_cursor *cursor;
  struct filter *filter;        /* that lets all samples pass */
  struct samples *kinds;
  struct kept **queue;          /* of LIVE_SAMPLES */
  uint32_t first, count;
  uint64_t words;               /* of the payloads of all */
};

struct live_samples *new_live_samples(struct eventring_cursor *cursor)
{
  struct live_samples *s = allocate(1, sizeof *s);
  s->cursor = cursor;
  s->filter = new_filter();
  filter_keep_earlier(s->filter);
  char why[1];
  filter_begin(s->filter, cursor, why, sizeof why);
  s->kinds = new_samples(cursor);
  s->queue = allocate(LIVE_SAMPLES, sizeof *s->queue);
  return s;
}

static void forget_oldest(struct live_samples *s)
{
  struct kept *oldest = s->queue[s->first];
  s->first = (s->first + 1) % LIVE_SAMPLES;
  s->count--;
  s->words -= oldest->event.words;
  free(oldest);
}

void free_live_samples(struct live_samples *s)
{
  while (s->count > 0) forget_oldest(s);
  free_filter(s->filter);
  free_samples(s->kinds);
  free(s->queue);
  free(s);
}

void live_sample(struct live_samples *s, const struct eventring_event *event)
{
  if (sample_kind(s->kinds, event) != CPU_SAMPLE) return;
  while (s->count == LIVE_SAMPLES
         || (s->count > 0 && s->words + event->words > LIVE_SAMPLE_WORDS))
    forget_oldest(s);
  struct kept *kept =
    allocate(1, sizeof *kept + event->words * sizeof *kept->payload);
  kept->event = *event;
  memcpy(kept->payload, event->payload, event->words * sizeof *kept->payload);
  s->queue[(s->first + s->count++) % LIVE_SAMPLES] = kept;
  s->words += event->words;
}

struct profile *live_profile(struct live_samples *s, int64_t now,
                             struct symbols *symbols)
{
  struct profile *profile = new_profile(s->cursor, s->filter, NULL, 0);
  int64_t from = time_after(now, -LIVE_WINDOW_NS);
  while (s->count > 0 && s->queue[s->first]->event.ns < from) forget_oldest(s);
  for (uint32_t i = 0; i < s->count; i++) {
    const struct kept *kept = s->queue[(s->first + i) % LIVE_SAMPLES];
    struct eventring_event event = kept->event;
    event.payload = kept->payload;
    profile_event(profile, &event);
  }
  profile_finish(profile, symbols);
  return profile;
}
