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

#include <string.h>
#include "actions.h"
#include "answers.h"
#include "attach.h"
#include "compare.h"
#include "control.h"
#include "findings.h"
#include "fleet.h"
#include "fleet_guard.h"
#include "guards.h"
#include "json.h"
#include "kept.h"
#include "live_json.h"
#include "names.h"
#include "recordings.h"
#include "registry.h"
#include "rules.h"
#include "saved.h"
#include "target.h"
#include "windows.h"

/* Returns the answer [json] or, if it is NULL, a refusal for [why]. */
static struct answer answer_of(json_t *json, const char *why)
{
  return json != NULL ? (struct answer) { .status = 200, .json = json }
                      : refusal(503, "%s", why);
}

/* The same for JSON as a text. */
static struct answer answer_of_text(char *text, const char *why)
{
  return text != NULL ? (struct answer) { .status = 200, .text = text,
                                          .type = "application/json" }
                      : refusal(503, "%s", why);
}

static json_t *rules_json(void)
{
  json_t *rules = json_rules();
  set_watched(rules);
  set_nodes_watched(rules);
  return rules;
}

static json_t *server_json(const struct settings *settings)
{
  return json_pack("{s:i, s:s, s:b, s:b, s:o, s:I}", "version", JSON_VERSION,
                   "program", "eventring " EVENTRING_READER_VERSION,
                   "read_only", settings->read_only, "hub",
                   settings->hub != NULL,
                   "store", json_text(settings->store), "now_unix_ns",
                   (json_int_t) realtime_ns());
}

/* The histograms are too large for the stream, which sends the rest each
   second. */
static json_t *whole_detail(struct view *view)
{
  json_t *detail = json_detail(view);
  if (detail != NULL)
    json_object_set_new(detail, "distributions", json_distributions(view));
  return detail;
}

/* Returns the answer of [view] to [query]. */
static struct answer answer_of_view(struct view *view,
                                    const struct query *query)
{
  char why[512] = "the file was cut shorter";
  switch (query->resource) {
  case RESOURCE_DETAIL: return answer_of(whole_detail(view), why);
  case RESOURCE_HISTORY:
    return answer_of_text(history_text(view, query->tier), why);
  case RESOURCE_NAMES: return answer_of(json_names(view), why);
  case RESOURCE_KEPT: return answer_kept(view);
  case RESOURCE_DIAGNOSIS:
    return answer_of(diagnose_view(view, why, sizeof why), why);
  default: return answer_window(view, query);
  }
}

struct answer answer_get(const struct settings *settings,
                         const struct query *query)
{
  char why[512];
  switch (query->resource) {
  case RESOURCE_SERVER: return answer_of(server_json(settings), "");
  case RESOURCE_PROCESSES: return answer_of(json_processes(), "");
  case RESOURCE_ACTIONS: return answer_of(json_actions(), "");
  case RESOURCE_SAVED: return answer_of(json_saved(settings), "");
  case RESOURCE_RULES: return answer_of(rules_json(), "");
  case RESOURCE_RECORDINGS: return answer_of(json_recordings(), "");
  case RESOURCE_COMPARE: return compare_views(settings, query);
  case RESOURCE_ATTACH: return attachable_processes();
  case RESOURCE_FLEET: return answer_fleet(settings);
  case RESOURCE_FLEET_COMPARISON: return compare_fleet(settings);
  case RESOURCE_METRICS: return answer_metrics(settings);
  default: break;
  }
  struct view *view = find_any_view(settings, query->process, why, sizeof why);
  if (view == NULL) return refusal(404, "%s", why);
  struct answer answer = answer_of_view(view, query);
  drop_view(view);
  return answer;
}

/* Returns the answer to POST of a resource of a process. */
static struct answer post_to_view(const struct settings *settings,
                                  const struct query *query,
                                  const json_t *request, const char *origin)
{
  char why[512];
  struct view *view = find_view(query->process, why, sizeof why);
  if (view == NULL) return refusal(404, "%s", why);
  struct answer answer;
  switch (query->resource) {
  case RESOURCE_CONTROL: answer = control_view(view, request, origin); break;
  case RESOURCE_RECORD:
    answer = record_view(settings, view, request, origin);
    break;
  default: answer = save_view(settings, view, request, origin);
  }
  drop_view(view);
  return answer;
}

/* The most members that the body of a POST may have. */
#define MEMBERS 5

/* The members of the bodies of POST.  add_rule looks at the members of a
   rule. */
static const struct { enum resource resource; const char *names[MEMBERS]; }
  bodies[] = {
  { RESOURCE_CONTROL,
    { "action", "categories", "threshold_ns", "rate_hz", "words" } },
  { RESOURCE_SAVE, { "seconds" } },
  { RESOURCE_RECORD, { "action", "max_bytes" } },
  { RESOURCE_ATTACH, { "pid" } },
  { RESOURCE_FLEET, { "node", "stream" } }
};

/* Returns the name of a member of [request] that a body for [resource] cannot
   have, or NULL. */
static const char *unknown_member(json_t *request, enum resource resource)
{
  const char *key;
  json_t *value;
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    if (bodies[i].resource != resource) continue;
    json_object_foreach(request, key, value) {
      int n = 0;
      while (n < MEMBERS && bodies[i].names[n] != NULL
             && strcmp(key, bodies[i].names[n]) != 0)
        n++;
      if (n == MEMBERS || bodies[i].names[n] == NULL) return key;
    }
  }
  return NULL;
}

struct answer answer_post(const struct settings *settings,
                          const struct query *query, const char *body,
                          const char *origin)
{
  json_error_t error;
  json_t *request = json_loads(body, JSON_REJECT_DUPLICATES, &error);
  if (!json_is_object(request)) {
    json_decref(request);
    return refusal(400, "the body is not a JSON object: %s", error.text);
  }
  struct answer answer;
  const char *unknown = unknown_member(request, query->resource);
  if (unknown != NULL) {
    answer = refusal(400, "this resource has no member '%.100s'", unknown);
    json_decref(request);
    return answer;
  }
  switch (query->resource) {
  case RESOURCE_RULES: answer = add_rule(settings, request, origin); break;
  case RESOURCE_ATTACH: answer = attach_process(request, origin); break;
  case RESOURCE_FLEET:
    answer = open_from_fleet(settings, request, origin);
    break;
  default: answer = post_to_view(settings, query, request, origin);
  }
  json_decref(request);
  return answer;
}

struct answer answer_delete(const struct query *query, const char *origin)
{
  return query->rule == 0 ? refusal(400, "which rule?  id is missing")
                          : delete_rule(query->rule, origin);
}
