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


/* The numbers of the rules are LIMIT lines of the table of events; each rule is
   a function here.

   Shares are of the active time of all domains: a server that waits most of the
   time does not use less of its processor time for the collector than a program
   that runs all the time.  Stops that delay one domain, or all of them for the
   same time, are compared with the active time of the busiest domain.  A thread
   that waits for another is not active, so its wait is compared with the sum of
   such waits and of active time.  When waits are not recorded, all time counts
   as active, and the names of facts say so.

   Importance.  Findings compare by the share that they concern, less if they
   are not certain; memory counts half as much as time, and a function with many
   samples, which is no fault by itself, a quarter.  A large share of the active time
   of a program that is hardly active is little time: it counts in proportion to the
   active time below LIMIT_ACTIVE. */

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "category.h"
#include "causes.h"
#include "diagnosis.h"
#include "measures.h"
#include "memory.h"
#include "profile.h"
#include "target.h"

/* The limits in the unit of the table, and whether its advice has room. */
#define LIMIT(id, rule, number, unit, event, meaning) \
  static const double LIMIT_##id = number;
#define RULE(id, name, event, category, title, advice) \
  _Static_assert(sizeof advice <= ADVICE_SIZE, "ADVICE_SIZE");
#define ADVICE(rule, causes, text) \
  _Static_assert(sizeof text <= ADVICE_SIZE, "ADVICE_SIZE");
#define ADVICE_WITHOUT_HEAP(rule, text) \
  static const char rule##_WITHOUT_HEAP[] = text;
#include "caml/eventring_events.tbl"

const char *const certainty_name[CERTAIN + 1] = {
  [POSSIBLE] = "possible", [LIKELY] = "likely", [CERTAIN] = "certain"
};

const char *const level_name[LEVEL_UNKNOWN + 1] = {
  [LEVEL_GOOD] = "good", [LEVEL_WARNING] = "warning", [LEVEL_BAD] = "bad",
  [LEVEL_UNKNOWN] = "unknown"
};

const char *const fact_unit_name[FACT_TEXT + 1] = {
  [FACT_NS] = "ns", [FACT_BYTES] = "bytes", [FACT_COUNT] = "count",
  [FACT_SHARE] = "share", [FACT_TEXT] = "text"
};

/* Room for the size of a minor heap as a text. */
#define HEAP_SIZE 16

/* Returns whether [value], in the unit of limit [id], is at least the limit, and notes
   it as the measured value. */
#define reaches(d, id, value) limit_reached(d, LIMIT_ID_##id, LIMIT_##id, value)

struct diagnosis {
  struct eventring_cursor *cursor;
  struct summary *summary;
  struct measures *measures;
  struct filter *filter;
  struct profile *profile;
  uint32_t processors;
  struct finding findings[RULES];
  struct not_judged not_judged[RULES];
  uint32_t finding_count, not_judged_count;
  double measured[LIMITS];        /* NAN: not measured */

  /* Set by diagnosis_finish. */
  struct summary_tally total;
  struct summary_time time;
  double active_ns;               /* of all domains; at least 1 */
  double busiest_ns;              /* the most active time of a domain; at
                                     least 1 */
  double passed_ns;               /* of the domain watched longest; at least
                                     1 */
  double shortest_ns;             /* of the domains of which earlier events are
                                     overwritten; INFINITY: none */
  struct headline last;           /* of the diagnosis before */
  bool late_explained;            /* by too many domains */
  struct collector_causes causes; /* of the finding collector_time; NULL: none... */
  char proposed_heap[HEAP_SIZE];  /* ...and the minor heap that it proposes; "": none */
};

/* Results */

static bool limit_reached(struct diagnosis *d, enum limit_id id, double limit,
                          double value)
{
  d->measured[id] = value;
  return value >= limit;
}

/* Sets the advice of [f].  [heap] is the size of a minor heap, which takes the place
   of WORDS in [advice]; NULL when none is proposed. */
static void advise(struct finding *f, const char *advice, const char *heap)
{
  static const char place[] = "WORDS";
  const char *at = heap != NULL ? strstr(advice, place) : NULL;
  if (at == NULL)
    snprintf(f->advice, sizeof f->advice, "%s", advice);
  else
    snprintf(f->advice, sizeof f->advice, "%.*s%s%s", (int) (at - advice), advice,
             heap, at + sizeof place - 1);
}

static struct finding *find(struct diagnosis *d, enum rule_id rule,
                            enum certainty certainty, double weight)
{
  struct finding *f = &d->findings[d->finding_count++];
  f->rule = rule;
  f->certainty = certainty;
  advise(f, rules[rule].advice, NULL);
  f->weight = weight > 1 ? 1 : weight;
  return f;
}

/* Adds a fact to [f]; a further one than FACTS is left out. */
__attribute__((format(printf, 4, 5)))
static void add(struct finding *f, enum fact_unit unit, double value,
                const char *name, ...)
{
  if (f->fact_count == FACTS) return;
  struct fact *fact = &f->facts[f->fact_count++];
  fact->unit = unit;
  fact->value = value;
  va_list arguments;
  va_start(arguments, name);
  vsnprintf(fact->name, sizeof fact->name, name, arguments);
  va_end(arguments);
}

static void add_text(struct finding *f, const char *name, const char *text)
{
  if (f->fact_count == FACTS) return;
  add(f, FACT_TEXT, 0, "%s", name);
  struct fact *fact = &f->facts[f->fact_count - 1];
  snprintf(fact->text, sizeof fact->text, "%s", text);
}

__attribute__((format(printf, 3, 4)))
static struct not_judged *leave(struct diagnosis *d, enum rule_id rule,
                                const char *why, ...)
{
  struct not_judged *n = &d->not_judged[d->not_judged_count++];
  n->rule = rule;
  va_list arguments;
  va_start(arguments, why);
  vsnprintf(n->why, sizeof n->why, why, arguments);
  va_end(arguments);
  return n;
}

/* Numbers */

static double percent(double limit) { return limit / 100; }
static double of_active(const struct diagnosis *d, double ns)
{
  return ns / d->active_ns;
}
static double of_busiest(const struct diagnosis *d, double ns)
{
  return ns / d->busiest_ns;
}

