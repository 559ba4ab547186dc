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


/* Profiles of a window: flame graphs, files for pprof, and the sites of live
   memory. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "filter.h"
#include "json.h"
#include "kept.h"
#include "memory.h"
#include "profile_pprof.h"
#include "symbols.h"
#include "target.h"
#include "window_text.h"
#include "windows.h"
#include "windows_internal.h"

/* The most conditions of a profile. */
#define CONDITIONS 3

/* The shortest and the longest time around a window in which events tell of time between
   samples in it. */
#define LEAST_AROUND_NS SECOND_NS
#define MOST_AROUND_NS (60 * SECOND_NS)

/* A profile of a window, which end_profile frees. */
struct window_profile {
  char from[32];                  /* of the filter */
  struct filter *filter;
  struct symbols *symbols;
  struct profile *profile;
  struct condition conditions[CONDITIONS];
  size_t conditions_count;
};

static void flame_event(struct window *w, const struct eventring_event *event)
{
  /* What a span or a request is may be told before the window. */
  if (w->from_start ? event->ns < w->to_ns : is_in_window(w, event))
    profile_event(w->state, event);
  else
    profile_outside(w->state, event);
}

/* Restricts [filter] to samples with [value] as property [by], unless [value] is
   empty.  Puts the reason of a refusal into [w]. */
static void restrict_filter(struct window *w, struct filter *filter,
                            enum filter_by by, const char *value)
{
  if (w->status == 0 && value[0] != '\0'
      && !filter_add(filter, by, value, w->why, sizeof w->why))
    w->status = 400;
}

static void add_condition(struct window_profile *p, struct condition condition)
{
  condition.slower_ns = -1;
  p->conditions[p->conditions_count++] = condition;
}

/* Creates the filter and the conditions of the query of [w]. */
static void select_samples(struct window *w, struct window_profile *p)
{
  const struct query *q = w->query;
  p->filter = new_filter();
  snprintf(p->from, sizeof p->from, "%" PRId64 "ns", q->from_ns);
  /* A sample of a block that is alive may be in the window, and the allocation
     of the block before the window. */
  if (q->from_ns > 0) restrict_filter(w, p->filter, FILTER_FROM, p->from);
  restrict_filter(w, p->filter, FILTER_DOMAIN, q->domain);
  restrict_filter(w, p->filter, FILTER_THREAD, q->thread);
  filter_keep_earlier(p->filter);
  if (q->number != 0)
    add_condition(p, (struct condition) { .kind = IN_THE_REQUEST,
                                          .number = q->number });
  if (q->span[0] != '\0')
    add_condition(p, (struct condition) { .kind = DURING, .name = q->span });
  if (q->requests[0] != '\0')
    add_condition(p, (struct condition) { .kind = IN_REQUEST,
                                          .name = q->requests });
}

static void ring_begins(void *profile, uint32_t ring, int64_t ns)
{
  profile_ring_begins(profile, ring, ns);
}

/* Returns how much is read before and behind the window of [q], of which events tell of
   time between samples in it: as much as the window, so that it costs three times as much
   at most.  The runtime may tell it later still.  Selected threads, spans and requests
   have no such time. */
static int64_t margin_of(const struct query *q, const struct window_profile *p)
{
  const int64_t length = q->to_ns - q->from_ns;
  if ((q->type != PROFILE_CPU && q->type != PROFILE_WALL) || p->conditions_count > 0
      || filter_has_threads(p->filter))
    return 0;
  return length < LEAST_AROUND_NS ? LEAST_AROUND_NS
       : length > MOST_AROUND_NS ? MOST_AROUND_NS : length;
}

/* Reads the profile of the window [w].  Returns false, with the reason in [w],
   when it cannot be read. */
