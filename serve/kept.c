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

/* A program overwrites the oldest events of its rings, and each domain does so
   at its own pace.  So the begin of what a window can show differs between
   domains. */

#include "kept.h"
#include "target.h"

/* The most reads of a ring until it has an event: each overtaken or damaged
   block takes one. */
#define MOST_READS 64

struct kept {
  struct view *view;
  json_t *rings;
  char why[512];
};

static void add(json_t *rings, uint32_t domain, int64_t from_ns,
                bool begin_lost, bool samples)
{
  json_array_append_new(rings, json_pack(
    "{s:I, s:I, s:b, s:b}", "domain", (json_int_t) domain, "from_ns",
    (json_int_t) from_ns, "begin_lost", begin_lost, "samples", samples));
}

/* Reads the first event that ring [ring] of [cursor] has into *event, and whether earlier
   ones are lost into *begin_lost.  Returns false when there is none. */
static bool read_first(struct eventring_cursor *cursor, uint32_t ring,
                       struct eventring_event *event, bool *begin_lost)
{
  *begin_lost = false;
  for (int i = 0; i < MOST_READS; i++) {
    const int n = eventring_read_ring(cursor, ring, event, 1);
    if (n != 1 && n != EVENTRING_E_DAMAGED) return false;
    if (n == 1 && event->form != EVENTRING_EV_LOST) return true;
    *begin_lost = true;
  }
  return false;
}

/* Adds ring [ring] of [cursor], unless it has no events. */
static void add_ring(struct kept *k, struct eventring_cursor *cursor,
                     uint32_t ring, const struct eventring_info *info)
{
  struct eventring_event event;
  bool begin_lost;
  if (read_first(cursor, ring, &event, &begin_lost))
    add(k->rings, event.domain, time_since(event.ns, info->started_ns),
        begin_lost, info->sample_rings_from > 0
                    && ring >= info->sample_rings_from);
}

void visit_lost_begins(struct view *view,
                       void (*begins)(void *state, uint32_t ring, int64_t ns),
                       void *state)
{
  char why[512];
  struct eventring_event event;
  bool begin_lost;
  struct eventring_cursor *cursor = view_open(view, false, why, sizeof why);
  if (cursor == NULL) return;
  const struct eventring_info info = target_info(cursor);
  if (info.format != EVENTRING_FORMAT_RECORDING)
    for (uint32_t ring = 0; ring < info.rings; ring++)
      if (read_first(cursor, ring, &event, &begin_lost) && begin_lost)
        begins(state, ring, event.ns);
  view_close(view, cursor);
}

struct completeness { uint32_t sample_rings_from; int64_t from_ns; };

static void note_lost_begin(void *state, uint32_t ring, int64_t ns)
{
  struct completeness *c = state;
  const bool has_samples = c->sample_rings_from > 0 && ring >= c->sample_rings_from;
  if (!has_samples && ns > c->from_ns) c->from_ns = ns;
}

int64_t complete_from(struct view *view, const struct eventring_info *info)
{
  struct completeness c = { info->sample_rings_from, INT64_MIN };
  visit_lost_begins(view, note_lost_begin, &c);
  return c.from_ns;
}

/* Returns false, with the reason in [k], when the file cannot be read. */
static bool read_rings(struct kept *k)
{
  struct eventring_cursor *cursor = view_open(k->view, false, k->why,
                                              sizeof k->why);
  if (cursor == NULL) return false;
  const struct eventring_info info = target_info(cursor);
  k->rings = json_array();
  for (uint32_t ring = 0; ring < info.rings; ring++)
    add_ring(k, cursor, ring, &info);
  if (view_close(k->view, cursor)) return true;
  snprintf(k->why, sizeof k->why, VIEW_CUT);
  return false;
}

/* The function of view_look for a recording: its events stay, and were all read
   for the statistics. */
static void look_at_recording(struct view_data *d, void *state)
{
  struct kept *k = state;
  if (d->info.format != EVENTRING_FORMAT_RECORDING) return;
  const struct summary *s = live_summary(d->live);
  const struct summary_numbers *n = summary_numbers(s);
  k->rings = json_array();
  for (uint32_t i = 0; i < n->domain_count; i++) {
    const struct summary_domain *of = n->domains[i];
    const struct domain_numbers *domain = domain_numbers(of);
    if (domain->watched_from != INT64_MAX)
      add(k->rings, domain->id,
          time_since(domain->watched_from, d->info.started_ns),
          summary_begin_is_lost(s, of), false);
  }
}

struct answer answer_kept(const struct asked *asked)
{
  struct view *view = asked->view;
  struct kept k = { .view = view };
  if (!view_look(view, look_at_recording, &k))
    return refusal(503, VIEW_CUT);
  if (k.rings == NULL && !read_rings(&k)) {
    json_decref(k.rings);
    return refusal(503, "%s", k.why);
  }
  return (struct answer) { .status = 200,
                           .json = json_pack("{s:o}", "rings", k.rings) };
}