/* Return the divisor of the functions above, for the name of a fact. */
static const char *all_active(const struct diagnosis *d)
{
  return d->time.known ? "active time" : "all domains' time";
}
static const char *busiest(const struct diagnosis *d)
{
  return d->time.known ? "the busiest domain's active time"
                       : "the time that passed";
}

static double megabytes(double limit) { return limit * 1024 * 1024; }

/* Returns the durations of the events called [name]; NULL when there are
   none. */
static const struct histogram *timing(const struct diagnosis *d,
                                      const char *name)
{
  int id = eventring_find(d->cursor, name);
  return id < 0 ? NULL : summary_numbers(d->summary)->timings[id];
}

/* Returns the number of activities of kind [caused] with the cause called
   [name], and adds their time to *ns. */
static uint64_t with_cause(const struct diagnosis *d, enum caused caused,
                           const char *name, double *ns)
{
  const struct summary_numbers *n = summary_numbers(d->summary);
  char number[24];
  for (uint64_t cause = 0; cause < SUMMARY_CAUSES; cause++)
    if (n->causes[caused][cause] > 0
        && strcmp(summary_cause_name(d->summary, "cause", cause, number),
                  name) == 0) {
      *ns += (double) n->cause_ns[caused][cause];
      return n->causes[caused][cause];
    }
  return 0;
}

/* Returns whether events of the category called [name] are recorded now or were
   seen. */
static bool is_recorded(const struct diagnosis *d, const char *name)
{
  uint32_t bit = 0;
  const char *category;
  for (; bit < 32; bit++) {
    category = eventring_category(d->cursor, bit);
    if (category != NULL && strcmp(category, name) == 0) break;
  }
  if (bit == 32) return false;
  if ((recorded_categories(d->cursor) >> bit & 1) != 0) return true;
  for (uint32_t id = 0; id <= UINT16_MAX; id++) {
    const struct eventring_description *e =
      summary_numbers(d->summary)->counts[id] > 0
        ? eventring_describe(d->cursor, id) : NULL;
    if (e != NULL && e->category == bit) return true;
  }
  return false;
}

/* Returns whether [rule] has the data that it needs; if not, says why not. */
static bool can_judge(struct diagnosis *d, enum rule_id rule)
{
  const char *category = rules[rule].category;
  if (category[0] != '\0' && !is_recorded(d, category)) {
    leave(d, rule, "category %s is not recorded", category)->category = category;
    return false;
  }
  if (d->passed_ns < LIMIT_SHORTEST * 1e6) {
    leave(d, rule, "less than %.0f ms were recorded", LIMIT_SHORTEST);
    return false;
  }
  return true;
}

/* Returns the same of a rule that compares with [whole_ns], some of which is
   active time. */
static bool can_judge_part(struct diagnosis *d, enum rule_id rule,
                           double whole_ns)
{
  if (!can_judge(d, rule)) return false;
  if (whole_ns < LIMIT_SHORTEST * 1e6) {
    leave(d, rule, "the program was active for less than %.0f ms",
          LIMIT_SHORTEST);
    return false;
  }
  return true;
}
static bool can_judge_shares(struct diagnosis *d, enum rule_id rule)
{
  return can_judge_part(d, rule, d->active_ns);
}

/* Adds the cause called [name] to [f] as two facts, and replaces the advice of
   [f] if the rule has an advice for this cause. */
static void add_cause(struct finding *f, const char *name)
{
  const char *advice = advice_on_cause(f->rule, name),
    *meaning = cause_meaning(name);
  const bool call = is_call_of_program(name);
  char text[sizeof f->facts[0].text];
  if (advice != NULL) advise(f, advice, NULL);
  add_text(f, "cause", name);
  if (meaning == NULL) return;
  snprintf(text, sizeof text, "%s%s", meaning,
           call ? ", called by the program" : "");
  add_text(f, "which means", text);
}

/* Adds the cause called [name], which comes after another, to [f]. */
static void add_second_cause(struct finding *f, const char *name)
{
  const char *meaning = cause_meaning(name);
  char text[sizeof f->facts[0].text];
  snprintf(text, sizeof text, "%s%s%s", name, meaning != NULL ? ": " : "",
           meaning != NULL ? meaning : "");
  add_text(f, "cause of about as much time", text);
}

/* Minor collections */

/* Returns the share of the time in minor collections that the phase called
   [name] took; 0 without category gc_detail. */
static double part_of_minor(const struct diagnosis *d, const char *name)
{
  const struct histogram *phase = timing(d, name);
  double minor = (double) summary_numbers(d->summary)->pauses[PAUSE_MINOR].total;
  return phase != NULL && minor > 0 ? (double) phase->total / minor : 0;
}

static double remembered_part(const struct diagnosis *d)
{
  return part_of_minor(d, "minor_remembered_set");
}

static double by_old_part(const struct diagnosis *d)
{
  return part_of_minor(d, "minor_remembered_set_promote");
}

/* Returns the share of the promoted words that have stayed alive, as the growth
   of the heap between the first and the last major cycle tells; -1 when it is
   not known. */
static double stayed(const struct diagnosis *d)
{
  const struct measures *m = d->measures;
  struct heap_point first = { 0 };
  if (m->heap_count == 0 || (m->heap_count < 2 && !m->from_start)) return -1;
  if (!m->from_start) first = m->heap[0];
  const struct heap_point *last = &m->heap[m->heap_count - 1];
  double promoted = (double) last->promoted_bytes
                  - (double) first.promoted_bytes,
    grown = (double) last->live_bytes - (double) first.live_bytes;
  if (promoted <= 0) return -1;
  return grown <= 0 ? 0 : grown / promoted;
}

/* Returns the promoted share of the words allocated in minor heaps. */
static double promoted_share(const struct diagnosis *d)
{
  return d->total.allocated_words == 0 ? 0
    : (double) d->total.promoted_words / (double) d->total.allocated_words;
}

/* Returns the size of a minor heap, in words, that would help, when [promoted]
   is the promoted share of the words allocated: four times the present one or,
   if the share is large, twice the time that the promoted values live.  In
   words allocated meanwhile, that time is the live heap divided by the share,
   if all of the heap comes and goes.  Rounds up to a power of two, from 1 M
   words on. */
