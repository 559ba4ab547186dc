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
#include "profile_types.h"
#include "query.h"

#define DEFAULT_WIDTH 1000
#define DEFAULT_LIMIT 1000

/* The digits of the id of a process. */
#define ID_DIGITS 16

/* Returns whether the [length] bytes at [text] are [word]. */
static bool is(const char *text, size_t length, const char *word)
{
  return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* Returns the value of the hexadecimal digit [c], in lower case or, if [upper]
   is true, in upper case too; -1 when it is none. */
static int hex(char c, bool upper)
{
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (upper && c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/* Parses the id of a process, exactly ID_DIGITS hexadecimal digits. */
static bool parse_id(const char *text, size_t length, uint64_t *id)
{
  uint64_t value = 0;
  if (length != ID_DIGITS) return false;
  for (size_t i = 0; i < length; i++) {
    int digit = hex(text[i], false);
    if (digit < 0) return false;
    value = value << 4 | (uint64_t) digit;
  }
  *id = value;
  return true;
}

/* Parses a decimal number, digits only, of at most [max]. */
static bool parse_number(const char *text, size_t length, uint64_t max,
                         uint64_t *number)
{
  uint64_t value = 0;
  if (length == 0 || length > 19) return false;
  for (size_t i = 0; i < length; i++) {
    if (text[i] < '0' || text[i] > '9') return false;
    value = 10 * value + (uint64_t) (text[i] - '0');
  }
  *number = value;
  return value <= max;
}

/* Finds that one of [routes] with the path of [length] bytes at [uri], and the
   process that the path names.  Returns false if there is none. */
static bool find_route(const struct route *routes, const char *uri,
                       size_t length, struct query *query)
{
  static const char head[] = PROCESSES_PATH;
  const size_t before = sizeof head - 1 + ID_DIGITS + 1;
  query->has_process = length > before
                       && memcmp(uri, head, sizeof head - 1) == 0
                       && uri[before - 1] == '/'
                       && parse_id(uri + sizeof head - 1, ID_DIGITS,
                                   &query->process);
  const size_t skipped = query->has_process ? before : 0;
  for (query->route = routes; query->route->path != NULL; query->route++)
    if ((query->route->kind == ROUTE_PROCESS) == query->has_process
        && is(uri + skipped, length - skipped, query->route->path))
      return true;
  return false;
}

/* Decodes %HH and + of [text] into [out], which has room for [room] bytes and
   gets a NUL.  Returns false when it is too long or wrong. */
static bool decode(const char *text, size_t length, char *out, size_t room)
{
  size_t used = 0;
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    if (c == '+') c = ' ';
    else if (c == '%') {
      if (length - i < 3) return false;
      int high = hex(text[i + 1], true), low = hex(text[i + 2], true);
      if (high < 0 || low < 0) return false;
      c = (char) (high << 4 | low);
      i += 2;
    }
    if (c == '\0' || used + 1 >= room) return false;
    out[used++] = c;
  }
  out[used] = '\0';
  return true;
}

static bool parse_tier(const char *text, size_t length, enum history_tier *tier)
{
  if (is(text, length, "100ms")) *tier = HISTORY_100MS;
  else if (is(text, length, "1s")) *tier = HISTORY_1S;
  else if (is(text, length, "10s")) *tier = HISTORY_10S;
  else return false;
  return true;
}

/* The parameters, and which values are right. */
#define QUOTE(number) #number
#define AS_TEXT(number) QUOTE(number)
#define UP_TO(max) "a number from 1 to " AS_TEXT(max)
#define FEWER_BYTES "fewer bytes than " AS_TEXT(QUERY_FILTER)
#define FEWER_GROUPS "fewer bytes than " AS_TEXT(QUERY_GROUPS)
#define TIME(name) { name, name ": nanoseconds since the start" }
#define ID(name) { name, name ": the id of a process" }
#define WORDS(name) { name, name ": " FEWER_BYTES }
static const struct { const char *name, *wrong; } parameters[] = {
  [FROM] = TIME("from"),
  [TO] = TIME("to"),
  [WIDTH] = { "width", "width: " UP_TO(QUERY_WIDTH) },
  [LIMIT] = { "limit", "limit: " UP_TO(QUERY_LIMIT) },
  [TIER] = { "tier", "tier: 100ms, 1s or 10s" },
  [FILTER] = WORDS("filter"),
  [PROCESS] = ID("process"),
  [RULE] = { "id", "id: the number of a rule" },
  [A] = ID("a"),
  [B] = ID("b"),
  [A_FROM] = TIME("a_from"),
  [A_TO] = TIME("a_to"),
  [B_FROM] = TIME("b_from"),
  [B_TO] = TIME("b_to"),
  [FIRST] = WORDS("first"),
  [THEN] = WORDS("then"),
  [SCOPE] = { "scope", "scope: thread, domain or process" },
  [TYPE] = { "type", "type: cpu, alloc, live, wall, wait or io" },
  [NUMBER] = { "request", "request: the number of one" },
  [DOMAIN] = WORDS("domain"),
  [THREAD] = WORDS("thread"),
  [SPAN] = WORDS("span"),
  [REQUESTS] = WORDS("requests"),
  [FORMAT] = { "format", "format: perfetto or chrome" },
  [ORDER] = { "order", "order: first or latest" },
  [BATCH] = WORDS("batch"),
  [GROUPS] = { "groups", "groups: " FEWER_GROUPS },
  [OTHER_MACHINES] = { "other_machines", "other_machines: 1" }
};

const char *parameter_name(enum parameter parameter)
{
  return parameters[parameter].name;
}

static bool parse_time(const char *text, size_t length, int64_t *ns)
{
  uint64_t number = 0;
  bool good = parse_number(text, length, INT64_MAX, &number);
  *ns = (int64_t) number;
  return good;
}

static bool parse_type(const char *text, size_t length, enum profile_type *type)
{
  char name[8];
  return decode(text, length, name, sizeof name)
         && parse_profile_type(name, type);
}

static bool parse_format(const char *text, size_t length,
                         const struct trace_format **format)
{
  *format = is(text, length, trace_chrome.name) ? &trace_chrome : &trace_perfetto;
  return is(text, length, (*format)->name);
}

static bool parse_order(const char *text, size_t length, bool *latest)
{
  *latest = is(text, length, "latest");
  return *latest || is(text, length, "first");
}

static bool parse_value(struct query *query, enum parameter parameter,
                        const char *text, size_t length)
{
  uint64_t number = 0;
  bool good;
  switch (parameter) {
  case FROM: case A_FROM: return parse_time(text, length, &query->from_ns);
  case TO: case A_TO: return parse_time(text, length, &query->to_ns);
  case B_FROM: return parse_time(text, length, &query->other_from_ns);
  case B_TO: return parse_time(text, length, &query->other_to_ns);
  case RULE:
    good = parse_number(text, length, UINT32_MAX, &number) && number > 0;
    query->rule = (uint32_t) number;
    return good;
  case NUMBER:
    return parse_number(text, length, UINT64_MAX, &query->number)
           && query->number > 0;
  case WIDTH:
    good = parse_number(text, length, QUERY_WIDTH, &number) && number > 0;
    query->width = (uint32_t) number;
    return good;
  case LIMIT:
    good = parse_number(text, length, QUERY_LIMIT, &number) && number > 0;
    query->limit = (uint32_t) number;
    return good;
  case TIER: return parse_tier(text, length, &query->tier);
  case FILTER: case FIRST:
    return decode(text, length, query->filter, QUERY_FILTER);
  case THEN: return decode(text, length, query->then, QUERY_FILTER);
  case DOMAIN: return decode(text, length, query->domain, QUERY_FILTER);
  case THREAD: return decode(text, length, query->thread, QUERY_FILTER);
  case SPAN: return decode(text, length, query->span, QUERY_FILTER);
  case REQUESTS: return decode(text, length, query->requests, QUERY_FILTER);
  case BATCH: return decode(text, length, query->batch, QUERY_FILTER);
  case GROUPS: return decode(text, length, query->groups, QUERY_GROUPS);
  case OTHER_MACHINES:
    query->other_machines = is(text, length, "1");
    return query->other_machines;
  case SCOPE: return between_scope(text, length, &query->scope);
  case TYPE: return parse_type(text, length, &query->type);
  case FORMAT: return parse_format(text, length, &query->format);
  case ORDER: return parse_order(text, length, &query->latest);
  case B:
    query->has_other = true;
    return parse_id(text, length, &query->other);
  case PROCESS: case A:
    query->has_process = true;
    return parse_id(text, length, &query->process);
  default: return false;
  }
}

const char no_such_parameter[] = "this resource has no such parameter";

/* Parses one parameter, NAME=VALUE.  Returns the reason for which it is refused,
   or NULL. */
static const char *parse_parameter(struct query *query, const char *text,
                                   size_t length)
{
  const char *equals = memchr(text, '=', length);
  if (equals == NULL) return no_such_parameter;
  const size_t name = (size_t) (equals - text);
  for (enum parameter p = 0; p < PARAMETERS; p++) {
    if (!is(text, name, parameters[p].name)) continue;
    if ((query->route->parameters & 1u << p) == 0) return no_such_parameter;
    if ((query->given & 1u << p) != 0) return "a parameter is given twice";
    query->given |= 1u << p;
    return parse_value(query, p, equals + 1, length - name - 1)
           ? NULL : parameters[p].wrong;
  }
  return no_such_parameter;
}

bool query_is_private(const char *uri)
{
  return strncmp(uri, "/api", 4) == 0 || strncmp(uri, "/metrics", 8) == 0;
}

unsigned parse_query(const struct route *routes, const char *uri,
                     struct query *query, const char **why)
{
  const size_t length = strcspn(uri, "?");
  *query = (struct query) {
    .to_ns = INT64_MAX, .width = DEFAULT_WIDTH, .limit = DEFAULT_LIMIT,
    .other_to_ns = INT64_MAX, .format = &trace_perfetto
  };
  *why = "there is no such resource: GET /api lists them";
  if (!find_route(routes, uri, length, query)) return 404;

  const char *at = uri + length;
  if (*at == '?') at++;
  while (*at != '\0') {
    size_t end = strcspn(at, "&");
    *why = parse_parameter(query, at, end);
    if (*why != NULL) return 400;
    at += end;
    if (*at == '&' && *++at == '\0') {
      *why = "nothing follows the last &";
      return 400;
    }
  }
  *why = "'to' is before 'from'";
  if (query->from_ns > query->to_ns
      || query->other_from_ns > query->other_to_ns)
    return 400;
  return 200;
}

unsigned method_of(const char *name)
{
  if (strcmp(name, "GET") == 0 || strcmp(name, "HEAD") == 0) return METHOD_GET;
  return strcmp(name, "POST") == 0 ? METHOD_POST
         : strcmp(name, "DELETE") == 0 ? METHOD_DELETE : 0;
}
