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

/* See hub_answers.h. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "control_request.h"
#include "explain.h"
#include "hub_answers.h"
#include "locks.h"
#include "nats_ask.h"
#include "nats_names.h"

enum {
  OK = 200, BAD_REQUEST = 400, UNAUTHORIZED = 401, FORBIDDEN = 403,
  NOT_FOUND = 404, WRONG_METHOD = 405, CONFLICT = 409, TOO_LARGE = 413,
  FAILED = 500, BAD_GATEWAY = 502, UNAVAILABLE = 503, NO_ANSWER = 504, FULL = 507
};

/* After a body that takes so much when it is parsed, memory is given back. */
#define TRIMMED_BYTES ((uint64_t) 16 << 20)

#define LINES_A_MINUTE 30
#define MINUTE_NS 60000000000

void hub_say(struct hub *hub, const char *format, ...)
{
  char line[512];
  va_list args;
  const int64_t now = hub_monotonic_ns();
  if (now - hub->said_since_ns > MINUTE_NS) {
    hub->said_since_ns = now;
    hub->said = 0;
  }
  const unsigned said = hub->said++;
  if (hub->say == NULL || said > LINES_A_MINUTE) return;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  hub->say(hub->say_state, said < LINES_A_MINUTE ? line
           : "too many messages; no more for a minute");
}

struct hub_answer hub_refusal(unsigned status, const char *format, ...)
{
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return (struct hub_answer) {
    .status = status, .fd = -1, .json = json_pack("{s:s}", "error", text) };
}

static struct hub_answer good(json_t *json)
{
  if (json == NULL) return hub_refusal(UNAVAILABLE, "not enough memory");
  return (struct hub_answer) { .status = OK, .json = json, .fd = -1 };
}

/* Heads */

/* Parses the decimal number [text], at most INT64_MAX. */
static bool parse_number(const char *text, uint64_t *number)
{
  const size_t length = strlen(text);
  if (length == 0 || length > 19 || strspn(text, "0123456789") != length)
    return false;
  *number = strtoull(text, NULL, 10);
  return *number <= INT64_MAX;
}

/* Copies the text before the first / of [path] to [name], of [size] bytes, and
   returns the text after it; NULL when there is no / or no room. */
static const char *take_name(const char *path, char *name, size_t size)
{
  const size_t length = strcspn(path, "/");
  if (path[length] != '/' || length == 0 || length >= size) return NULL;
  memcpy(name, path, length);
  name[length] = '\0';
  return path + length + 1;
}

/* Parses STREAM/N, the rest of the address of a part. */
static bool parse_part(const char *path, struct hub_request *r)
{
  uint64_t number = 0;
  path = take_name(path, r->stream, sizeof r->stream);
  if (path == NULL || !is_stream_name(r->stream) || path[0] == '0'
      || !parse_number(path, &number) || number > PART_MAX_NUMBER)
    return false;
  r->number = (uint32_t) number;
  return true;
}

/* Parses NODE/STREAM, the rest of the address of a recording. */
static bool parse_recording(const char *path, struct hub_request *r)
{
  path = take_name(path, r->node, sizeof r->node);
  if (path == NULL || !is_node_name(r->node)
      || strlen(path) >= sizeof r->stream || !is_stream_name(path))
    return false;
  strcpy(r->stream, path);
  return true;
}

static const struct {
  const char *path, *method;
  enum hub_route route;
  bool (*parse)(const char *rest, struct hub_request *r); /* NULL: no rest */
} routes[] = {
  { "/fleet/join", "POST", HUB_JOIN, NULL },
  { "/fleet/report", "POST", HUB_REPORT, NULL },
  { "/fleet/parts/", "PUT", HUB_PART, parse_part },
  { "/fleet/nodes", "GET", HUB_NODES, NULL },
  { "/fleet/processes", "GET", HUB_PROCESSES, NULL },
  { "/fleet/recordings/", "GET", HUB_RECORDING, parse_recording },
  { "/fleet/control", "POST", HUB_CONTROL, NULL },
  { "/fleet/requests", "POST", HUB_REQUESTS, NULL }
};