static double proposed_words(const struct diagnosis *d, double promoted)
{
  double words = (double) d->measures->largest_minor_words * 4,
    proposed = 1024 * 1024;
  if (promoted >= percent(LIMIT_MINOR_PROMOTED))
    for (uint32_t i = 0; i < d->measures->heap_count; i++) {
      double live = (double) d->measures->heap[i].live_bytes / 8;
      if (2 * live / promoted > words) words = 2 * live / promoted;
    }
  while (proposed < words) proposed *= 2;
  return proposed;
}

/* Adds the proposal of a minor heap of [words] to [f] and to its advice, and writes
   it to [heap] as OCAMLRUNPARAM takes it. */
static void propose(struct finding *f, double words, char heap[HEAP_SIZE])
{
  add(f, FACT_COUNT, words, "words of a minor heap to try");
  snprintf(heap, HEAP_SIZE, "%uM", (unsigned) (words / 1024 / 1024));
  advise(f, rules[f->rule].advice, heap);
}

static void judge_minor_heap(struct diagnosis *d)
{
  const struct summary_numbers *n = summary_numbers(d->summary);
  if (!can_judge_shares(d, RULE_MINOR_HEAP_SMALL)) return;
  const struct histogram *minor = &n->pauses[PAUSE_MINOR];
  double share = of_active(d, (double) minor->total), ns = 0;
  if (!reaches(d, MINOR_TIME, 100 * share)) return;
  /* Collections at the end of a major cycle follow from promotion. */
  uint64_t full = with_cause(d, CAUSED_MINOR, "minor_heap_full", &ns),
    cycles = with_cause(d, CAUSED_MINOR, "cycle_done", &ns);
  if (2 * full + cycles < d->total.minor_collections) return;
  double promoted = promoted_share(d);
  double alive = stayed(d);
  bool many = promoted >= percent(LIMIT_MINOR_PROMOTED);
  if (many && alive < 0) {
    leave(d, RULE_MINOR_HEAP_SMALL, "no two major cycles have ended");
    return;
  }
  /* A value that an old value holds, alive or not, is promoted from a minor
     heap of any size. */
  if (many && !is_recorded(d, "gc_detail")) {
    leave(d, RULE_MINOR_HEAP_SMALL, "%.0f %% of the words are promoted, and "
          "category gc_detail is not recorded", promoted * 100)->category =
      "gc_detail";
    return;
  }
  if (remembered_part(d) >= percent(LIMIT_REMEMBERED_PART)) return;
  double proposed = proposed_words(d, promoted);
  if ((many && alive > percent(LIMIT_MINOR_STAYED))
      || proposed > LIMIT_MINOR_HEAP_LARGE * 1024 * 1024)
    return;
  /* With few promoted words, domains wait for each other in collections, more
     on a machine with other work. */
  bool waiting = !many && n->domain_count > 1;
  char heap[HEAP_SIZE];
  struct finding *f = find(d, RULE_MINOR_HEAP_SMALL,
                           waiting ? POSSIBLE : LIKELY, share);
  add(f, FACT_SHARE, share, "time in minor collections, of %s",
      all_active(d));
  add(f, FACT_COUNT, (double) d->total.minor_collections, "minor collections");
  add(f, FACT_NS, (double) minor->total / (double) minor->count,
      "mean time of a domain in one");
  add(f, FACT_COUNT, (double) d->measures->largest_minor_words,
      "most words allocated before one");
  add(f, FACT_SHARE, promoted, "promoted, of the words allocated");
  if (many) add(f, FACT_SHARE, alive, "of these, still alive in the end");
  propose(f, proposed, heap);
}

/* The collector as a whole */

/* Adds the parts of [rest] to [f]: the time of [all] in the collector without minor
   collections and slices, which may overlap a little. */
static void add_rest(struct diagnosis *d, struct finding *f, double rest, double all)
{
  if (rest <= 0) return;
  const double arrivals = (double) d->measures->arrival_ns < rest
                          ? (double) d->measures->arrival_ns : rest;
  if (arrivals > 0)
    add(f, FACT_SHARE, arrivals / all, "waits for the last domain to arrive at a stop");
  add(f, FACT_SHARE, (rest - arrivals) / all, summary_numbers(d->summary)->domain_count > 1
      ? "the rest of it: in stops, waits for other domains or a processor, other work"
      : "the rest of it: other work in stops");
}

static void judge_collector(struct diagnosis *d)
{
  const struct summary_numbers *n = summary_numbers(d->summary);
  if (!can_judge_shares(d, RULE_COLLECTOR_TIME)) return;
  double share = active_gc_share(&d->time),
    all = (double) d->time.collecting_ns,
    minor = (double) n->pauses[PAUSE_MINOR].total,
    slices = (double) n->pauses[PAUSE_SLICE].total;
  if (!reaches(d, COLLECTOR_TIME, 100 * share)) return;
  const struct collector_causes last = { d->last.cause, d->last.second_cause };
  d->causes = collector_causes(d->summary, &last, LIMIT_FAVOUR);
  const char *cause = d->causes.first;
  struct finding *f = find(d, RULE_COLLECTOR_TIME, CERTAIN, share);
  add(f, FACT_SHARE, share, "time in the collector, of %s", all_active(d));
  if (d->time.known)
    add(f, FACT_SHARE, (double) active_ns(&d->time)
                       / (double) d->time.watched_ns,
        "active, of all domains' time");
  else
    add_text(f, "active time", "not known, since waits were not recorded");
  add(f, FACT_SHARE, minor / all, "minor collections, of the time in the collector");
  add(f, FACT_SHARE, slices / all,
      "slices of major collections, of the time in the collector");
  add_rest(d, f, all - minor - slices, all);
  add(f, FACT_SHARE, promoted_share(d), "promoted, of the words allocated");
  if (cause != NULL) add_cause(f, cause);
  if (d->causes.second != NULL) add_second_cause(f, d->causes.second);
  double words = proposed_words(d, promoted_share(d));
  if (cause != NULL && advice_on_cause(f->rule, cause) != NULL) return;
  if (words <= LIMIT_MINOR_HEAP_LARGE * 1024 * 1024)
    propose(f, words, d->proposed_heap);
  else
    advise(f, COLLECTOR_TIME_WITHOUT_HEAP, NULL);
}

/* Returns the name of the cause of a pause for the event [event], which gives the
   cause [cause]; NULL when it is not known. */
