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

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "follow.h"
#include "node.h"
#include "summary_text.h"
#include "text.h"

const char *const pause_names[PAUSES] = {
  [PAUSE_MINOR] = "minor", [PAUSE_SLICE] = "major slice",
  [PAUSE_STOPPED] = "stopped", [PAUSE_ANY] = "any",
  [PAUSE_WAITING] = "while waiting"
};

static const char *const caused_names[CAUSED] = {
  [CAUSED_MINOR] = "minor", [CAUSED_SLICE] = "major slice",
  [CAUSED_STOPPED] = "stopped", [CAUSED_CYCLE] = "major cycle",
  [CAUSED_COMPACTION] = "compaction"
};

/* Prints the line of print_process, and [remark] at its end. */
static void print_process_and(struct summary *s, const char *remark)
{
  const struct summary_numbers *all = summary_numbers(s);
  struct eventring_info info = target_info(all->cursor);
  char span[QUANTITY_SIZE];
  printf("process %" PRId32 "%s", info.pid, info.program[0] ? " " : "");
  print_text(stdout, info.program, strlen(info.program), TEXT_LINE);
  int state = eventring_state(all->cursor);
  bool paused = state == EVENTRING_STATE_RUNNING && info.active == 0
                && info.format == EVENTRING_FORMAT_RING;
  printf(" (%s%s): %" PRIu64 " %s over %s%s\n", state_name(state),
         paused ? ", paused" : "", all->events,
         all->events == 1 ? "event" : "events",
         format_duration(span, all->last_ns > all->first_ns
                               ? (uint64_t) all->last_ns - (uint64_t) all->first_ns
                               : 0), remark);
}

void print_process(struct summary *s)
{
  print_process_and(s, "");
}

/* Prints two spaces and the name of [domain] in quotes; nothing if it has no
   name. */
static void print_domain_name(struct summary *s,
                              const struct summary_domain *domain)
{
  const struct summary_numbers *n = summary_numbers(s);
  const char *name = domain != n->others
                     ? eventring_domain_name(n->cursor, domain_numbers(domain)->id)
                     : NULL;
  if (name == NULL) return;
  fputs("  \"", stdout);
  print_text(stdout, name, strlen(name), TEXT_QUOTED);
  putchar('"');
}

/* Causes */

/* Prints the name of the cause with the number [value] and the unit [unit]; "#"
   and the number for a cause without a name, "others" for the last number. */
static void print_cause_name(struct summary *s, const char *unit,
                             uint64_t value)
{
  const char *name = eventring_value(summary_numbers(s)->cursor, unit, value);
  if (name != NULL)
    print_text(stdout, name, strlen(name), TEXT_COLUMN);
  else if (value < SUMMARY_CAUSES - 1)
    printf("#%" PRIu64, value);
  else
    fputs("others", stdout);
}

/* Returns the cause of activities of kind [caused] that took the most total
   time, among those with [printed] false; the smaller number if two took the
   same time.  Returns SUMMARY_CAUSES when all are printed. */
static uint32_t next_cause(struct summary *s, enum caused caused,
                           const bool printed[SUMMARY_CAUSES])
{
  const struct summary_numbers *n = summary_numbers(s);
  uint32_t most = SUMMARY_CAUSES;
  for (uint32_t i = 0; i < SUMMARY_CAUSES; i++)
    if (!printed[i] && n->causes[caused][i] > 0
        && (most == SUMMARY_CAUSES
            || n->cause_ns[caused][i] > n->cause_ns[caused][most]))
      most = i;
  return most;
}

static void print_causes_of(struct summary *s, enum caused caused)
{
  const struct summary_numbers *all = summary_numbers(s);
  bool printed[SUMMARY_CAUSES] = { false };
  uint32_t i;
  while ((i = next_cause(s, caused, printed)) < SUMMARY_CAUSES) {
    char total[QUANTITY_SIZE], longest[QUANTITY_SIZE];
    printf("%-16s  %7" PRIu64 "  %7s  %7s  ", caused_names[caused],
           all->causes[caused][i],
           format_duration(total, all->cause_ns[caused][i]),
           format_duration(longest, all->cause_max_ns[caused][i]));
    print_cause_name(s, summary_cause_unit[caused], i);
    putchar('\n');
    printed[i] = true;
  }
}