unsigned parse_hub_request(const char *method, const char *path,
                           const char *number, const char *last,
                           struct hub_request *request, const char **why)
{
  uint64_t value = 0;
  *request = (struct hub_request) { .node = "" };
  for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
    const size_t length = strlen(routes[i].path);
    if (routes[i].parse == NULL ? strcmp(path, routes[i].path) != 0
                                : strncmp(path, routes[i].path, length) != 0)
      continue;
    *why = "another method is needed";
    if (strcmp(method, routes[i].method) != 0) return WRONG_METHOD;
    *why = "a name in the address is not valid";
    if (routes[i].parse != NULL && !routes[i].parse(path + length, request))
      return BAD_REQUEST;
    request->route = routes[i].route;
    request->last = last != NULL && strcmp(last, "1") == 0;
    *why = request->route == HUB_RECORDING
           ? "since: expected nanoseconds since 1970"
           : "offset: expected a number";
    if (request->route != HUB_PART && request->route != HUB_RECORDING)
      return 0;
    if (number == NULL ? request->route == HUB_PART
                       : !parse_number(number, &value))
      return BAD_REQUEST;
    request->offset = value;
    request->since_ns = (int64_t) value;
    return 0;
  }
  *why = "no such resource";
  return NOT_FOUND;
}

size_t hub_body_max(enum hub_route route)
{
  return route == HUB_JOIN ? HUB_JOIN_MAX
         : route == HUB_CONTROL ? HUB_CONTROL_MAX
         : route == HUB_REQUESTS ? HUB_ANSWER_MAX : HUB_BODY_MAX;
}

bool hub_request_waits(enum hub_route route)
{
  return route == HUB_RECORDING || route == HUB_CONTROL
         || route == HUB_REQUESTS;
}

static bool is_of_agent(const struct hub_request *request)
{
  return request->route == HUB_REPORT || request->route == HUB_PART
         || request->route == HUB_REQUESTS;
}

#define NOT_JOINED \
  "the agent of node %s has not joined, or the hub has forgotten it"

/* Checks that the client that has sent the header [authorization] may make a
   request of a reader or an operator; operators may read, too.  Returns as
   authorize_hub_request. */
static unsigned authorize_token(struct hub *hub, const char *authorization,
                                enum hub_route route, char *text, size_t size)
{
  static const char bearer[] = "Bearer ";
  char control[HUB_TOKEN_SIZE];
  const bool has_token = authorization != NULL
    && strncmp(authorization, bearer, strlen(bearer)) == 0;
  const char *token = has_token ? authorization + strlen(bearer) : "";
  const bool reads = has_token && same_secret(token, hub->read_token);
  if (reads && route != HUB_CONTROL) return 0;
  if (has_token && read_control_token(&hub->store, control)
      && same_secret(token, control))
    return 0;
  if (reads) {
    explain(text, size, "this address is for reading; 'eventring hub "
            "--print-control-url' on the hub prints the one for control");
    return FORBIDDEN;
  }
  explain(text, size, "the token of readers is missing or wrong");
  return UNAUTHORIZED;
}

unsigned authorize_hub_request(struct hub *hub, gnutls_session_t session,
                               const char *authorization,
                               struct hub_request *request, char *text,
                               size_t size)
{
  if (request->route == HUB_JOIN) return 0;
  if (is_of_agent(request)) {
    if (!check_agent(session, request->node, request->fingerprint, text, size))
      return FORBIDDEN;
    if (is_registered(&hub->store, request->node, request->fingerprint))
      return 0;
    explain(text, size, NOT_JOINED, request->node);
    return FORBIDDEN;
  }
  return authorize_token(hub, authorization, request->route, text, size);
}

/* Answers */