static const char *cause_of_pause(struct diagnosis *d, uint64_t cause,
                                  const char *event)
{
  const char *call = call_in_event(event);
  return call != NULL ? call
       : cause != UINT64_MAX ? eventring_value(d->cursor, "cause", cause)
       : NULL;
}

static void judge_long_stop(struct diagnosis *d)
{
  const struct summary_numbers *n = summary_numbers(d->summary);
  if (!can_judge(d, RULE_LONG_STOP)) return;
  const struct summary_longest *longest = &n->longest;
  const struct histogram *stops = &n->pauses[PAUSE_ANY];
  const struct eventring_description *event =
    eventring_describe(d->cursor, longest->reason.id);
  if (!reaches(d, LONG_STOP, (double) longest->ns / 1e6) || event == NULL) return;
  const char *cause = cause_of_pause(d, longest->reason.own.cause, event->name);
  const int64_t ended = time_since(longest->end_ns,
                                   target_info(d->cursor).started_ns);
  struct finding *f = find(d, RULE_LONG_STOP, CERTAIN,
                           (double) longest->ns / 1e9);
  add(f, FACT_NS, (double) longest->ns, "longest stop");
  add_text(f, "its longest event", event->name);
  if (cause != NULL) add_cause(f, cause);
  add(f, FACT_COUNT, longest->domain, "domain");
  if (ended >= 0) {
    add(f, FACT_NS, (double) ended, "its end, from the start of tracing");
    f->pause.ns = longest->ns;
    f->pause.end_ns = ended;
    f->pause.domain = longest->domain;
  }
  add(f, FACT_COUNT, (double) stops->count, "stops in all");
  add(f, FACT_NS, (double) histogram_quantile(stops, 0.99),
      "99 %% of them are at most");
}

/* Returns whether at most [limit] per cent of the promoted words have stayed
   alive: promoting values that stay is work that has to be done.  If that is
   not known, says so for [rule]. */
static bool dies_soon(struct diagnosis *d, enum rule_id rule, double limit)
{
  double alive = stayed(d);
  if (alive < 0) leave(d, rule, "no two major cycles have ended");
  return alive >= 0 && alive <= percent(limit);
}

static void judge_remembered_set(struct diagnosis *d)
{
  if (!can_judge_shares(d, RULE_REMEMBERED_SET)) return;
  double share =
    of_active(d, (double) summary_numbers(d->summary)->pauses[PAUSE_MINOR].total),
    ns = 0, part = remembered_part(d);
  const bool seen = timing(d, "minor_remembered_set") != NULL;
  uint64_t full = with_cause(d, CAUSED_MINOR, "ref_table_full", &ns);
  double causes = d->total.minor_collections == 0 ? 0
    : (double) full / (double) d->total.minor_collections;
  const bool large = reaches(d, REMEMBERED_PART, 100 * (part > causes ? part : causes));
  if (!reaches(d, REMEMBERED_TIME, 100 * share)) return;
  if (!seen && causes < percent(LIMIT_REMEMBERED_PART)) {
    if (!is_recorded(d, "gc_detail"))
      leave(d, RULE_REMEMBERED_SET,
            "only seen when it is full: category gc_detail is not recorded")
        ->category = "gc_detail";
    return;
  }
  if (!large || by_old_part(d) >= percent(LIMIT_BY_OLD_PART)
      || !dies_soon(d, RULE_REMEMBERED_SET, LIMIT_REMEMBERED_STAYED))
    return;
  struct finding *f = find(d, RULE_REMEMBERED_SET, seen ? CERTAIN : LIKELY,
                           share);
  add(f, FACT_SHARE, share, "time in minor collections, of %s",
      all_active(d));
  if (seen) add(f, FACT_SHARE, part, "of that, for the remembered set");
  add(f, FACT_COUNT, (double) full,
      "minor collections because the remembered set was full");
  add(f, FACT_COUNT, (double) d->total.minor_collections,
      "minor collections in all");
}

static void judge_promoted_by_old(struct diagnosis *d)
{
  if (!can_judge_shares(d, RULE_PROMOTED_BY_OLD)) return;
  double share =
    of_active(d, (double) summary_numbers(d->summary)->pauses[PAUSE_MINOR].total),
    part = by_old_part(d);
  const bool large = reaches(d, BY_OLD_PART, 100 * part);
  if (!reaches(d, BY_OLD_TIME, 100 * share) || !large
      || !dies_soon(d, RULE_PROMOTED_BY_OLD, LIMIT_BY_OLD_STAYED))
    return;
  struct finding *f = find(d, RULE_PROMOTED_BY_OLD, LIKELY, share);
  add(f, FACT_SHARE, share, "time in minor collections, of %s",
      all_active(d));
  add(f, FACT_SHARE, part, "of that, promoting what old values reach");
  add(f, FACT_BYTES, (double) d->total.promoted_words * 8, "promoted");
  add(f, FACT_SHARE, stayed(d), "of these, still alive in the end");
}

/* Calls of the collector */

static void judge_explicit(struct diagnosis *d)
{
  static const char *const calls[][2] = {
    { "explicit_gc_full_major", "Gc.full_major" },
    { "explicit_gc_major", "Gc.major" }, { "explicit_gc_stat", "Gc.stat" },
    { "explicit_gc_minor", "Gc.minor" },
    { "explicit_gc_major_slice", "Gc.major_slice" }
  };
  if (!can_judge_shares(d, RULE_EXPLICIT_COLLECTIONS)) return;
  double ns = 0, longest = 0;
  uint64_t count = 0;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    const struct histogram *h = timing(d, calls[i][0]);
    if (h == NULL) continue;
    ns += (double) collector_called(d->summary, calls[i][0]);
    count += h->count;
    if ((double) h->max > longest) longest = (double) h->max;
  }
  double share = of_busiest(d, ns);
  const bool many = reaches(d, EXPLICIT_CALLS, (double) count);
  if (!reaches(d, EXPLICIT_TIME, 100 * share) || !many) return;
  struct finding *f = find(d, RULE_EXPLICIT_COLLECTIONS, CERTAIN, share);
  add(f, FACT_SHARE, share, "collector's time in these calls, of %s", busiest(d));
  add(f, FACT_NS, longest, "longest call");
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    const struct histogram *h = timing(d, calls[i][0]);
    if (h != NULL) add(f, FACT_COUNT, (double) h->count, "calls of %s",
                       calls[i][1]);
  }
}