static bool read_profile(struct window *w, struct window_profile *p)
{
  *p = (struct window_profile) { .filter = NULL };
  w->from_start = w->query->span[0] != '\0' || w->query->requests[0] != '\0';
  select_samples(w, p);
  w->margin_ns = margin_of(w->query, p);
  if (w->status != 0 || !open_window(w)) {
    free_filter(p->filter);
    return false;
  }
  filter_begin(p->filter, w->cursor, w->why, sizeof w->why);
  p->symbols = new_symbols(w->cursor, NULL, NULL);
  p->profile = new_profile(w->cursor, p->filter, p->conditions,
                           p->conditions_count);
  profile_set_type(p->profile, w->query->type);
  w->state = p->profile;
  w->event = flame_event;
  read_window(w);
  /* Also of rings whose first event is behind the window. */
  if (w->query->type == PROFILE_WALL)
    visit_lost_begins(w->view, ring_begins, p->profile);
  profile_finish(p->profile, p->symbols);
  return true;
}

/* Frees the profile and closes the file of [w]. */
static void end_profile(struct window *w, struct window_profile *p)
{
  free_profile(p->profile);
  free_symbols(p->symbols);
  free_filter(p->filter);
  close_window(w);
}

static void flame_window(void *state)
{
  struct window *w = state;
  struct window_profile p;
  if (!read_profile(w, &p)) return;
  w->text = print_flame(p.profile, w->started_ns);
  end_profile(w, &p);
}

/* Profiles for pprof */

/* Writes [profile] to the file of the download. */
static void save_profile(struct window *w, const struct profile *profile)
{
  const struct eventring_info info = target_info(w->cursor);
  const struct profile_origin origin = origin_of_process(w->cursor);
  struct sink *sink = allocate(1, sizeof *sink);
  begin_sink(sink, download_fd(w->download), DOWNLOAD_BYTES);
  const bool made = write_pprof(sink, &origin, profile);
  sink_flush(sink);
  if (!made) refuse_window(w, 409, "not enough memory");
  w->sink_error = sink->error;
  free(sink);
  name_download(w->download, "application/gzip", &info, w->query, ".pb.gz");
}

static void pprof_window(void *state)
{
  struct window *w = state;
  struct window_profile p;
  if (!read_profile(w, &p)) return;
  if (profile_sums(p.profile).samples == 0)
    refuse_window(w, 409, "there are no samples of this type in this time");
  if (w->status == 0) save_profile(w, p.profile);
  end_profile(w, &p);
}

/* Live sites */

static void live_sites_window_event(struct window *w,
                                    const struct eventring_event *event)
{
  if (event->ns < w->to_ns) live_sites_event(w->state, event);
}

static void live_sites_window(void *state)
{
  struct window *w = state;
  if (!open_window(w)) return;
  clip_window(w);
  const uint32_t moments = w->query->width < LIVE_SITES_MOMENTS
                           ? w->query->width : LIVE_SITES_MOMENTS;
  struct symbols *symbols = new_symbols(w->cursor, NULL, NULL);
  struct live_sites *sites = new_live_sites(w->cursor, w->from_ns, w->to_ns - 1,
                                            moments);
  w->state = sites;
  w->event = live_sites_window_event;
  read_window(w);
  w->result = json_live_sites(live_sites_result(sites, symbols), w->started_ns);
  free_live_sites(sites);
  free_symbols(symbols);
  close_window(w);
}

/* Answers */

struct answer answer_flame(const struct asked *asked)
{
  struct window w = new_window(asked);
  return make_answer(&w, flame_window);
}

struct answer answer_pprof(const struct asked *asked)
{
  struct window w = new_window(asked);
  w.download = new_download(asked->settings, w.why, sizeof w.why);
  if (w.download == NULL) return refusal(409, "%s", w.why);
  struct answer answer = make_answer(&w, pprof_window);
  if (answer.status == 200 && w.sink_error != 0)
    answer = refuse_download(w.sink_error);
  if (answer.status == 200) answer.download = w.download;
  else close_download(w.download);
  return answer;
}

struct answer answer_live_sites(const struct asked *asked)
{
  struct window w = new_window(asked);
  w.margin_ns = 0;
  w.from_start = true;
  if (!find_extent(&w))
    return refusal(503, VIEW_CUT);
  return make_answer(&w, live_sites_window);
}
