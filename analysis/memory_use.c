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

#include <stdlib.h>
#include "memory.h"
#include "memory_use.h"

/* The struct memory_use that callers see, and members for this file only. */
struct inner {
  struct memory_use shown;
  struct filter *filter;        /* that lets all samples pass */
  uint32_t cycle;               /* the number of the last one */
  struct summary_tally at_cycle; /* at the end of the last cycle */
};

static struct inner *inner(struct memory_use *m)
{
  return (struct inner *) m;
}

static struct profile *new_profile_of(struct memory_use *m,
                                      enum profile_type type)
{
  struct profile *profile =
    new_profile(summary_numbers(m->summary)->cursor, inner(m)->filter, NULL, 0);
  profile_set_type(profile, type);
  return profile;
}

struct memory_use *new_memory_use(struct eventring_cursor *cursor)
{
  struct memory_use *m = allocate(1, sizeof(struct inner));
  char why[1];
  m->summary = new_summary(cursor);
  inner(m)->filter = new_filter();
  filter_keep_earlier(inner(m)->filter);
  filter_begin(inner(m)->filter, cursor, why, sizeof why);
  m->allocated = new_profile_of(m, PROFILE_ALLOC);
  m->alive = new_profile_of(m, PROFILE_LIVE);
  return m;
}

void free_memory_use(struct memory_use *m)
{
  free_profile(m->allocated);
  free_profile(m->alive);
  free_filter(inner(m)->filter);
  free_summary(m->summary);
  free(m);
}

/* Takes the report of the heap of a domain, which the summary has: each domain
   writes one at the end of a cycle. */
static void take_heap(struct memory_use *m, int64_t ns)
{
  const struct summary_numbers *n = summary_numbers(m->summary);
  const uint32_t cycle = n->collectives[CAUSED_CYCLE];
  const struct summary_heap heap = summary_heap(m->summary);
  const struct live_heap live = {
    ns, sizeof(uint64_t) * (heap.pool_live_words + heap.large_words)
  };
  if (m->cycles == 0 || cycle != inner(m)->cycle) m->cycles++;
  inner(m)->cycle = cycle;
  if (m->cycles == 1) m->first = live;
  m->last = live;
  inner(m)->at_cycle = summary_tally(m->summary, NULL, n->last_ns);
}

void memory_use_event(struct memory_use *m, const struct eventring_event *event)
{
  summary_event(m->summary, event);
  if (event->form == EVENTRING_EV_INSTANT
      && summary_class(m->summary, event->id).role == ROLE_HEAP)
    take_heap(m, event->ns);
  profile_event(m->allocated, event);
  profile_event(m->alive, event);
}

void memory_use_idle(struct memory_use *m)
{
  summary_idle(m->summary);
}

/* Returns the words of [tally] that came to the major heap. */
static uint64_t major_words(const struct summary_tally *tally)
{
  return tally->promoted_words + tally->direct_words;
}

void memory_use_finish(struct memory_use *m, struct symbols *symbols)
{
  const struct summary_tally all =
    summary_tally(m->summary, NULL, summary_until(m->summary));
  const struct summary_tally since = tally_difference(&all, &inner(m)->at_cycle);
  m->heap = summary_heap(m->summary);
  if (m->cycles > 0)
    m->arrived_bytes = major_words(&since) * sizeof(uint64_t);
  profile_finish(m->allocated, symbols);
  profile_finish(m->alive, symbols);
}