static void judge_compactions(struct diagnosis *d)
{
  if (!can_judge_shares(d, RULE_COMPACTIONS)) return;
  const struct histogram *h = timing(d, "explicit_gc_compact");
  const uint64_t ns = collector_called(d->summary, "explicit_gc_compact");
  double share = of_busiest(d, (double) ns);
  if (!reaches(d, COMPACTION_TIME, 100 * share) || h == NULL) return;
  struct finding *f = find(d, RULE_COMPACTIONS, CERTAIN, share);
  add(f, FACT_SHARE, share, "collector's time in Gc.compact, of %s", busiest(d));
  add(f, FACT_COUNT, (double) h->count, "calls");
  add(f, FACT_NS, (double) h->max, "longest call");
}

static void judge_custom_memory(struct diagnosis *d)
{
  if (!can_judge_shares(d, RULE_CUSTOM_MEMORY)) return;
  double ns = 0;
  uint64_t slices = with_cause(d, CAUSED_SLICE, "custom_memory", &ns),
    minors = with_cause(d, CAUSED_MINOR, "custom_memory", &ns)
           + with_cause(d, CAUSED_MINOR, "custom_table_full", &ns);
  double share = of_active(d, ns);
  if (!reaches(d, CUSTOM_TIME, 100 * share)) return;
  struct finding *f = find(d, RULE_CUSTOM_MEMORY, LIKELY, share);
  add(f, FACT_SHARE, share, "time in collections with these causes, of %s",
      all_active(d));
  add(f, FACT_COUNT, (double) slices, "major slices for them");
  add(f, FACT_COUNT, (double) minors, "minor collections for them");
  struct summary_heap heap = summary_heap(d->summary);
  if (heap.known)
    add(f, FACT_BYTES, (double) heap.custom_words * 8,
        "held by custom blocks, in the last major cycle");
}

/* Stops */

static void judge_late_domain(struct diagnosis *d)
{
  if (!can_judge_shares(d, RULE_DOMAIN_LATE)) return;
  const struct measures *m = d->measures;
  const struct late_domain *worst = NULL;
  double all = 0;
  for (uint32_t i = 0; i < m->late_count; i++) {
    all += (double) m->late[i].waited_ns;
    if (worst == NULL || m->late[i].waited_ns > worst->waited_ns)
      worst = &m->late[i];
  }
  const bool many = reaches(d, LATE_STOPS, worst == NULL ? 0 : (double) worst->stops);
  if (!reaches(d, LATE_TIME, 100 * of_active(d, all)) || !many || worst == NULL
      || d->late_explained)
    return;
  struct finding *f = find(d, RULE_DOMAIN_LATE, LIKELY, of_active(d, all));
  const char *name = eventring_domain_name(d->cursor, worst->id);
  add(f, FACT_SHARE, of_active(d, all), "time that others waited, of %s",
      all_active(d));
  add(f, FACT_COUNT, m->late_count, "domains that came late");
  add(f, FACT_COUNT, worst->id, "the worst, by its id");
  if (name != NULL) add_text(f, "its name", name);
  add(f, FACT_COUNT, (double) worst->stops, "its late arrivals");
  add(f, FACT_NS, (double) worst->max_ns,
      "the latest, after the domain before");
  add_text(f, "span of the program in it, mostly",
           worst->span != NULL ? worst->span : "none");
}

static void judge_idle_domains(struct diagnosis *d)
{
  if (!can_judge_shares(d, RULE_IDLE_DOMAINS)) return;
  const struct idle_stops *idle = &d->measures->idle;
  double share = of_busiest(d, (double) idle->delay_ns);
  if (!reaches(d, IDLE_TIME, 100 * share) || d->late_explained) return;
  struct finding *f = find(d, RULE_IDLE_DOMAINS, LIKELY, share);
  add(f, FACT_SHARE, share, "time until idle domains had stopped, of %s",
      busiest(d));
  add(f, FACT_COUNT, (double) idle->stops, "stops with idle domains");
  add(f, FACT_COUNT, (double) idle->domains / (double) idle->stops,
      "idle domains in each, on average");
  add(f, FACT_NS, (double) idle->delay_ns / (double) idle->stops,
      "mean delay");
}

static void judge_many_domains(struct diagnosis *d)
{
  if (!can_judge(d, RULE_MANY_DOMAINS)) return;
  if (d->processors == 0) {
    leave(d, RULE_MANY_DOMAINS, "the number of processors is not known");
    return;
  }
  double busy = (double) active_ns(&d->time) / d->passed_ns;
  if (!d->time.known || !reaches(d, BUSY_DOMAINS, busy / d->processors)) return;
  d->late_explained = true;
  struct finding *f = find(d, RULE_MANY_DOMAINS, LIKELY,
                           1 - d->processors / busy);
  add(f, FACT_COUNT, d->processors, "processors");
  add(f, FACT_COUNT, busy, "domains that run or collect at once, on average");
  add(f, FACT_SHARE, active_gc_share(&d->time),
      "time in the collector, of %s", all_active(d));
}

/* Waits */

static void judge_mutex(struct diagnosis *d)
{
  const struct wait_sum *w = &d->measures->mutex;
  double ns = (double) w->ns, work = ns + d->active_ns, share = ns / work;
  if (!can_judge_part(d, RULE_MUTEX_CONTENTION, work)) return;
  const bool many = reaches(d, MUTEX_WAITS, (double) w->count);
  if (!reaches(d, MUTEX_TIME, 100 * share) || !many) return;
  struct finding *f = find(d, RULE_MUTEX_CONTENTION, CERTAIN, share);
  add(f, FACT_SHARE, share, "time waited, of this time and active time");
  add(f, FACT_COUNT, (double) w->count, "waits");
  add(f, FACT_NS, (double) w->ns / (double) w->count,
      "mean wait, without that for the domain lock");
  add(f, FACT_NS, (double) w->max_ns, "longest wait, without that for the domain lock");
}