static bool any_causes(const struct summary *s)
{
  for (enum caused caused = 0; caused < CAUSED; caused++)
    for (uint32_t i = 0; i < SUMMARY_CAUSES; i++)
      if (summary_numbers(s)->causes[caused][i] > 0) return true;
  return false;
}

static void print_causes(struct summary *s)
{
  if (!any_causes(s)) return;
  printf("%-16s  %7s  %7s  %7s  %s\n", "caused", "count", "total", "longest",
         "by");
  for (enum caused caused = 0; caused < CAUSED; caused++)
    print_causes_of(s, caused);
}

void print_lost(struct summary *s)
{
  const struct summary_numbers *all = summary_numbers(s);
  uint64_t lost = lost_events(all->cursor);
  if (lost > 0)
    printf("%s%" PRIu64 " %s overwritten before they could be read\n",
           at_most(all->cursor), lost, lost == 1 ? "event was" : "events were");
}

/* Prints the machine and the clocks of a recording, if it has them. */
static void print_node(struct summary *s)
{
  const struct summary_numbers *all = summary_numbers(s);
  const struct clock_samples samples = clock_samples(all->cursor);
  json_t *node = node_of(all->cursor);
  const char *name = json_string_value(json_object_get(node, "node"));
  char bound[QUANTITY_SIZE];
  if (name != NULL) {
    printf("recorded on ");
    print_text(stdout, name, strlen(name), TEXT_LINE);
    if (samples.count > 0)
      printf(", wall clock to %s", format_duration(bound, samples.bound_ns));
    putchar('\n');
  }
  json_decref(node);
}

/* Durations */

#define NAME_WIDTH 16

void print_durations_head(const char *what)
{
  printf("%-*s  %7s  %7s  %7s  %7s  %7s  %7s  %7s\n", NAME_WIDTH, what,
         "count", "p50", "p90", "p99", "p99.9", "max", "total");
}

/* Prints the columns of a table of durations that come after the name, of which
   [printed] columns are printed. */
static void print_columns(int printed, const struct histogram *h)
{
  static const double quantiles[] = { 0.5, 0.9, 0.99, 0.999 };
  char text[QUANTITY_SIZE];
  printf("%*s  %7" PRIu64, printed < NAME_WIDTH ? NAME_WIDTH - printed : 0, "",
         h->count);
  for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
    printf("  %7s", h->count == 0 ? "-" :
           format_duration(text, histogram_quantile(h, quantiles[i])));
  printf("  %7s", h->count == 0 ? "-" : format_duration(text, h->max));
  printf("  %7s\n", h->count == 0 ? "-" : format_duration(text, h->total));
}

void print_durations(const char *name, const struct histogram *h)
{
  print_columns(print_text(stdout, name, strlen(name), TEXT_COLUMN), h);
}

void print_runs(const struct histogram *running,
                const struct histogram *waiting)
{
  if (running->count == 0) return;
  print_columns(printf("  running"), running);
  print_columns(printf("  waiting"), waiting);
}

/* Prints a line with the number of requests of [kind] that have not ended, and
   of those with runs that are not known, if there are such requests. */
static void print_unknown(const struct request_kind *kind)
{
  uint64_t unknown = kind->total.count - kind->running.count;
  if (kind->open > 0) printf("  %" PRIu64 " not finished", kind->open);
  if (unknown > 0)
    printf("%s %" PRIu64 " with runs that were not recorded",
           kind->open > 0 ? "," : " ", unknown);
  if (kind->open > 0 || unknown > 0) putchar('\n');
}

static bool any(const struct histogram *h)
{
  return h->count > 0;
}

/* Kinds of pauses, the kinds that make up most time first. */
static const enum pause pause_order[PAUSES] = {
  PAUSE_ANY, PAUSE_MINOR, PAUSE_SLICE, PAUSE_STOPPED, PAUSE_WAITING
};

static void print_pauses(const struct histogram pauses[PAUSES])
{
  print_durations_head("pause");
  for (int i = 0; i < PAUSES; i++)
    if (any(&pauses[pause_order[i]]))
      print_durations(pause_names[pause_order[i]], &pauses[pause_order[i]]);
}