/* Returns the status for the failure [error] of a system call. */
static unsigned status_of_errno(int error)
{
  return error == ENOSPC || error == EDQUOT || error == EFBIG ? FULL : FAILED;
}

/* Returns a text member of [object]; NULL when it is missing. */
static const char *text_member(const json_t *object, const char *name)
{
  return json_string_value(json_object_get(object, name));
}

/* Lets the agent of [node] join.  Its certificate is signed already, and the
   caller has locked the node. */
static struct hub_answer admit(struct hub *hub, const char *token,
                               const char *node, const char *certificate,
                               const char *fingerprint)
{
  bool made;
  int error;
  struct nats_credentials nats;
  switch (register_node(&hub->store, node, fingerprint, &made)) {
  case NODE_REGISTERED: break;
  case NODE_TAKEN:
    hub_say(hub, "an agent wants the name %s, which is taken", node);
    return hub_refusal(CONFLICT, "the name %s is taken; another --node, or "
                       "'eventring hub --forget %s' on the hub", node, node);
  default:
    error = errno;
    drop_empty_node(&hub->store, node);
    return hub_refusal(status_of_errno(error), "%s", strerror(error));
  }
  if (!use_join_token(&hub->store, token)) {
    if (made) forget_node(&hub->store, node);
    drop_empty_node(&hub->store, node);
    return hub_refusal(FORBIDDEN, "the token is wrong, used or too old");
  }
  hub->joined++;
  hub_say(hub, "node %s has joined", node);
  derive_nats_node(hub->nats_secret, node, fingerprint, &nats);
  return good(json_pack("{s:s, s:s, s:{s:s, s:s}}", "certificate", certificate,
                        "node", node, "nats", "password", nats.password,
                        "seal_key", nats.key));
}

static struct hub_answer join(struct hub *hub, const json_t *body)
{
  char fingerprint[FINGERPRINT_SIZE], why[256];
  char *certificate = NULL;
  const char *token = text_member(body, "token");
  const char *node = text_member(body, "node");
  const char *key = text_member(body, "public_key");
  if (token == NULL || node == NULL || key == NULL)
    return hub_refusal(BAD_REQUEST, "expected token, node and public_key");
  if (!is_join_token(&hub->store, token)) {
    hub_say(hub, "an agent was refused: its token is wrong, used or too old");
    return hub_refusal(FORBIDDEN, "the token is wrong, used or too old");
  }
  if (!is_node_name(node))
    return hub_refusal(BAD_REQUEST, "node: a name has 1 to %d letters, digits "
                       "or ._- and does not begin with a dot", NODE_SIZE - 1);
  if (!sign_agent(&hub->keys, node, key, &certificate, fingerprint, why,
                  sizeof why))
    return hub_refusal(BAD_REQUEST, "%s", why);
  pthread_mutex_t *lock = lock_of_node(&hub->store, node);
  pthread_mutex_lock(lock);
  struct hub_answer answer = admit(hub, token, node, certificate, fingerprint);
  pthread_mutex_unlock(lock);
  free(certificate);
  return answer;
}

/* Returns the id of the start of the machine, or "". */
static const char *boot_id(void)
{
  static _Thread_local char id[64];
  int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  ssize_t n = fd >= 0 ? read(fd, id, sizeof id - 1) : 0;
  if (fd >= 0) close(fd);
  id[n > 0 ? n : 0] = '\0';
  id[strcspn(id, "\n")] = '\0';
  return id;
}

/* Returns what the member "control" of a report says. */
static enum hub_permission permission_in(const json_t *report)
{
  const char *way = text_member(report, "control");
  return way == NULL ? HUB_CLOSED
         : strcmp(way, "https") == 0 ? HUB_OPEN
         : strcmp(way, "nats") == 0 ? HUB_OPEN_NATS : HUB_CLOSED;
}

struct hub_answer hub_clocks(void)
{
  return good(json_pack("{s:I, s:I, s:s}",
                        "monotonic_ns", (json_int_t) hub_monotonic_ns(),
                        "realtime_ns", (json_int_t) hub_realtime_ns(),
                        "boot_id", boot_id()));
}

