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
#include "causes.h"

/* Advice by the cause of a finding. */
static const struct { enum rule_id rule; const char *causes, *text; }
advices[] = {
#define ADVICE(rule, causes, text) { RULE_##rule, causes, text },
#include "caml/eventring_events.tbl"
};
#define ADVICES (sizeof advices / sizeof *advices)

static const struct { const char *name, *meaning; } causes[] = {
#define CAUSE(id, name, doc) { name, doc },
#include "caml/eventring_events.tbl"
};

/* Returns whether [names], with spaces between, has [name]. */
static bool has_name(const char *names, const char *name)
{
  size_t length = strlen(name);
  while (*names != '\0') {
    size_t next = strcspn(names, " ");
    if (next == length && strncmp(names, name, length) == 0) return true;
    names += next;
    names += strspn(names, " ");
  }
  return false;
}

/* Returns the place in [advices] of the advice of [rule] on the cause called
   [name], or ADVICES. */
static size_t place_of_advice(enum rule_id rule, const char *name)
{
  size_t i = 0;
  while (i < ADVICES && !(advices[i].rule == rule
                          && has_name(advices[i].causes, name)))
    i++;
  return i;
}

const char *advice_on_cause(enum rule_id rule, const char *name)
{
  size_t place = place_of_advice(rule, name);
  return place < ADVICES ? advices[place].text : NULL;
}

const char *cause_meaning(const char *name)
{
  for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
    if (strcmp(causes[i].name, name) == 0) return causes[i].meaning;
  return NULL;
}

bool is_call_of_program(const char *name)
{
  return strncmp(name, "gc_", 3) == 0;
}

const char *call_in_event(const char *event)
{
  static const char prefix[] = "explicit_";
  const size_t length = sizeof prefix - 1;
  return strncmp(event, prefix, length) == 0
         && is_call_of_program(event + length) ? event + length : NULL;
}

/* The collector's time */

/* Causes on which rule collector_time has the same advice. */
struct group {
  uint64_t ns, most_ns;           /* of all of them; of [most] */
  const char *most;               /* the cause with the most time; NULL: not
                                     known */
};

/* All groups; the last one has the causes without an advice of their own.  The time of
   the cause [last], which may be NULL, counts [favour] times. */
struct groups {
  const char *last;
  double favour;
  struct group group[ADVICES + 1];
};

static bool same(const char *a, const char *b)
{
  return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* Adds [ns] with the cause called [name] to its group. */
static void add_time(struct groups *groups, const char *name, uint64_t ns)
{
  struct group *g = &groups->group[place_of_advice(RULE_COLLECTOR_TIME, name)];
  if (same(name, groups->last)) ns = (uint64_t) ((double) ns * groups->favour);
  g->ns += ns;
  if (ns <= g->most_ns) return;
  g->most_ns = ns;
  g->most = name;
}

/* Returns whether events of [s] have causes. */
static bool has_causes(const struct summary *s)
{
  for (uint64_t cause = 0; cause < SUMMARY_CAUSES; cause++)
    if (summary_numbers(s)->collector_ns[cause] > 0) return true;
  return false;
}

/* Returns the name of [cause]; NULL if the collector took no time for it, or it
   has no name. */
static const char *cause_with_time(struct summary *s, uint64_t cause)
{
  const struct summary_numbers *n = summary_numbers(s);
  return n->collector_ns[cause] > 0 ? eventring_value(n->cursor, "cause", cause)
                                    : NULL;
}

static void add_causes(struct summary *s, struct groups *groups)
{
  for (uint64_t cause = 0; cause < SUMMARY_CAUSES; cause++) {
    const char *name = cause_with_time(s, cause);
    if (name != NULL) add_time(groups, name, summary_numbers(s)->collector_ns[cause]);
  }
}

/* Adds the calls of the program, by their events, and collections and slices,
   which may be in them, to the last group, without a name. */
static void add_events(struct summary *s, struct groups *groups)
{
  const struct summary_numbers *n = summary_numbers(s);
  for (uint32_t id = 0; id <= UINT16_MAX; id++) {
    if (n->timings[id] == NULL || summary_is_user(s, (uint16_t) id)) continue;
    const struct eventring_description *event =
      eventring_describe(n->cursor, id);
    const char *call = event != NULL ? call_in_event(event->name) : NULL;
    if (call != NULL) add_time(groups, call, n->timings[id]->total);
  }
  groups->group[ADVICES].ns += n->pauses[PAUSE_MINOR].total
                            + n->pauses[PAUSE_SLICE].total;
}

uint64_t collector_called(struct summary *s, const char *event)
{
  const struct summary_numbers *n = summary_numbers(s);
  const char *call = call_in_event(event);
  for (uint64_t cause = 0; cause < SUMMARY_CAUSES; cause++) {
    const char *name = cause_with_time(s, cause);
    if (name != NULL && call != NULL && strcmp(name, call) == 0)
      return n->asked_ns[cause];
  }
  int id = eventring_find(n->cursor, event);
  return has_causes(s) || id < 0 || n->timings[id] == NULL
    ? 0 : n->timings[id]->total;
}

/* Returns the second cause beside [first], as collector_causes has it. */
static const char *second_cause(struct summary *s, const char *first,
                                const struct collector_causes *last, double favour)
{
  const char *second = NULL;
  double most = 0, first_ns = 0;
  for (uint64_t cause = 0; cause < SUMMARY_CAUSES; cause++) {
    const char *name = cause_with_time(s, cause);
    if (name == NULL) continue;
    double ns = (double) summary_numbers(s)->collector_ns[cause];
    if (same(name, first)) {
      first_ns = ns;
      continue;
    }
    if (same(name, last->first) || same(name, last->second)) ns *= favour;
    if (ns <= most) continue;
    most = ns;
    second = name;
  }
  return most * favour >= first_ns ? second : NULL;
}

/* Returns the first cause, as collector_causes has it. */
static const char *first_cause(struct summary *s, const char *last, double favour)
{
  struct groups groups = { .last = last, .favour = favour };
  const struct group *most = &groups.group[ADVICES];
  if (has_causes(s))
    add_causes(s, &groups);
  else
    add_events(s, &groups);
  for (size_t i = 0; i < ADVICES; i++)
    if (groups.group[i].ns > most->ns) most = &groups.group[i];
  return most->most;
}

struct collector_causes collector_causes(struct summary *s,
                                         const struct collector_causes *last,
                                         double favour)
{
  struct collector_causes found = { .first = first_cause(s, last->first, favour) };
  if (found.first != NULL && has_causes(s))
    found.second = second_cause(s, found.first, last, favour);
  return found;
}