/* The largest number of domains in a table.  Of more domains, those that were
   watched for the longest time are printed. */
#define DOMAINS_PRINTED 32

struct chosen {
  struct summary_domain *domains[DOMAINS_PRINTED];
  uint32_t count;
};

static int by_id(const void *a, const void *b)
{
  const struct summary_domain *const *x = a, *const *y = b;
  return (domain_numbers(*x)->id > domain_numbers(*y)->id)
         - (domain_numbers(*x)->id < domain_numbers(*y)->id);
}

/* Returns the domains for the tables, sorted by id: all, or of more than
   DOMAINS_PRINTED domains those that were watched for the longest time. */
static struct chosen choose_domains(struct summary *s, int64_t until_ns)
{
  const struct summary_numbers *n = summary_numbers(s);
  struct chosen c = { .count = 0 };
  uint64_t watched[DOMAINS_PRINTED];
  for (uint32_t i = 0; i < n->domain_count; i++) {
    uint64_t ns = summary_tally(s, n->domains[i], until_ns).watched_ns;
    uint32_t place = c.count;
    if (c.count < DOMAINS_PRINTED)
      c.count++;
    else if (watched[--place] >= ns)
      continue;
    for (; place > 0 && watched[place - 1] < ns; place--) {
      watched[place] = watched[place - 1];
      c.domains[place] = c.domains[place - 1];
    }
    watched[place] = ns;
    c.domains[place] = n->domains[i];
  }
  qsort(c.domains, c.count, sizeof *c.domains, by_id);
  return c;
}

/* Prints a table with the pauses of each domain in [c], if the summary has two
   domains or more. */
static void print_domain_pauses(struct summary *s, const struct chosen *c)
{
  if (summary_numbers(s)->domain_count < 2) return;
  print_durations_head("domain, pause");
  for (uint32_t i = 0; i < c->count; i++)
    for (int k = 0; k < PAUSES; k++) {
      enum pause pause = pause_order[k];
      const struct histogram *h = &domain_numbers(c->domains[i])->pauses[pause];
      char name[48];
      snprintf(name, sizeof name, "%" PRIu32 " %s",
               domain_numbers(c->domains[i])->id, pause_names[pause]);
      if (any(h)) print_durations(name, h);
    }
}

/* Prints a table with the durations between the request of a stop-the-world
   section and the arrival of each domain in [c], and a row for all domains if
   [c] does not have all.  Prints nothing if no arrivals are known. */
static void print_arrivals(struct summary *s, const struct chosen *c)
{
  const struct summary_numbers *n = summary_numbers(s);
  if (!any(&n->arrivals)) return;
  print_durations_head("arrival at stops");
  for (uint32_t i = 0; i < c->count; i++) {
    char name[32];
    snprintf(name, sizeof name, "domain %" PRIu32,
             domain_numbers(c->domains[i])->id);
    if (any(&domain_numbers(c->domains[i])->arrivals))
      print_durations(name, &domain_numbers(c->domains[i])->arrivals);
  }
  if (n->domain_count > c->count) print_durations("all", &n->arrivals);
}

/* The largest number of names of waits or spans in a table: those with the most
   time. */
#define TIMINGS_PRINTED 10

/* Prints a table, with the title [what], of the durations of the waits if
   [waits] is true, else of the spans of the program: the TIMINGS_PRINTED ids
   with the most time, and a line on the number of the others.  Prints nothing
   without any. */
static void print_timings(struct summary *s, const char *what, bool waits)
{
  const struct summary_numbers *n = summary_numbers(s);
  uint16_t ids[TIMINGS_PRINTED] = { 0 };
  uint32_t count = 0, all = 0;
  for (uint32_t id = 0; id <= UINT16_MAX; id++) {
    if (n->timings[id] == NULL
        || !(waits ? summary_is_wait(s, (uint16_t) id)
                   : summary_is_user(s, (uint16_t) id))) continue;
    all++;
    uint32_t place = count < TIMINGS_PRINTED ? count++ : count;
    for (; place > 0 && n->timings[ids[place - 1]]->total
                        < n->timings[id]->total; place--)
      if (place < TIMINGS_PRINTED) ids[place] = ids[place - 1];
    if (place < TIMINGS_PRINTED) ids[place] = (uint16_t) id;
  }
  if (count == 0) return;
  print_durations_head(what);
  for (uint32_t i = 0; i < count; i++)
    print_durations(eventring_describe(n->cursor, ids[i])->name, n->timings[ids[i]]);
  if (all > count)
    printf("and %" PRIu32 " more names with less time in all\n", all - count);
}

