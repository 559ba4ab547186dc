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

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include "actions.h"
#include "json.h"
#include "live_json.h"
#include "live_stats.h"
#include "locks.h"
#include "query.h"
#include "rules.h"
#include "rules_file.h"
#include "target.h"

/* A rule and its past. */
struct entry {
  struct rule rule;
  uint64_t fired, saved;
  int64_t last_unix_ns;           /* 0: never */
  char result[512];               /* of the last firing */
  char told[256];                 /* the result of the last message to the webhook */
};

/* When a rule fired last for a process. */
struct firing { uint32_t rule; uint64_t process; int64_t ns; };

#define FIRINGS 256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry entries[RULES] GUARDED_BY(lock);
static int count GUARDED_BY(lock);
static uint32_t last_id GUARDED_BY(lock);
static struct firing firings[FIRINGS] GUARDED_BY(lock);
static atomic_uint_least64_t version;
static const char *store;         /* that has the rules; NULL: none */
static char not_ours[512];        /* why they are not kept there; "": they are */

/* Requests */

/* The numbers of a rule: the member of a request, its limits and default. */
enum number { BEFORE, AFTER, DISTANCE, FILES, BYTES, AGE, NUMBERS };
static const struct { const char *name; double least, most, usual; bool whole; }
  numbers[NUMBERS] = {
  [BEFORE] = { "before_s", 0, 60, 5, false },
  [AFTER] = { "after_s", 0, 60, 1, false },
  [DISTANCE] = { "distance_s", 1, 86400, 10, false },
  [FILES] = { "max_files", 1, STORE_FILES, 10, true },
  [BYTES] = { "max_bytes", 4096, (double) STORE_BYTES, 1 << 30, true },
  [AGE] = { "max_age_s", 1, 10 * 365 * 86400.0, 7 * 86400, false }
};

/* Sets *value to number [n] of [request].  Returns false, with the reason in
   [why], when it is wrong. */
static bool take_number(const json_t *request, enum number n, double *value,
                        char *why, size_t why_size)
{
  const json_t *member = json_object_get(request, numbers[n].name);
  *value = member == NULL ? numbers[n].usual : json_number_value(member);
  if (member == NULL
      || ((numbers[n].whole ? json_is_integer(member) : json_is_number(member))
          && *value >= numbers[n].least && *value <= numbers[n].most))
    return true;
  snprintf(why, why_size, "%s: a%s number from %.0f to %.0f", numbers[n].name,
           numbers[n].whole ? " whole" : "", numbers[n].least,
           numbers[n].most);
  return false;
}

/* Copies the text [name] of [request] to [to]; "" if there is none. */
static bool take_text(const json_t *request, const char *name, char *to,
                      size_t size, char *why, size_t why_size)
{
  const json_t *member = json_object_get(request, name);
  const char *text = json_string_value(member);
  to[0] = '\0';
  if (member == NULL || json_is_null(member)) return true;
  if (text == NULL || strlen(text) >= size) {
    snprintf(why, why_size, "%s: a text of at most %zu bytes", name, size - 1);
    return false;
  }
  strcpy(to, text);
  return true;
}

/* Writes the name of [rule], of which its recordings tell. */
static void name_rule(struct rule *rule)
{
  snprintf(rule->text, sizeof rule->text, "%s%s%s%s", rule->when,
           rule->process[0] != '\0' ? " in " : "", rule->process,
           rule->fleet ? " on any node" : "");
}

/* Returns whether the name of [rule] ends with a lone ">": there is one too many. */
static bool has_lone_greater(const struct rule *rule)
{
  const size_t length = strlen(rule->trigger.name);
  return length >= 2 && strcmp(rule->trigger.name + length - 2, " >") == 0;
}

/* Adds the unit to the time of [rule] if it has none: a number alone is in seconds,
   and 0 needs no unit.  A rule of the file keeps the name that its recordings have. */
static void add_unit(struct rule *rule)
{
  const size_t length = strlen(rule->when);
  if (rule->trigger.longer_than <= 0 || length + 1 >= RULE_WHEN
      || isalpha((unsigned char) rule->when[length - 1]))
    return;
  strcpy(rule->when + length, "s");
  name_rule(rule);
}