static void judge_domain_lock(struct diagnosis *d)
{
  const struct wait_sum *lock = &d->measures->lock,
    *yield = &d->measures->yield;
  double ns = (double) lock->ns + (double) yield->ns,
    work = ns + d->active_ns, share = ns / work;
  if (!can_judge_part(d, RULE_DOMAIN_LOCK, work)) return;
  const bool many = reaches(d, LOCK_WAITS, (double) (lock->count + yield->count));
  if (!reaches(d, LOCK_TIME, 100 * share) || !many) return;
  struct finding *f = find(d, RULE_DOMAIN_LOCK, CERTAIN, share);
  add(f, FACT_SHARE, share, "time of threads that could have run, of this "
      "and active time");
  add(f, FACT_COUNT, (double) yield->count,
      "times that other threads got the domain's time slice");
  add(f, FACT_COUNT, (double) lock->count,
      "calls that were over and waited for the domain lock");
  uint64_t longest = lock->max_ns > yield->max_ns ? lock->max_ns
                                                  : yield->max_ns;
  add(f, FACT_NS, (double) longest, "longest wait");
  add(f, FACT_SHARE, active_gc_share(&d->time),
      "time in the collector, of %s", all_active(d));
}

static void judge_finalisers(struct diagnosis *d)
{
  if (!can_judge_shares(d, RULE_FINALISERS)) return;
  const struct histogram *h = timing(d, "finalisers");
  double share = h == NULL ? 0 : of_active(d, (double) h->total);
  if (!reaches(d, FINALISERS_TIME, 100 * share) || h == NULL) return;
  struct finding *f = find(d, RULE_FINALISERS, CERTAIN, share);
  add(f, FACT_SHARE, share, "time in finalisers, of %s", all_active(d));
  add(f, FACT_COUNT, (double) h->count, "times that finalisers ran");
  add(f, FACT_NS, (double) h->max, "longest of them");
}

/* The heap */

/* Returns the live heap at [share] of the time between the first and the last
   point, which must exist. */
static double live_at(const struct measures *m, double share)
{
  const struct heap_point *first = &m->heap[0],
    *last = &m->heap[m->heap_count - 1], *at = first;
  double ns = (double) first->ns
            + share * (double) time_since(last->ns, first->ns);
  for (const struct heap_point *p = first; p <= last; p++)
    if ((double) p->ns <= ns) at = p;
  return (double) at->live_bytes;
}

static void judge_growth(struct diagnosis *d)
{
  if (!can_judge(d, RULE_MEMORY_GROWTH)) return;
  const struct measures *m = d->measures;
  double cycles = m->heap_count == 0 ? 0
    : m->heap[m->heap_count - 1].cycle - m->heap[0].cycle + 1;
  if (!reaches(d, GROWTH_CYCLES, cycles)) {
    leave(d, RULE_MEMORY_GROWTH, "fewer than %.0f major cycles ended",
          LIMIT_GROWTH_CYCLES);
    return;
  }
  double seconds = (double) time_since(m->heap[m->heap_count - 1].ns,
                                       m->heap[0].ns) / 1e9;
  if (!reaches(d, GROWTH_TIME, seconds)) {
    leave(d, RULE_MEMORY_GROWTH, "major cycles ended during less than %.0f s",
          LIMIT_GROWTH_TIME);
    return;
  }
  double half = live_at(m, 0.5), later = live_at(m, 0.75), end = live_at(m, 1);
  double step = half * percent(LIMIT_GROWTH) / 2;
  const bool large = reaches(d, GROWTH_HEAP, end / megabytes(1));
  if (half > 0) d->measured[LIMIT_ID_GROWTH] = 100 * (end / half - 1);
  if (!large || later < half + step || end < later + step) return;
  struct finding *f = find(d, RULE_MEMORY_GROWTH, POSSIBLE, 1 - half / end);
  add(f, FACT_BYTES, live_at(m, 0), "live heap after the first major cycle");
  add(f, FACT_BYTES, half, "half of the time later");
  add(f, FACT_BYTES, end, "after the last major cycle");
  add(f, FACT_COUNT, cycles, "major cycles");
  add(f, FACT_NS, seconds * 1e9, "time between the first and the last");
}

static void judge_fragmentation(struct diagnosis *d)
{
  if (!can_judge(d, RULE_FRAGMENTATION)) return;
  const struct measures *m = d->measures;
  if (!reaches(d, FREE_CYCLES, m->heap_count)) {
    leave(d, RULE_FRAGMENTATION, "fewer than %.0f major cycles ended",
          LIMIT_FREE_CYCLES);
    return;
  }
  double least = 1;
  for (uint32_t i = 1; i <= (uint32_t) LIMIT_FREE_CYCLES; i++) {
    const struct heap_point *p = &m->heap[m->heap_count - i];
    double share = (double) p->free_bytes / ((double) p->pool_bytes + 1);
    if (!reaches(d, FREE_HEAP, (double) p->pool_bytes / megabytes(1))) return;
    if (share < least) least = share;
  }
  if (!reaches(d, FREE, 100 * least)) return;
  const struct heap_point *last = &m->heap[m->heap_count - 1];
  struct finding *f = find(d, RULE_FRAGMENTATION, LIKELY, least);
  add(f, FACT_BYTES, (double) last->pool_bytes, "pools of small blocks");
  add(f, FACT_BYTES, (double) last->free_bytes, "of that, free");
  add(f, FACT_SHARE, least, "least share that was free in the last cycles");
}

/* Samples */

static void judge_hot_function(struct diagnosis *d, struct symbols *symbols)
{
  if (!can_judge(d, RULE_HOT_FUNCTION)) return;
  profile_finish(d->profile, symbols);
  struct profile_sums sums = profile_sums(d->profile);
  if (!reaches(d, HOT_SAMPLES, (double) sums.samples)) {
    leave(d, RULE_HOT_FUNCTION, "%" PRIu64 " samples, fewer than %.0f",
          sums.samples, LIMIT_HOT_SAMPLES);
    return;
  }
  if ((double) (summary_until(d->summary) - sums.last_ns) > d->passed_ns) {
    leave(d, RULE_HOT_FUNCTION, "the last sample is older than all other events")
      ->category = rules[RULE_HOT_FUNCTION].category;
    return;
  }
  size_t count;
  struct profile_entry *table = profile_table(d->profile, BY_FUNCTION, &count);
  double self = count == 0 ? 0 : (double) table[0].self.weight,
    share = sums.weight == 0 ? 0 : self / (double) sums.weight,
    load = self / ((double) (sums.data_end_ns - sums.first_ns) + 1);
  const bool much = reaches(d, HOT_LOAD, 100 * load);
  if (reaches(d, HOT, 100 * share) && much) {
    struct finding *f = find(d, RULE_HOT_FUNCTION, CERTAIN, share);
    add_text(f, "function", table[0].frame.function);
    add(f, FACT_SHARE, share, "in its own code, of the samples");
    add(f, FACT_SHARE, (double) table[0].total.weight / (double) sums.weight,
        "with the functions that it called");
    add(f, FACT_SHARE, load, "its own processor time, of one processor's");
    add(f, FACT_COUNT, (double) sums.samples, "samples");
  }
  free(table);
}