static struct hub_answer report(struct hub *hub, const char *node,
                                const json_t *body)
{
  char why[512];
  int error;
  if (!store_report(&hub->store, node, body, &error, why, sizeof why))
    return hub_refusal(error == 0 ? BAD_REQUEST : status_of_errno(error), "%s",
                       why);
  note_permission(&hub->control, node, permission_in(body));
  return hub_clocks();
}

/* Returns the bytes that the values in [body] take at most when they are
   parsed, and copied for the store.  Objects without members take the most for
   their two characters. */
static uint64_t memory_of_json(const char *body, size_t length)
{
  static const uint64_t value_bytes = 400;
  uint64_t values = 1;
  bool in_text = false;
  for (size_t i = 0; i < length; i++) {
    if (in_text && body[i] == '\\') i++;
    else if (body[i] == '"') in_text = !in_text;
    else if (!in_text && strchr(",[{", body[i]) != NULL) values++;
  }
  return values * value_bytes + 2 * length;
}

/* Control */

#define NOT_AN_ANSWER "answer: expected id, status, output and errors"

/* Returns the known members of [answer] of an agent, which the caller frees; NULL
   when they are missing.  Frees [answer]. */
static json_t *checked_answer(json_t *answer)
{
  const json_t *status = json_object_get(answer, "status"),
    *output = json_object_get(answer, "output"),
    *errors = json_object_get(answer, "errors");
  json_t *copy = NULL;
  if (json_is_integer(status) && json_integer_value(status) >= 0
      && json_integer_value(status) <= 255 && json_is_string(output)
      && json_is_string(errors))
    copy = json_pack("{s:I, s:s, s:s}", "status", json_integer_value(status),
                     "output", json_string_value(output), "errors",
                     json_string_value(errors));
  json_decref(answer);
  return copy;
}

/* Returns the refusal of a request to [node] that its agent has not answered. */
static struct hub_answer no_answer(const char *node, enum ask_result result)
{
  if (result == ASK_FULL)
    return hub_refusal(UNAVAILABLE, "too many requests wait for node %s", node);
  if (result == ASK_NOT_ANSWERED)
    return hub_refusal(NO_ANSWER, "node %s has got the request and not answered: "
                       "whether it was carried out is not known", node);
  return hub_refusal(NO_ANSWER, "node %s has not fetched the request, which was "
                     "not carried out", node);
}

/* Gives a request to the agent of [node] with the key [fingerprint], as ask_node
   does, by NATS. */
static enum ask_result ask_other(struct hub *hub, const char *node,
                                 const char *fingerprint, const json_t *request,
                                 json_t **answer)
{
  char name[NATS_HUB_SIZE];
  struct nats_credentials of_hub, of_node;
  *answer = NULL;
  if (hub->nats == NULL) return ASK_NOT_FETCHED;
  struct hub_asked *asked = begin_other_request(&hub->control, node);
  if (asked == NULL) return ASK_FULL;
  name_nats_hub(hub->keys.fingerprint, name);
  derive_nats_hub(hub->nats_secret, &of_hub);
  derive_nats_node(hub->nats_secret, node, fingerprint, &of_node);
  const struct nats_asking asking = {
    .place = hub->nats, .hub = name, .password = of_hub.password, .node = node,
    .key = of_node.key };
  const enum ask_result result =
    ask_by_nats(&asking, &hub->control, request, answer);
  explicit_bzero(&of_hub, sizeof of_hub);
  explicit_bzero(&of_node, sizeof of_node);
  end_other_request(&hub->control, asked);
  return result;
}

/* Gives a request, which the caller has checked, to the agent of its node, and
   returns the answer. */