/* Parses [request] into [rule].  Returns false, with the reason in [why], when
   it is wrong. */
static bool parse_rule(const json_t *request, struct rule *rule, char *why,
                       size_t why_size)
{
  double values[NUMBERS];
  char reason[256];
  if (!take_text(request, "when", rule->when, RULE_WHEN, why, why_size)
      || !take_text(request, "process", rule->process, RULE_PROCESS, why,
                    why_size))
    return false;
  if (!take_text(request, "webhook", rule->webhook, WEBHOOK_URL, why, why_size))
    return false;
  if (rule->webhook[0] != '\0' && !is_webhook_url(rule->webhook)) {
    snprintf(why, why_size, "webhook: an address that begins with http:// or https://");
    return false;
  }
  const json_t *fleet = json_object_get(request, "fleet");
  rule->fleet = json_is_true(fleet);
  if (fleet != NULL && !json_is_boolean(fleet)) {
    snprintf(why, why_size, "fleet: true or false");
    return false;
  }
  if (!parse_trigger(&rule->trigger, rule->when, reason, sizeof reason)) {
    snprintf(why, why_size, "when: %s", reason);
    return false;
  }
  for (enum number n = 0; n < NUMBERS; n++)
    if (!take_number(request, n, &values[n], why, why_size)) return false;
  rule->before_ns = (int64_t) (values[BEFORE] * SECOND_NS);
  rule->after_ns = (int64_t) (values[AFTER] * SECOND_NS);
  rule->distance_ns = (int64_t) (values[DISTANCE] * SECOND_NS);
  rule->limits.files = (int64_t) values[FILES];
  rule->limits.bytes = (int64_t) values[BYTES];
  rule->limits.age_ns = (int64_t) (values[AGE] * SECOND_NS);
  name_rule(rule);
  return true;
}

/* Answers */

/* Returns [r] as a request has it. */
static json_t *definition(const struct rule *r)
{
  return json_pack(
    "{s:o, s:o, s:b, s:f, s:f, s:f, s:I, s:I, s:f, s:o}", "when", json_text(r->when),
    "process", r->process[0] != '\0' ? json_text(r->process) : json_null(),
    "fleet", r->fleet, "before_s", (double) r->before_ns / SECOND_NS,
    "after_s", (double) r->after_ns / SECOND_NS,
    "distance_s", (double) r->distance_ns / SECOND_NS,
    "max_files", (json_int_t) r->limits.files,
    "max_bytes", (json_int_t) r->limits.bytes,
    "max_age_s", (double) r->limits.age_ns / SECOND_NS,
    "webhook", r->webhook[0] != '\0' ? json_text(r->webhook) : json_null());
}

static json_t *rule_json(const struct entry *e)
{
  json_t *object = definition(&e->rule);
  json_t *past = json_pack(
    "{s:i, s:o, s:I, s:I, s:o, s:o, s:o}", "id", (int) e->rule.id, "seen",
    strcmp(e->rule.trigger.name, "lost") == 0 ? json_null() : json_boolean(e->rule.seen),
    "fired", (json_int_t) e->fired, "saved", (json_int_t) e->saved, "last_unix_ns",
    e->last_unix_ns != 0 ? json_integer(e->last_unix_ns) : json_null(),
    "last_result", e->result[0] != '\0' ? json_text(e->result) : json_null(),
    "webhook_result", e->told[0] != '\0' ? json_text(e->told) : json_null());
  json_object_update(object, past);
  json_decref(past);
  return object;
}

json_t *json_rules(void)
{
  json_t *list = json_array();
  pthread_mutex_lock(&lock);
  for (int i = 0; i < count; i++)
    json_array_append_new(list, rule_json(&entries[i]));
  pthread_mutex_unlock(&lock);
  return json_pack("{s:o}", "rules", list);
}

/* Returns whether the rules are those of the store. */
static bool are_kept(void)
{
  return store != NULL && not_ours[0] == '\0';
}

/* Writes all rules to the file of the store. */
REQUIRES(lock)
static bool keep_rules(char *why, size_t why_size)
{
  if (!are_kept()) {
    snprintf(why, why_size, "%s", store == NULL ? "there is no store" : not_ours);
    return false;
  }
  json_t *list = json_array();
  for (int i = 0; i < count; i++)
    json_array_append_new(list, definition(&entries[i].rule));
  bool kept = write_rules_file(store, list, why, why_size);
  json_decref(list);
  return kept;
}