/* Prints a table with the durations of each kind of request. */
static void print_requests(struct summary *s)
{
  const struct summary_numbers *n = summary_numbers(s);
  bool head = false;
  for (uint32_t id = 0; id <= UINT16_MAX; id++) {
    const struct request_kind *kind = request_kind(n->requests, (uint16_t) id);
    if (kind == NULL) continue;
    if (!head) print_durations_head("request");
    head = true;
    print_durations(eventring_describe(n->cursor, id)->name, &kind->total);
    print_runs(&kind->running, &kind->waiting);
    print_unknown(kind);
  }
}

/* All of it */

static void print_domain_head(void)
{
  printf("%-6s  %7s  %7s  %10s  %7s  %9s  %9s  %7s\n", "domain", "watched",
         "running", "collecting", "waiting", "allocated", "promoted",
         "longest");
}

/* Writes [part] as a percentage of [whole] into [buffer]; 0 if [whole] is 0.
   Returns [buffer]. */
static const char *format_part(char buffer[QUANTITY_SIZE], uint64_t part,
                               uint64_t whole)
{
  return format_share(buffer, whole == 0 ? 0 : (double) part / (double) whole);
}

/* Prints the columns of a domain's row up to its longest pause, without an end
   of line.  [domain] is its id, or "all". */
static void print_amounts(const char *domain, struct summary_time time,
                          const struct summary_tally *t,
                          const struct histogram *pauses)
{
  char watched[QUANTITY_SIZE], running[QUANTITY_SIZE], gc[QUANTITY_SIZE],
    waiting[QUANTITY_SIZE], allocated[QUANTITY_SIZE], promoted[QUANTITY_SIZE],
    longest[QUANTITY_SIZE];
  printf("%-6s  %7s  %7s  %10s  %7s  %9s  %9s  %7s", domain,
         format_duration(watched, time.watched_ns),
         time.known ? format_part(running, time.running_ns, time.watched_ns)
                    : "-",
         format_part(gc, time.collecting_ns, time.watched_ns),
         time.known ? format_part(waiting, time.waiting_ns, time.watched_ns)
                    : "-",
         format_bytes(allocated, 8 * all_allocated_words(t)),
         format_bytes(promoted, 8 * t->promoted_words),
         any(pauses) ? format_duration(longest, pauses->max) : "-");
}

/* Prints a table with a row for each domain in [c], a line on the number of
   other domains, and a row for all domains if there are two or more. */
static void print_domains(struct summary *s, const struct chosen *c,
                          int64_t until_ns)
{
  const struct summary_numbers *numbers = summary_numbers(s);
  print_domain_head();
  for (uint32_t i = 0; i < c->count; i++) {
    struct summary_domain *d = c->domains[i];
    struct summary_tally t = summary_tally(s, d, until_ns);
    char id[16];
    snprintf(id, sizeof id, "%" PRIu32, domain_numbers(d)->id);
    print_amounts(id, summary_time(s, d, until_ns), &t,
                  &domain_numbers(d)->pauses[PAUSE_ANY]);
    print_domain_name(s, d);
    putchar('\n');
  }
  if (numbers->domain_count > c->count)
    printf("and %s%" PRIu32 " domains that were watched for less time\n",
           numbers->others != NULL ? "more than " : "",
           numbers->domain_count - c->count);
  if (numbers->domain_count < 2) return;
  struct summary_tally all = summary_tally(s, NULL, until_ns);
  print_amounts("all", summary_time(s, NULL, until_ns), &all,
                &numbers->pauses[PAUSE_ANY]);
  putchar('\n');
}

/* Prints the shares of the time [t] in which all domains together were
   collecting, running and waiting, without an end of line.  The first shows
   whether the collector is the problem. */
