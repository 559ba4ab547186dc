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
#include "attach.h"
#include "batches.h"
#include "compare.h"
#include "control.h"
#include "download.h"
#include "findings.h"
#include "fleet.h"
#include "fleet_guard.h"
#include "guards.h"
#include "json.h"
#include "kept.h"
#include "live_json.h"
#include "names.h"
#include "query.h"
#include "recordings.h"
#include "registry.h"
#include "routes.h"
#include "rules.h"
#include "saved.h"
#include "saved_edit.h"
#include "settings.h"
#include "stacks.h"
#include "target.h"
#include "windows.h"

/* Small answers */

/* Returns the answer [json] or, if it is NULL, a refusal for [why]. */
static struct answer answer_of(json_t *json, const char *why)
{
  return json != NULL ? (struct answer) { .status = 200, .json = json }
                      : refusal(503, "%s", why);
}

static struct answer list_routes(const struct asked *asked);

static struct answer server(const struct asked *asked)
{
  const struct settings *settings = asked->settings;
  return answer_of(json_pack(
    "{s:i, s:s, s:b, s:b, s:o, s:I}", "version", JSON_VERSION,
    "program", "eventring " EVENTRING_READER_VERSION,
    "read_only", settings->read_only, "hub", settings->hub != NULL,
    "store", json_text(settings->store), "now_unix_ns",
    (json_int_t) realtime_ns()), "");
}

static struct answer processes(const struct asked *asked)
{
  (void) asked;
  return answer_of(json_processes(), "");
}

static struct answer actions(const struct asked *asked)
{
  (void) asked;
  return answer_of(json_actions(), "");
}

static struct answer saved(const struct asked *asked)
{
  return answer_of(json_saved(asked->settings), "");
}

static struct answer rules(const struct asked *asked)
{
  json_t *list = json_rules();
  (void) asked;
  set_watched(list);
  set_nodes_watched(list);
  return answer_of(list, "");
}

static struct answer recordings(const struct asked *asked)
{
  (void) asked;
  return answer_of(json_recordings(), "");
}

/* The histograms are too large for the stream, which sends the rest each
   second. */
static struct answer detail(const struct asked *asked)
{
  json_t *json = json_detail(asked->view);
  if (json != NULL)
    json_object_set_new(json, "distributions", json_distributions(asked->view));
  return answer_of(json, VIEW_CUT);
}

static struct answer history(const struct asked *asked)
{
  char *text = history_text(asked->view, asked->query->tier);
  return text == NULL ? refusal(503, VIEW_CUT)
                      : (struct answer) { .status = 200, .text = text,
                                          .type = "application/json" };
}

static struct answer names(const struct asked *asked)
{
  return answer_of(json_names(asked->view), VIEW_CUT);
}

static struct answer diagnosis(const struct asked *asked)
{
  char why[512];
  return answer_of(diagnose_view(asked->view, why, sizeof why), why);
}

static struct answer last(const struct asked *asked)
{
  char why[512];
  return answer_of(last_diagnosis(asked->view, why, sizeof why), why);
}

/* The table */

#define TAKES(parameter) (1u << (parameter))
#define WINDOW (TAKES(FROM) | TAKES(TO))
#define SAMPLES (WINDOW | TAKES(TYPE) | TAKES(NUMBER) | TAKES(DOMAIN) \
                 | TAKES(THREAD) | TAKES(SPAN) | TAKES(REQUESTS))