/* Requests */

/* Returns the durations of the requests of the kind of [o] that have ended; NULL when
   they are too few for a comparison. */
static const struct histogram *ended_like(const struct diagnosis *d,
                                          const struct ended_request *o)
{
  const struct request_kind *kind =
    request_kind(summary_numbers(d->summary)->requests, o->id);
  return kind != NULL && (double) kind->total.count >= LIMIT_OPEN_ENDED ? &kind->total
                                                                        : NULL;
}

/* Returns whether the request [o] is open for long, compared with those of its kind.
   After a pause of the recording its end may be unknown. */
static bool is_open_for_long(const struct diagnosis *d, const struct ended_request *o)
{
  const struct histogram *ended = ended_like(d, o);
  const double ns = (double) o->end_ns - (double) o->begin_ns,
    least = ended == NULL && eventring_state(d->cursor) == EVENTRING_STATE_RUNNING
            ? LIMIT_OPEN_ALONE : LIMIT_OPEN_TIME;
  return o->runs_known && ns >= least * 1e9
         && (ended == NULL || ns >= LIMIT_OPEN_TIMES * (double) ended->max);
}

/* Adds the finding on the request [o], the longest of [count] that are open for long. */
static void add_request(struct diagnosis *d, const struct open_request *o, size_t count)
{
  const struct ended_request *r = &o->so_far;
  const struct histogram *ended = ended_like(d, r);
  const struct eventring_description *event = eventring_describe(d->cursor, r->id);
  struct finding *f = find(d, RULE_OPEN_REQUEST, POSSIBLE, 1);
  char number[24], thread[16] = "none";
  snprintf(number, sizeof number, "%" PRIu64, r->number);
  if (o->thread != 0) snprintf(thread, sizeof thread, "%" PRIu32, o->thread);
  f->request = r->number;
  add_text(f, "request", number);
  if (event != NULL) add_text(f, "its kind", event->name);
  add(f, FACT_NS, (double) r->end_ns - (double) r->begin_ns, "since its begin");
  if (ended != NULL)
    add(f, FACT_NS, (double) ended->max, "longest of its kind that has ended");
  add_text(f, "thread that has it", thread);
  add(f, FACT_COUNT, (double) count, "requests open for long");
}

static void judge_open_requests(struct diagnosis *d)
{
  if (!can_judge(d, RULE_OPEN_REQUEST)) return;
  struct requests *requests = summary_numbers(d->summary)->requests;
  struct open_request *list = allocate(OPEN_REQUESTS, sizeof *list),
    *first = NULL;
  const size_t open = list_open_requests(requests, summary_until(d->summary), 0, list,
                                         OPEN_REQUESTS);
  size_t count = 0;
  for (struct open_request *o = list; o < list + open; o++)
    if (is_open_for_long(d, &o->so_far) && count++ == 0) first = o;
  if (open > 0)                   /* the longest */
    d->measured[LIMIT_ID_OPEN_TIME] =
      ((double) list->so_far.end_ns - (double) list->so_far.begin_ns) / 1e9;
  if (first != NULL) add_request(d, first, count);
  free(list);
}

/* Judges the events that were lost after other events of their ring.  A ring
   overwrites its oldest events, which is no fault. */
static void judge_lost(struct diagnosis *d)
{
  const struct summary_numbers *n = summary_numbers(d->summary);
  uint64_t lost = d->measures->lost_inside;
  if (lost == 0) return;
  double share = (double) lost
               / ((double) lost + (double) n->events);
  struct finding *f = find(d, RULE_EVENTS_LOST, CERTAIN, share);
  add(f, FACT_COUNT, (double) lost, "%sevents lost",
      target_info(d->cursor).lost_is_bound ? "at most: " : "");
  add(f, FACT_COUNT, (double) n->events, "events read");
}

/* All together */

/* Returns the importance of a finding (see above), from 0 to 1. */
static double importance(const struct finding *f)
{
  static const double sure[CERTAIN + 1] = {
    [POSSIBLE] = 0.5, [LIKELY] = 0.75, [CERTAIN] = 1
  };
  bool memory = f->rule == RULE_MEMORY_GROWTH || f->rule == RULE_FRAGMENTATION;
  double kind = memory ? 0.5 : f->rule == RULE_HOT_FUNCTION ? 0.25 : 1;
  return f->weight * f->reach * sure[f->certainty] * kind;
}

/* Returns how much of a share counts that [rule] has found (see above), from 0
   to 1. */
static double reach(const struct diagnosis *d, enum rule_id rule)
{
  const struct measures *m = d->measures;
  double whole = d->active_ns;
  switch (rule) {
  case RULE_LONG_STOP: case RULE_MEMORY_GROWTH: case RULE_FRAGMENTATION:
  case RULE_OPEN_REQUEST: case RULE_EVENTS_LOST: return 1;
  case RULE_MUTEX_CONTENTION: whole += (double) m->mutex.ns; break;
  case RULE_DOMAIN_LOCK: whole += (double) m->lock.ns + (double) m->yield.ns; break;
  default: break;
  }
  double part = whole / (d->passed_ns * percent(LIMIT_ACTIVE));
  return part > 1 ? 1 : part;
}

static int by_importance(const void *a, const void *b)
{
  const struct finding *x = a, *y = b;
  double more = importance(x), less = importance(y);
  if (more != less) return more < less ? 1 : -1;
  return x->rule < y->rule ? -1 : 1;
}

/* Moves the finding of the last headline to the first place, unless the first one is
   LIMIT_FAVOUR times as important. */