/* Adds [rule], and to the file too if [keep].  Returns it as JSON, with the reason if it
   is not kept there, or NULL when there are too many rules or an equal one, with the
   reason in [why]. */
static json_t *insert_rule(const struct rule *rule, bool keep, char *why,
                           size_t why_size)
{
  json_t *json = NULL;
  bool twice = false;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < count; i++)
    twice |= strcmp(entries[i].rule.text, rule->text) == 0;
  if (twice)
    snprintf(why, why_size, "there is a rule '%s' already", rule->text);
  else if (count == RULES)
    snprintf(why, why_size, "there are %d rules already", RULES);
  else {
    struct entry *e = &entries[count++];
    *e = (struct entry) { .rule = *rule };
    e->rule.id = ++last_id;
    version++;
    json = rule_json(e);
    if (keep && !keep_rules(why, why_size))
      json_object_set_new(json, "not_kept", json_text(why));
  }
  pthread_mutex_unlock(&lock);
  return json;
}

/* Adds rule number [i] of the file. */
static bool load_rule(const json_t *request, size_t i, char *why, size_t why_size)
{
  struct rule rule = { .id = 0 };
  char reason[400];
  json_t *json = NULL;
  /* Without the hub it rests. */
  bool good = parse_rule(request, &rule, reason, sizeof reason);
  if (good) json = insert_rule(&rule, false, reason, sizeof reason);
  json_decref(json);
  if (json != NULL) return true;
  snprintf(why, why_size, "%s/rules.json: rule %zu: %s", store, i + 1, reason);
  return false;
}

bool start_rules(const struct settings *settings, char *why, size_t why_size)
{
  json_t *list;
  if (settings->store == NULL || settings->read_only) return true;
  store = settings->store;
  bool good = take_rules_file(store, &list, why, why_size);
  for (size_t i = 0; good && i < json_array_size(list); i++)
    good = load_rule(json_array_get(list, i), i, why, why_size);
  json_decref(list);
  if (!good) {
    snprintf(not_ours, sizeof not_ours, "%s", why);
    give_rules_file_back();
    pthread_mutex_lock(&lock);
    count = 0;
    pthread_mutex_unlock(&lock);
  }
  return good;
}

struct answer add_rule(const struct asked *asked)
{
  const struct settings *settings = asked->settings;
  struct rule rule = { .id = 0 };
  char why[512], action[512];
  if (settings->store == NULL)
    return refusal(409, "there is no store: set EVENTRING_STORE");
  if (!parse_rule(asked->body, &rule, why, sizeof why))
    return refusal(400, "%s", why);
  if (has_lone_greater(&rule))
    return refusal(400, "when: '%s' has one '>' too many", rule.when);
  add_unit(&rule);
  if (rule.fleet && settings->hub == NULL)
    return refusal(409, "fleet: the server shows no hub: start it with --hub");
  json_t *json = insert_rule(&rule, true, why, sizeof why);
  snprintf(action, sizeof action, "add rule %s", rule.text);
  add_action(asked->origin, 0, action, json != NULL ? "ok" : why);
  if (json == NULL) return refusal(409, "%s", why);
  return (struct answer) { .status = 200,
                           .json = json_pack("{s:o}", "rule", json) };
}

struct answer delete_rule(const struct asked *asked)
{
  const uint32_t id = asked->query->rule;
  char action[512] = "", why[512] = "";
  if (id == 0) return refusal(400, "missing id of a rule");
  pthread_mutex_lock(&lock);
  for (int i = 0; i < count; i++)
    if (entries[i].rule.id == id) {
      snprintf(action, sizeof action, "delete rule %s", entries[i].rule.text);
      memmove(&entries[i], &entries[i + 1],
              (size_t) (--count - i) * sizeof *entries);
      version++;
      if (are_kept()) keep_rules(why, sizeof why);
      break;
    }
  pthread_mutex_unlock(&lock);
  if (action[0] == '\0') return refusal(404, "there is no rule %u", id);
  add_action(asked->origin, 0, action, why[0] == '\0' ? "ok" : why);
  return (struct answer) {
    .status = 200, .json = why[0] == '\0' ? json_object()
                           : json_pack("{s:o}", "not_kept", json_text(why))
  };
}