const struct route routes[] = {
  { ROUTE_FILE, .path = "/" },
  { ROUTE_FILE, .path = "/index.html" },
  { ROUTE_FILE, .path = "/monitor.js" },
  { ROUTE_FILE, .path = "/monitor.css" },
  { ROUTE_FILE, .path = "/monitor.svg" },
  { ROUTE_STREAM, "/api/stream", .parameters = TAKES(PROCESS) },
  { ROUTE_SERVER, "/api", .get = list_routes },
  { ROUTE_SERVER, "/api/server", .get = server },
  { ROUTE_SERVER, "/api/processes", .get = processes },
  { ROUTE_SERVER, "/api/actions", .get = actions },
  { ROUTE_SERVER, "/api/saved", .get = saved, .post = edit_saved,
    .changes = true, .members = { "action", "name", "to", "note" } },
  { ROUTE_SERVER, "/api/rules", TAKES(RULE), .delete_by = true, .get = rules,
    .post = add_rule, .changes = true, .delete = delete_rule,
    .members = { "when", "process", "fleet", "before_s", "after_s", "distance_s",
                 "max_files", "max_bytes", "max_age_s", "webhook" } },
  { ROUTE_SERVER, "/api/recordings", .get = recordings },
  { ROUTE_SERVER, "/api/compare", TAKES(A) | TAKES(B) | TAKES(A_FROM)
    | TAKES(A_TO) | TAKES(B_FROM) | TAKES(B_TO), .get = compare_views },
  { ROUTE_SERVER, "/api/batches", .get = answer_batches },
  /* To open a recording changes nothing. */
  { ROUTE_SERVER, "/api/batches/runs", TAKES(BATCH), .get = answer_runs,
    .post = open_run, .members = { "batch", "number" } },
  { ROUTE_SERVER, "/api/batches/comparison", TAKES(GROUPS) | TAKES(OTHER_MACHINES),
    .get = answer_run_comparison },
  { ROUTE_SERVER, "/api/batches/timeline", TAKES(GROUPS), .get = answer_run_timeline },
  { ROUTE_SERVER, "/api/attach", .get = attachable_processes,
    .post = attach_process, .changes = true, .members = { "pid" } },
  /* To open a recording changes nothing. */
  { ROUTE_SERVER, "/api/fleet", .get = answer_fleet, .post = open_from_fleet,
    .members = { "node", "stream" } },
  { ROUTE_SERVER, "/api/fleet/comparison", .get = compare_fleet },
  { ROUTE_SERVER, "/metrics", .get = answer_metrics },
  { ROUTE_PROCESS, "detail", .get = detail },
  { ROUTE_PROCESS, "history", TAKES(TIER), .get = history },
  { ROUTE_PROCESS, "stat", WINDOW, .get = answer_stat },
  { ROUTE_PROCESS, "timeline", WINDOW | TAKES(WIDTH), .get = answer_timeline },
  { ROUTE_PROCESS, "events", WINDOW | TAKES(FILTER) | TAKES(LIMIT) | TAKES(ORDER),
    .get = answer_events },
  { ROUTE_PROCESS, "names", .get = names },
  { ROUTE_PROCESS, "between", WINDOW | TAKES(FIRST) | TAKES(THEN) | TAKES(SCOPE),
    .get = answer_between },
  { ROUTE_PROCESS, "diagnosis", .get = diagnosis },
  { ROUTE_PROCESS, "last_diagnosis", .get = last },
  { ROUTE_PROCESS, "locks", WINDOW, .get = answer_locks },
  { ROUTE_PROCESS, "requests", WINDOW | TAKES(LIMIT) | TAKES(NUMBER),
    .get = answer_requests },
  { ROUTE_PROCESS, "flame", SAMPLES, .get = answer_flame },
  { ROUTE_PROCESS, "live_sites", WINDOW | TAKES(WIDTH),
    .get = answer_live_sites },
  { ROUTE_PROCESS, "kept", .get = answer_kept },
  { ROUTE_PROCESS, "recording", WINDOW, .get = answer_recording },
  { ROUTE_PROCESS, "trace", WINDOW | TAKES(FORMAT), .get = answer_trace },
  { ROUTE_PROCESS, "pprof", SAMPLES, .get = answer_pprof },
  { ROUTE_PROCESS, "control", .post = control_view, .changes = true,
    .members = { "action", "categories", "seconds", "threshold_ns", "rate_hz", "words" } },
  { ROUTE_PROCESS, "save", .post = save_view, .changes = true,
    .members = { "seconds", "from_ns", "to_ns" } },
  { ROUTE_PROCESS, "points", .post = ask_view, .changes = true,
    .members = { "wait_ms" } },
  { ROUTE_PROCESS, "stacks", .post = stacks_of_view, .changes = true },
  { ROUTE_PROCESS, "record", .post = record_view, .changes = true,
    .members = { "action", "max_bytes", "seconds" } },
  { .path = NULL }
};