static void keep_first(struct diagnosis *d)
{
  uint32_t i = 0;
  while (i < d->finding_count
         && strcmp(rules[d->findings[i].rule].name, d->last.rule) != 0)
    i++;
  if (i == d->finding_count
      || importance(&d->findings[0]) > LIMIT_FAVOUR * importance(&d->findings[i]))
    return;
  const struct finding kept = d->findings[i];
  memmove(&d->findings[1], &d->findings[0], i * sizeof kept);
  d->findings[0] = kept;
}

void diagnosis_finish(struct diagnosis *d, struct symbols *symbols,
                      const struct headline *last)
{
  if (last != NULL) d->last = *last;
  struct summary *s = d->summary;
  const struct summary_numbers *n = summary_numbers(s);
  int64_t until = summary_until(s);
  d->total = summary_tally(s, NULL, until);
  d->time = summary_time(s, NULL, until);
  d->active_ns = d->busiest_ns = d->passed_ns = 1;
  d->shortest_ns = INFINITY;
  if (active_ns(&d->time) > 0) d->active_ns = (double) active_ns(&d->time);
  for (uint32_t i = 0; i < n->domain_count; i++) {
    const struct summary_time time = summary_time(s, n->domains[i], until);
    double active = (double) active_ns(&time),
      passed = (double) time.watched_ns;
    if (active > d->busiest_ns) d->busiest_ns = active;
    if (passed > d->passed_ns) d->passed_ns = passed;
    if (summary_begin_is_lost(s, n->domains[i]) && passed < d->shortest_ns)
      d->shortest_ns = passed;
  }
  judge_collector(d);
  judge_long_stop(d);
  judge_minor_heap(d);
  judge_many_domains(d);
  judge_late_domain(d);
  judge_idle_domains(d);
  judge_explicit(d);
  judge_compactions(d);
  judge_remembered_set(d);
  judge_promoted_by_old(d);
  judge_custom_memory(d);
  judge_mutex(d);
  judge_domain_lock(d);
  judge_finalisers(d);
  judge_growth(d);
  judge_fragmentation(d);
  judge_hot_function(d, symbols);
  judge_open_requests(d);
  judge_lost(d);
  for (uint32_t i = 0; i < d->finding_count; i++)
    d->findings[i].reach = reach(d, d->findings[i].rule);
  qsort(d->findings, d->finding_count, sizeof *d->findings,
        by_importance);
  keep_first(d);
}

struct headline diagnosis_headline(const struct diagnosis *d)
{
  struct headline h = { .rule = "" };
  if (d->finding_count > 0)
    snprintf(h.rule, sizeof h.rule, "%s", rules[d->findings[0].rule].name);
  if (d->causes.first != NULL)
    snprintf(h.cause, sizeof h.cause, "%s", d->causes.first);
  if (d->causes.second != NULL)
    snprintf(h.second_cause, sizeof h.second_cause, "%s", d->causes.second);
  return h;
}

/* Returns whether a domain has only its last events, of too short a time to say that all
   is well. */
static bool is_partial(const struct diagnosis *d)
{
  return d->shortest_ns < LIMIT_WELL * 1e9;
}

double diagnosis_measured(const struct diagnosis *d, enum limit_id id)
{
  return d->measured[id];
}

uint64_t diagnosis_watched_ns(const struct diagnosis *d)
{
  if (summary_numbers(d->summary)->domain_count == 0) return 0;
  return (uint64_t) (d->shortest_ns < d->passed_ns ? d->shortest_ns : d->passed_ns);
}

struct vital_signs diagnosis_vital_signs(const struct diagnosis *d)
{
  for (uint32_t i = 0; i < d->not_judged_count; i++)
    if (d->not_judged[i].rule == RULE_COLLECTOR_TIME)
      return (struct vital_signs) { .known = false };
  return (struct vital_signs) {
    .known = true, .waits_known = d->time.known, .partial = is_partial(d),
    .collector_share = active_gc_share(&d->time),
    .active_share = d->time.watched_ns == 0 ? 0
      : (double) active_ns(&d->time) / (double) d->time.watched_ns,
    .longest_stop_ns = summary_numbers(d->summary)->longest.ns,
    .causes = d->causes, .promoted_share = promoted_share(d),
    .proposed_heap = d->proposed_heap[0] != '\0' ? d->proposed_heap : NULL
  };
}

enum level diagnosis_level(const struct diagnosis *d)
{
  for (uint32_t i = 0; i < d->finding_count; i++)
    if (d->findings[i].certainty == CERTAIN
        && d->findings[i].rule != RULE_HOT_FUNCTION
        && d->findings[i].weight * d->findings[i].reach >= percent(LIMIT_BAD))
      return LEVEL_BAD;
  if (d->finding_count > 0) return LEVEL_WARNING;
  const struct vital_signs signs = diagnosis_vital_signs(d);
  return signs.known && !signs.partial ? LEVEL_GOOD : LEVEL_UNKNOWN;
}

const struct finding *diagnosis_findings(const struct diagnosis *d,
                                         uint32_t *count)
{
  *count = d->finding_count;
  return d->findings;
}

const struct not_judged *diagnosis_not_judged(const struct diagnosis *d,
                                              uint32_t *count)
{
  *count = d->not_judged_count;
  return d->not_judged;
}

struct summary *diagnosis_summary(struct diagnosis *d)
{
  return d->summary;
}

/* Events */

void diagnosis_event(struct diagnosis *d, const struct eventring_event *event)
{
  summary_event(d->summary, event);
  measures_event(d->measures, event);
  profile_event(d->profile, event);
}

void diagnosis_idle(struct diagnosis *d)
{
  summary_idle(d->summary);
  d->measures->catching_up = false;
}

struct diagnosis *new_diagnosis(struct eventring_cursor *cursor,
                                uint32_t processors)
{
  struct diagnosis *d = allocate(1, sizeof *d);
  char why[1];
  d->cursor = cursor;
  d->processors = processors;
  d->summary = new_summary(cursor);
  d->measures = new_measures(d->summary, LIMIT_LATE * 1e6);
  d->filter = new_filter();
  filter_begin(d->filter, cursor, why, sizeof why);
  d->profile = new_profile(cursor, d->filter, NULL, 0);
  for (int i = 0; i < LIMITS; i++) d->measured[i] = NAN;
  return d;
}

void free_diagnosis(struct diagnosis *d)
{
  free_profile(d->profile);
  free_filter(d->filter);
  free_measures(d->measures);
  free_summary(d->summary);
  free(d);
}