/* Guards */

uint64_t rules_version(void)
{
  return version;
}

static bool is_for(const struct rule *rule, const char *program)
{
  const char *base = strrchr(program, '/');
  base = base != NULL ? base + 1 : program;
  return rule->process[0] == '\0' || fnmatch(rule->process, program, 0) == 0
         || fnmatch(rule->process, base, 0) == 0;
}

int rules_for(const char *program, bool fleet, struct rule rules[RULES])
{
  int found = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < count; i++)
    if (entries[i].rule.fleet == fleet
        && (program == NULL || is_for(&entries[i].rule, program)))
      rules[found++] = entries[i].rule;
  pthread_mutex_unlock(&lock);
  return found;
}

/* Returns the last time at which the rule [rule] fired for [process] or, if it is
   not known, the oldest of all, to be overwritten. */
REQUIRES(lock)
static struct firing *last_firing(uint32_t rule, uint64_t process)
{
  struct firing *f = &firings[0];
  for (int i = 0; i < FIRINGS; i++) {
    struct firing *other = &firings[i];
    if (other->rule == rule && other->process == process) return other;
    if (other->ns < f->ns) f = other;
  }
  return f;
}

/* Returns whether [rule] may fire now for process [process], and takes notice that it
   does; false when it did so shortly before. */
static bool rule_may_fire(const struct rule *rule, uint64_t process)
{
  const int64_t now = monotonic_ns();
  pthread_mutex_lock(&lock);
  struct firing *f = last_firing(rule->id, process);
  bool may = f->rule != rule->id || f->process != process
             || now - f->ns >= rule->distance_ns;
  if (may) *f = (struct firing) { rule->id, process, now };
  pthread_mutex_unlock(&lock);
  return may;
}

/* Notes that there are events of the name of the rule [id]. */
static void note_seen(uint32_t id)
{
  pthread_mutex_lock(&lock);
  for (int i = 0; i < count; i++)
    if (entries[i].rule.id == id) entries[i].rule.seen = true;
  pthread_mutex_unlock(&lock);
}

const struct rule *fired_rule(struct rule *rules, int number,
                              const struct happening *happening, uint64_t process)
{
  for (struct rule *r = rules; r < rules + number; r++) {
    if (!r->seen && trigger_names(&r->trigger, happening)) {
      r->seen = true;
      note_seen(r->id);
    }
    if (trigger_fires(&r->trigger, happening) && rule_may_fire(r, process)) return r;
  }
  return NULL;
}

/* The function of send_webhook: notes the result of a message of the rule [id]. */
static void note_told(uint32_t id, const char *result)
{
  pthread_mutex_lock(&lock);
  for (int i = 0; i < count; i++)
    if (entries[i].rule.id == id)
      snprintf(entries[i].told, sizeof entries[i].told, "%s", result);
  pthread_mutex_unlock(&lock);
}

void rule_has_fired(const struct rule *rule, uint64_t process, int32_t pid,
                    json_t *fired, bool saved, const char *result)
{
  char action[SAVED_RULE + 32];
  pthread_mutex_lock(&lock);
  for (int i = 0; i < count; i++) {
    struct entry *e = &entries[i];
    if (e->rule.id != rule->id) continue;
    e->fired++;
    e->saved += saved;
    e->last_unix_ns = realtime_ns();
    snprintf(e->result, sizeof e->result, "%s", result);
  }
  pthread_mutex_unlock(&lock);
  if (rule->webhook[0] == '\0') {
    json_decref(fired);
    return;
  }
  json_t *body = json_pack(
    "{s:o, s:o, s:o, s:o, s:o, s:o, s:I}", "rule", json_text(rule->text),
    "process", process != 0 ? json_id(process) : json_null(),
    "pid", pid != 0 ? json_integer(pid) : json_null(),
    "fired", fired,
    "saved", saved ? json_text(result) : json_null(),
    "error", saved ? json_null() : json_text(result),
    "unix_ns", (json_int_t) realtime_ns());
  snprintf(action, sizeof action, "webhook of rule %s", rule->text);
  send_webhook(rule->webhook, body, action, process, rule->id, note_told);
}