static void print_time(struct summary_time t)
{
  char gc[QUANTITY_SIZE], running[QUANTITY_SIZE], waiting[QUANTITY_SIZE];
  printf("time         collecting %s",
         format_part(gc, t.collecting_ns, t.watched_ns));
  if (t.known)
    printf(", running %s, waiting %s",
           format_part(running, t.running_ns, t.watched_ns),
           format_part(waiting, t.waiting_ns, t.watched_ns));
}

/* Prints a line with the active share of the time [t], and the share of the
   active time that was spent in the collector; nothing if it is not known. */
static void print_active(struct summary_time t)
{
  char active[QUANTITY_SIZE], gc[QUANTITY_SIZE];
  if (!t.known || active_ns(&t) == 0) return;
  printf("active       %s of the time, of which collecting %s\n",
         format_part(active, active_ns(&t), t.watched_ns),
         format_share(gc, active_gc_share(&t)));
}

static void print_shares(struct summary *s, int64_t until_ns)
{
  const struct summary_numbers *all = summary_numbers(s);
  const struct summary_time t = summary_time(s, NULL, until_ns);
  print_time(t);
  if (all->domain_count > 1)
    printf(", of %s%" PRIu32 " domains", all->others != NULL ? "more than " : "",
           all->domain_count);
  putchar('\n');
  print_active(t);
}

/* Prints a line on the distribution of the pauses [h]; nothing if there are
   none. */
static void print_pause_line(const struct histogram *h)
{
  char median[QUANTITY_SIZE], p99[QUANTITY_SIZE], longest[QUANTITY_SIZE],
    total[QUANTITY_SIZE];
  if (!any(h)) return;
  printf("pauses       %" PRIu64 ": median %s, p99 %s, longest %s, total %s\n",
         h->count, format_duration(median, histogram_quantile(h, 0.5)),
         format_duration(p99, histogram_quantile(h, 0.99)),
         format_duration(longest, h->max), format_duration(total, h->total));
}

/* Prints a line with the event, cause, domain and time of the longest pause.
   Prints nothing if there was no pause.  To be called after summary_tally, which
   completes the pauses. */
static void print_longest(struct summary *s)
{
  const struct summary_numbers *all = summary_numbers(s);
  const struct summary_longest *longest = &all->longest;
  const struct summary_reason *why = &longest->reason;
  const uint64_t cause = why->stop ? why->longest_stop.reason : why->own.cause;
  if (!any(&all->pauses[PAUSE_ANY]) || longest->ns == 0) return;
  const struct eventring_description *d =
    eventring_describe(all->cursor, why->id);
  /* The times of a damaged file may lie far apart. */
  int64_t ended = (int64_t) ((uint64_t) longest->end_ns
                             - (uint64_t) target_info(all->cursor).started_ns);
  fputs("longest      ", stdout);
  if (d != NULL) print_text(stdout, d->name, strlen(d->name), TEXT_COLUMN);
  if (cause != UINT64_MAX) {
    fputs(" (", stdout);
    print_cause_name(s, why->stop ? "reason" : "cause", cause);
    putchar(')');
  }
  printf(" in domain %" PRIu32 ", ended at %.6f s\n", longest->domain,
         (double) ended / 1e9);
}

static void print_collections(const struct summary_tally *t)
{
  char allocated[QUANTITY_SIZE], promoted[QUANTITY_SIZE];
  printf("collections  minor %" PRIu64 ", slices %" PRIu64
         ", major cycles %" PRIu64 ", compactions %" PRIu64 ", calls of Gc %"
         PRIu64 "\n", t->minor_collections, t->major_slices, t->major_cycles,
         t->compactions, t->explicit_calls);
  printf("words        allocated %s, promoted %s\n",
         format_bytes(allocated, 8 * all_allocated_words(t)),
         format_bytes(promoted, 8 * t->promoted_words));
}

/* Prints the totals of the process, lost events included, if events were lost and
   the file has totals. */
