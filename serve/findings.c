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

#include <malloc.h>
#include <time.h>
#include "diagnosis_json.h"
#include "diagnosis_reading.h"
#include "findings.h"
#include "reading.h"
#include "target.h"

/* The least time between two diagnoses of a process that runs, and how many
   times the processor time of the last one that time is. */
#define AGAIN_NS (10 * SECOND_NS)
#define AGAIN_TIMES 20

/* A diagnosis that reads the file anew. */
struct diagnosing {
  struct view *view;
  char *why;
  size_t why_size;
  struct diagnosis *diagnosis;
  struct headline headline;       /* of the diagnosis before, then of this one */
  json_t *result;
};

static void take_event(void *state, const struct eventring_event *event)
{
  struct diagnosing *d = state;
  take_diagnosis_event(d->diagnosis, event);
}

static void is_quiet(void *state)
{
  struct diagnosing *d = state;
  diagnosis_is_quiet(d->diagnosis);
}

/* The object of the process tells damage of the file: its view has read it, too. */
static void take_problem(void *state, const struct source *source, bool failed,
                         const char *what)
{
  (void) source;
  struct diagnosing *d = state;
  if (failed) snprintf(d->why, d->why_size, "%s", what);
}

static void diagnose(void *state)
{
  struct diagnosing *d = state;
  struct eventring_cursor *cursor = view_open(d->view, false, d->why,
                                              d->why_size);
  if (cursor == NULL) return;
  d->diagnosis = begin_diagnosis(cursor);
  read_cursor(cursor, &(struct reading) {
    .changes = true, .state = d, .event = take_event, .quiet = is_quiet,
    .problem = take_problem
  });
  end_diagnosis(d->diagnosis, cursor, &d->headline);
  d->headline = diagnosis_headline(d->diagnosis);
  if (d->why[0] == '\0') d->result = json_diagnosis(d->diagnosis);
  free_diagnosis(d->diagnosis);
  if (view_close(d->view, cursor)) return;
  json_decref(d->result);
  d->result = NULL;
  snprintf(d->why, d->why_size, VIEW_CUT);
}

static void copy_headline(struct view_data *data, void *state)
{
  *(struct headline *) state = data->headline;
}

/* Returns a new diagnosis of [view]; NULL, with the reason in [why], when the file
   cannot be read.  Stores its headline in *headline, unless [headline] is NULL. */
static json_t *diagnose_anew(struct view *view, struct headline *headline, char *why,
                             size_t why_size)
{
  struct diagnosing d = { .view = view, .why = why, .why_size = why_size };
  why[0] = '\0';
  view_look(view, copy_headline, &d.headline);
  work_in_turn(diagnose, &d);
  if (headline != NULL) *headline = d.headline;
  return d.result;
}

static void copy_diagnosis(struct view_data *data, void *state)
{
  if (data->diagnosis != NULL) *(json_t **) state = json_deep_copy(data->diagnosis);
}

static void copy_final_diagnosis(struct view_data *data, void *state)
{
  if (data->findings_are_last) copy_diagnosis(data, state);
}

json_t *diagnose_view(struct view *view, char *why, size_t why_size)
{
  json_t *kept = NULL;
  if (view_look(view, copy_final_diagnosis, &kept) && kept != NULL) return kept;
  return diagnose_anew(view, NULL, why, why_size);
}

json_t *last_diagnosis(struct view *view, char *why, size_t why_size)
{
  json_t *kept = NULL;
  if (view_look(view, copy_diagnosis, &kept) && kept != NULL) return kept;
  return diagnose_anew(view, NULL, why, why_size);
}

/* The titles */

/* Returns the titles of the findings in [diagnosis]. */
static json_t *titles(const json_t *diagnosis)
{
  json_t *list = json_array();
  const json_t *findings = json_object_get(diagnosis, "findings");
  for (size_t i = 0; i < json_array_size(findings); i++) {
    const json_t *finding = json_array_get(findings, i);
    json_array_append_new(list, json_pack(
      "{s:O, s:O, s:O}", "rule", json_object_get(finding, "rule"),
      "title", json_object_get(finding, "title"),
      "certainty", json_object_get(finding, "certainty")));
  }
  return list;
}

/* The findings of a view, for the functions of view_look below. */
struct update {
  bool due, finished;
  json_t *titles, *diagnosis;
  struct headline headline;
  int64_t next_ns, made_unix_ns;
};

static void is_due(struct view_data *data, void *state)
{
  struct update *u = state;
  u->finished = !data->reading && data->state != EVENTRING_STATE_RUNNING;
  u->due = monotonic_ns() >= data->findings_next_ns && !data->reading
           && !(u->finished && data->findings_are_last);
}

static void keep(struct view_data *data, void *state)
{
  struct update *u = state;
  json_decref(data->findings);
  json_decref(data->diagnosis);
  data->findings = u->titles;
  data->diagnosis = u->diagnosis;
  data->headline = u->headline;
  data->findings_next_ns = u->next_ns;
  data->findings_made_unix_ns = u->made_unix_ns;
  data->findings_are_last = u->finished;
}

static int64_t thread_cpu_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * SECOND_NS + t.tv_nsec;
}

void update_findings(struct view *view)
{
  struct update u = { .due = false };
  char why[512];
  if (!view_look(view, is_due, &u) || !u.due) return;
  u.made_unix_ns = realtime_ns();
  const int64_t began = thread_cpu_ns();
  u.diagnosis = diagnose_anew(view, &u.headline, why, sizeof why);
  const int64_t pause = AGAIN_TIMES * (thread_cpu_ns() - began);
  /* Gives the memory of the diagnosis back to the system. */
  malloc_trim(0);
  if (u.diagnosis == NULL) return;
  u.titles = titles(u.diagnosis);
  u.next_ns = monotonic_ns() + (pause > AGAIN_NS ? pause : AGAIN_NS);
  if (view_look(view, keep, &u)) return;
  json_decref(u.titles);
  json_decref(u.diagnosis);
}