unsigned methods_of(const struct route *route)
{
  const bool by_http = route->kind == ROUTE_FILE || route->kind == ROUTE_STREAM;
  return (route->get != NULL || by_http ? METHOD_GET : 0)
         | (route->post != NULL ? METHOD_POST : 0)
         | (route->delete != NULL ? METHOD_DELETE : 0);
}

/* Returns the parameters of [route] for [method]. */
static uint32_t parameters_for(const struct route *route, enum method method)
{
  const enum method which = route->delete_by ? METHOD_DELETE : METHOD_GET;
  return method == which ? route->parameters : 0;
}

/* The list */

static json_t *names_of(uint32_t parameters)
{
  json_t *list = json_array();
  for (enum parameter p = 0; p < PARAMETERS; p++)
    if ((parameters & TAKES(p)) != 0)
      json_array_append_new(list, json_string(parameter_name(p)));
  return list;
}

static json_t *members_of(const struct route *route)
{
  json_t *list = json_array();
  for (size_t i = 0; i < ROUTE_MEMBERS && route->members[i] != NULL; i++)
    json_array_append_new(list, json_string(route->members[i]));
  return list;
}

static struct answer list_routes(const struct asked *asked)
{
  static const struct { enum method method; const char *name; } methods[] = {
    { METHOD_GET, "GET" }, { METHOD_POST, "POST" }, { METHOD_DELETE, "DELETE" }
  };
  json_t *list = json_array();
  (void) asked;
  for (const struct route *r = routes; r->path != NULL; r++)
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
      if ((methods_of(r) & methods[m].method) == 0) continue;
      const bool post = methods[m].method == METHOD_POST;
      json_array_append_new(list, json_pack(
        "{s:s, s:o, s:o, s:o}", "method", methods[m].name,
        "path", json_sprintf("%s%s", r->kind == ROUTE_PROCESS
                                     ? PROCESSES_PATH "ID/" : "", r->path),
        "parameters", names_of(parameters_for(r, methods[m].method)),
        "members", post ? members_of(r) : json_array()));
    }
  return answer_of(json_pack("{s:o}", "requests", list), "");
}

/* Dispatch */

/* Calls the function of [route] for [method], for a process with its view. */
static struct answer call(const struct route *route, struct asked *asked,
                          enum method method)
{
  struct answer (*function)(const struct asked *asked) =
    method == METHOD_GET ? route->get
    : method == METHOD_POST ? route->post : route->delete;
  char why[512];
  if (route->kind != ROUTE_PROCESS) return function(asked);
  /* A recording in the store can be looked at, and not controlled. */
  asked->view = method == METHOD_GET
    ? find_any_view(asked->settings, asked->query->process, why, sizeof why)
    : find_view(asked->query->process, why, sizeof why);
  if (asked->view == NULL) return refusal(404, "%s", why);
  struct answer answer = function(asked);
  drop_view(asked->view);
  return answer;
}

/* Returns the name of a member of [body] that a POST to [route] cannot have, or
   NULL. */
static const char *unknown_member(const struct route *route, json_t *body)
{
  const char *key;
  json_t *value;
  json_object_foreach(body, key, value) {
    int n = 0;
    while (n < ROUTE_MEMBERS && route->members[n] != NULL
           && strcmp(key, route->members[n]) != 0)
      n++;
    if (n == ROUTE_MEMBERS || route->members[n] == NULL) return key;
  }
  return NULL;
}

struct answer answer_of_route(struct asked asked, enum method method,
                              const char *body)
{
  const struct route *route = asked.query->route;
  if ((asked.query->given & ~parameters_for(route, method)) != 0)
    return refusal(400, "%s", no_such_parameter);
  if (method != METHOD_POST) return call(route, &asked, method);
  json_error_t error;
  json_t *object = json_loads(body, JSON_REJECT_DUPLICATES, &error);
  if (!json_is_object(object)) {
    json_decref(object);
    return refusal(400, "the body is not a JSON object%s%s",
                   error.text[0] == '\0' ? "" : ": ", error.text);
  }
  const char *unknown = unknown_member(route, object);
  asked.body = object;
  struct answer answer = unknown == NULL ? call(route, &asked, method)
    : refusal(400, "this resource has no member '%.100s'", unknown);
  json_decref(object);
  return answer;
}