static void print_totals(struct summary *s)
{
  const struct summary_numbers *all = summary_numbers(s);
  struct eventring_totals t = { .size = sizeof t };
  char longest[QUANTITY_SIZE], total[QUANTITY_SIZE];
  if (lost_events(all->cursor) == 0
      || eventring_get_totals(all->cursor, EVENTRING_ALL_RINGS, &t) < 0)
    return;
  const struct summary_tally tally = tally_of_totals(&t);
  puts("since tracing started, overwritten events included:");
  print_collections(&tally);
  printf("pauses       %" PRIu64 ": longest %s, total %s\n", t.pauses,
         format_duration(longest, t.longest_pause_ns),
         format_duration(total, t.paused_ns));
}

static void print_memory(struct summary *s)
{
  const struct summary_numbers *all = summary_numbers(s);
  struct summary_heap heap = summary_heap(s);
  char text[4][QUANTITY_SIZE];
  if (heap.known)
    printf("heap         %s: live %s, large %s, fragmented %s\n",
           format_bytes(text[0], 8 * (heap.pool_words + heap.large_words)),
           format_bytes(text[1], 8 * (heap.pool_live_words
                                      + heap.large_words)),
           format_bytes(text[2], 8 * heap.large_words),
           format_bytes(text[3], 8 * heap.fragmented_words));
  if (all->resident_bytes > 0)
    printf("memory       resident %s, mapped %s\n",
           format_bytes(text[0], all->resident_bytes),
           format_bytes(text[1], all->mapped_bytes));
}

/* The smallest total of waits that is printed for a process without
   collections. */
#define NOTABLE_WAITS_NS UINT64_C(10000000)

/* Prints the summary of a process without collections: one line, and a table of
   the waits if they add up to NOTABLE_WAITS_NS. */
static void print_without_collections(struct summary *s, int64_t until_ns)
{
  struct summary_time t = summary_time(s, NULL, until_ns);
  char remark[128], running[QUANTITY_SIZE], waiting[QUANTITY_SIZE];
  if (t.known)
    snprintf(remark, sizeof remark,
             ", no collections, running %s, waiting %s",
             format_part(running, t.running_ns, t.watched_ns),
             format_part(waiting, t.waiting_ns, t.watched_ns));
  else
    snprintf(remark, sizeof remark, ", no collections");
  print_process_and(s, remark);
  if (summary_tally(s, NULL, until_ns).wait_ns >= NOTABLE_WAITS_NS)
    print_timings(s, "wait", true);
}

static void print_with_collections(struct summary *s, int64_t until_ns)
{
  const struct summary_numbers *numbers = summary_numbers(s);
  struct chosen c = choose_domains(s, until_ns);
  struct summary_tally all = summary_tally(s, NULL, until_ns);
  print_process(s);
  print_shares(s, until_ns);
  print_pause_line(&numbers->pauses[PAUSE_ANY]);
  print_longest(s);
  print_collections(&all);
  print_memory(s);
  putchar('\n');
  print_pauses(numbers->pauses);
  print_causes(s);
  print_domains(s, &c, until_ns);
  print_domain_pauses(s, &c);
  print_arrivals(s, &c);
  print_timings(s, "wait", true);
}

void print_summary_until(struct summary *s, int64_t until_ns)
{
  if (summary_has_collections(s, until_ns))
    print_with_collections(s, until_ns);
  else
    print_without_collections(s, until_ns);
  print_timings(s, "span", false);
  print_requests(s);
}

void print_summary(struct summary *s)
{
  print_summary_until(s, summary_until(s));
  print_node(s);
  print_lost(s);
  print_totals(s);
}

/* Prints the head of a total: the number of processes, of their events, and of
   lost ones. */
static void print_total_line(const struct summary_total *total)
{
  printf("all %" PRIu32 " processes: %" PRIu64 " %s, %s%" PRIu64 " lost\n",
         total->processes, total->tally.events,
         total->tally.events == 1 ? "event" : "events",
         total->lost_is_bound && total->lost > 0 ? "at most " : "",
         total->lost);
}

void print_total(const struct summary_total *total)
{
  print_total_line(total);
  print_time(total->time);
  putchar('\n');
  print_active(total->time);
  print_pause_line(&total->pauses[PAUSE_ANY]);
  print_collections(&total->tally);
  if (!any(&total->pauses[PAUSE_ANY]) && !any(&total->pauses[PAUSE_WAITING]))
    return;
  putchar('\n');
  print_pauses(total->pauses);
}