static struct hub_answer ask(struct hub *hub, const struct control_request *r,
                             const json_t *object)
{
  char fingerprint[FINGERPRINT_SIZE];
  json_t *answer;
  if (!registered_key(&hub->store, r->node, fingerprint))
    return hub_refusal(NOT_FOUND, "no agent has the name %s; eventring ps --hub "
                       "lists processes", r->node);
  const enum hub_permission permission = permission_of(&hub->control, r->node);
  switch (permission) {
  case HUB_AWAY:
    return hub_refusal(NO_ANSWER, "node %s is away: it has not reported in the "
                       "last seconds", r->node);
  case HUB_CLOSED:
    return hub_refusal(FORBIDDEN, "the agent of node %s allows no control; start "
                       "it with --allow-control", r->node);
  default: break;
  }
  hub_say(hub, "control: %s of process %s of node %s", r->command, r->process,
          r->node);
  const enum ask_result result = permission == HUB_OPEN_NATS
    ? ask_other(hub, r->node, fingerprint, object, &answer)
    : ask_node(&hub->control, r->node, object, &answer);
  if (result == ASK_ANSWERED) answer = checked_answer(answer);
  if (result == ASK_ANSWERED && answer == NULL)
    return hub_refusal(BAD_GATEWAY, NOT_AN_ANSWER);
  return result == ASK_ANSWERED ? good(answer) : no_answer(r->node, result);
}

/* Parses [object] of an operator, and answers it. */
static struct hub_answer control(struct hub *hub, const json_t *object)
{
  struct control_request r;
  char why[256];
  if (!parse_control_request(object, &r, why, sizeof why))
    return hub_refusal(BAD_REQUEST, "%s", why);
  json_t *copy = json_of_control_request(&r);
  if (copy == NULL) return hub_refusal(UNAVAILABLE, "not enough memory");
  struct hub_answer answer = ask(hub, &r, copy);
  json_decref(copy);
  return answer;
}

/* Takes the answer of an agent to an earlier request, if [object] has one.
   Returns false when it has another form. */
static bool take_answer(struct hub *hub, const char *node, const json_t *object)
{
  json_t *answer = json_object_get(object, "answer");
  const char *id = text_member(answer, "id");
  if (answer == NULL) return true;
  answer = id == NULL ? NULL : checked_answer(json_incref(answer));
  if (answer == NULL) return false;
  give_answer(&hub->control, node, id, answer);
  return true;
}

/* Returns the next request for the agent of [node]. */
static struct hub_answer give_request(struct hub *hub, const char *node)
{
  json_t *request = next_request(&hub->control, node);
  return good(request != NULL ? json_pack("{s:o}", "request", request)
                              : json_object());
}

/* Parses the body of a request, an object of JSON, and gives it to the function
   for its route.  Waits for others if all together take too much memory. */
static struct hub_answer answer_object(struct hub *hub,
                                       const struct hub_request *request,
                                       const char *body, size_t length)
{
  const bool reports = request->route == HUB_REPORT;
  const uint64_t memory =
    memory_of_json(body, length)
    + (reports ? memory_of_kept_report(&hub->store, request->node) : 0);
  struct hub_answer answer;
  take_turn(&hub->parsed, memory, UINT64_MAX);
  json_t *object = json_loadb(body, length, JSON_REJECT_DUPLICATES, NULL);
  if (!json_is_object(object))
    answer = hub_refusal(BAD_REQUEST, "expected an object of JSON");
  else if (reports)
    answer = report(hub, request->node, object);
  else if (request->route == HUB_REQUESTS)
    answer = take_answer(hub, request->node, object) ? good(json_object())
             : hub_refusal(BAD_REQUEST, NOT_AN_ANSWER);
  else
    answer = join(hub, object);
  json_decref(object);
  /* The C library would keep the memory for other requests of the thread. */
  if (memory > TRIMMED_BYTES) malloc_trim(0);
  end_turn(&hub->parsed, memory);
  return answer;
}

/* Answers a request of an operator.  Its body is small, and stays in memory
   while the agent is asked: no turn is taken for it. */
static struct hub_answer answer_control(struct hub *hub, const char *body,
                                        size_t length)
{
  json_t *object = json_loadb(body, length, JSON_REJECT_DUPLICATES, NULL);
  struct hub_answer answer =
    json_is_object(object) ? control(hub, object)
    : hub_refusal(BAD_REQUEST, "expected an object of JSON");
  json_decref(object);
  return answer;
}

/* Takes the answer of an agent, and then waits for the next request to it. */
static struct hub_answer answer_poll(struct hub *hub,
                                     const struct hub_request *request,
                                     const char *body, size_t length)
{
  struct hub_answer answer = answer_object(hub, request, body, length);
  if (answer.status != OK) return answer;
  json_decref(answer.json);
  return give_request(hub, request->node);
}

/* Returns the refusal of a part, with the facts that an agent needs to go on. */
static struct hub_answer refuse_part(struct hub *hub,
                                     const struct hub_request *r,
                                     enum append_result result,
                                     uint64_t stored, const char *why)
{
  static const unsigned statuses[] = {
    [PART_GAP] = CONFLICT, [PART_DIFFERS] = CONFLICT,
    [PART_COMPLETE] = CONFLICT, [PART_TOO_LARGE] = TOO_LARGE,
    [PART_FULL] = FULL, [PART_FAILED] = FAILED
  };
  struct hub_answer answer = hub_refusal(statuses[result], "%s", why);
  if (statuses[result] == CONFLICT)
    json_object_set_new(answer.json, "size",
                        json_integer((json_int_t) stored));
  if (result == PART_DIFFERS)
    json_object_set_new(answer.json, "differs", json_true());
  if (result == PART_COMPLETE)
    json_object_set_new(answer.json, "ended", json_true());
  if (result != PART_GAP)
    hub_say(hub, "part %s/%s/%" PRIu32 ": %s", r->node, r->stream, r->number,
            why);
  return answer;
}

static struct hub_answer part(struct hub *hub, const struct hub_request *r,
                              const char *body, size_t length)
{
  char why[256] = "";
  uint64_t stored;
  const struct hub_part part = { r->node, r->stream, r->number };
  enum append_result result =
    append_to_part(&hub->store, &part, r->offset, body, length, r->last,
                   &stored, why, sizeof why);
  if (result != PART_STORED) return refuse_part(hub, r, result, stored, why);
  hub->bytes += length;
  if (r->last) hub->parts++;
  return good(json_pack("{s:I}", "size", (json_int_t) stored));
}

static struct hub_answer recording(struct hub *hub, const struct hub_request *r)
{
  struct hub_answer answer = { .status = OK, .fd = -1 };
  int error = open_stream_recording(&hub->store, r->node, r->stream,
                                    r->since_ns, &answer.left_out, &answer.fd);
  if (error == 0) return answer;
  if (error == ENOENT)
    return hub_refusal(NOT_FOUND, "no recording %s/%s", r->node, r->stream);
  if (error == EBUSY)
    return hub_refusal(UNAVAILABLE, "too many readers wait for recordings");
  return hub_refusal(status_of_errno(error), "cannot make the recording: %s",
                     strerror(error));
}

struct hub_answer answer_hub_request(struct hub *hub,
                                     const struct hub_request *request,
                                     const char *body, size_t length)
{
  /* It may have been forgotten while the body was on the way. */
  if (is_of_agent(request)
      && !is_registered(&hub->store, request->node, request->fingerprint))
    return hub_refusal(FORBIDDEN, NOT_JOINED, request->node);
  switch (request->route) {
  case HUB_PART: return part(hub, request, body, length);
  case HUB_NODES: return good(list_nodes(&hub->store));
  case HUB_PROCESSES: return good(list_processes(&hub->store));
  case HUB_RECORDING: return recording(hub, request);
  case HUB_CONTROL: return answer_control(hub, body, length);
  case HUB_REQUESTS: return answer_poll(hub, request, body, length);
  default: return answer_object(hub, request, body, length);
  }
}
