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
#include "summary_text.h"
#include "text.h"

const char *const pause_names[PAUSES] = {
  [PAUSE_MINOR] = "minor", [PAUSE_SLICE] = "major slice",
  [PAUSE_STOPPED] = "stopped", [PAUSE_ANY] = "any"
};

static const char *const caused_names[CAUSED] = {
  [CAUSED_MINOR] = "minor", [CAUSED_SLICE] = "major slice",
  [CAUSED_STOPPED] = "stopped", [CAUSED_CYCLE] = "major cycle",
  [CAUSED_COMPACTION] = "compaction"
};

void print_process(struct summary *s)
{
  struct eventring_info info = target_info(s->cursor);
  char span[QUANTITY_SIZE];
  printf("process %" PRId32 "%s", info.pid, info.program[0] ? " " : "");
  print_text(stdout, info.program, strlen(info.program), TEXT_LINE);
  printf(" (%s): %" PRIu64 " %s over %s\n",
         state_name(eventring_state(s->cursor)), s->events,
         s->events == 1 ? "event" : "events",
         format_duration(span, s->last_ns > s->first_ns
                               ? (uint64_t) s->last_ns - (uint64_t) s->first_ns
                               : 0));
}

void print_domain_name(struct summary *s, const struct summary_domain *domain)
{
  const char *name = domain != s->others
                     ? eventring_domain_name(s->cursor, domain->id) : NULL;
  if (name == NULL) return;
  fputs("  \"", stdout);
  print_text(stdout, name, strlen(name), TEXT_QUOTED);
  putchar('"');
}

/* The most frequent first; of two alike, the first. */
static void print_causes_of(struct summary *s, enum caused caused)
{
  uint64_t left[SUMMARY_CAUSES];
  memcpy(left, s->causes[caused], sizeof left);
  for (uint32_t printed = 0; ; printed++) {
    uint32_t most = 0;
    for (uint32_t i = 1; i < SUMMARY_CAUSES; i++)
      if (left[i] > left[most]) most = i;
    if (left[most] == 0) {
      if (printed > 0) putchar('\n');
      return;
    }
    if (printed == 0)
      printf("%-11s  ", caused_names[caused]);
    else
      fputs(", ", stdout);
    const char *name = eventring_value(s->cursor, summary_cause_unit[caused],
                                       most);
    if (name != NULL)
      print_text(stdout, name, strlen(name), TEXT_COLUMN);
    else if (most < SUMMARY_CAUSES - 1)
      printf("#%" PRIu32, most);
    else
      fputs("others", stdout);
    printf(" %" PRIu64, left[most]);
    left[most] = 0;
  }
}

static bool any_causes(const struct summary *s, enum caused last)
{
  for (enum caused caused = 0; caused <= last; caused++)
    for (uint32_t i = 0; i < SUMMARY_CAUSES; i++)
      if (s->causes[caused][i] > 0) return true;
  return false;
}

void print_causes(struct summary *s, enum caused last)
{
  if (any_causes(s, last)) puts("pause        causes");
  for (enum caused caused = 0; caused <= last; caused++)
    print_causes_of(s, caused);
}

void print_lost(struct summary *s)
{
  uint64_t lost = lost_events(s->cursor);
  if (lost > 0)
    printf("%s%" PRIu64 " %s overwritten before they could be read\n",
           at_most(s->cursor), lost, lost == 1 ? "event was" : "events were");
}

/* Durations */

#define NAME_WIDTH 16

void print_durations_head(const char *what)
{
  printf("%-*s  %7s  %7s  %7s  %7s  %7s  %7s  %7s\n", NAME_WIDTH, what,
         "count", "p50", "p90", "p99", "p99.9", "max", "total");
}

void print_durations(const char *name, const struct histogram *h)
{
  static const double quantiles[] = { 0.5, 0.9, 0.99, 0.999 };
  char text[QUANTITY_SIZE];
  int printed = print_text(stdout, name, strlen(name), TEXT_COLUMN);
  printf("%*s  %7" PRIu64, printed < NAME_WIDTH ? NAME_WIDTH - printed : 0, "",
         h->count);
  for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
    printf("  %7s", h->count == 0 ? "-" :
           format_duration(text, histogram_quantile(h, quantiles[i])));
  printf("  %7s", h->count == 0 ? "-" : format_duration(text, h->max));
  printf("  %7s\n", h->count == 0 ? "-" : format_duration(text, h->total));
}

static bool any(const struct histogram *h)
{
  return h->count > 0;
}

static void print_pauses(struct summary *s)
{
  print_durations_head("pause");
  for (enum pause pause = 0; pause < PAUSES; pause++)
    print_durations(pause_names[pause], &s->pauses[pause]);
}

/* The domains that have rows: of very many, those that were watched for the
   longest time. */
#define DOMAINS_PRINTED 32

struct chosen {
  struct summary_domain *domains[DOMAINS_PRINTED];
  uint32_t count;
};

static int by_id(const void *a, const void *b)
{
  const struct summary_domain *const *x = a, *const *y = b;
  return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

static struct chosen choose_domains(struct summary *s, int64_t until_ns)
{
  struct chosen c = { .count = 0 };
  uint64_t watched[DOMAINS_PRINTED];
  for (uint32_t i = 0; i < s->domain_count; i++) {
    uint64_t ns = summary_tally(s, s->domains[i], until_ns).watched_ns;
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
    c.domains[place] = s->domains[i];
  }
  qsort(c.domains, c.count, sizeof *c.domains, by_id);
  return c;
}

/* How late each domain was when all were to stop. */
static void print_arrivals(struct summary *s, const struct chosen *c)
{
  if (!any(&s->arrivals)) return;
  print_durations_head("arrival at stops");
  for (uint32_t i = 0; i < c->count; i++) {
    char name[32];
    snprintf(name, sizeof name, "domain %" PRIu32, c->domains[i]->id);
    if (any(&c->domains[i]->arrivals))
      print_durations(name, &c->domains[i]->arrivals);
  }
  if (s->domain_count > c->count) print_durations("all", &s->arrivals);
}

/* The names with the most time, of waits or of what the program measures. */
#define TIMINGS_PRINTED 10

static void print_timings(struct summary *s, const char *what, bool waits)
{
  uint16_t ids[TIMINGS_PRINTED] = { 0 };
  uint32_t count = 0, all = 0;
  for (uint32_t id = 0; id <= UINT16_MAX; id++) {
    if (s->timings[id] == NULL
        || !(waits ? summary_is_wait(s, (uint16_t) id)
                   : summary_is_user(s, (uint16_t) id))) continue;
    all++;
    uint32_t place = count < TIMINGS_PRINTED ? count++ : count;
    for (; place > 0 && s->timings[ids[place - 1]]->total
                        < s->timings[id]->total; place--)
      if (place < TIMINGS_PRINTED) ids[place] = ids[place - 1];
    if (place < TIMINGS_PRINTED) ids[place] = (uint16_t) id;
  }
  if (count == 0) return;
  print_durations_head(what);
  for (uint32_t i = 0; i < count; i++)
    print_durations(eventring_describe(s->cursor, ids[i])->name,
                    s->timings[ids[i]]);
  if (all > count)
    printf("and %" PRIu32 " more names with less time in all\n", all - count);
}

/* All of it */

static void print_domain_head(void)
{
  printf("%-6s  %7s  %6s  %6s  %7s  %7s  %9s  %9s  %7s\n", "domain",
         "watched", "gc", "idle", "minor", "slices", "allocated", "promoted",
         "longest");
}

static void print_amounts(const char *domain, const struct summary_tally *t,
                          const struct histogram *pauses)
{
  char watched[QUANTITY_SIZE], share[QUANTITY_SIZE], idle[QUANTITY_SIZE],
    allocated[QUANTITY_SIZE], promoted[QUANTITY_SIZE], longest[QUANTITY_SIZE];
  struct summary_tally asleep = { .watched_ns = t->watched_ns,
                                  .gc_ns = t->idle_gc_ns };
  printf("%-6s  %7s  %6s  %6s  %7" PRIu64 "  %7" PRIu64
         "  %9s  %9s  %7s", domain, format_duration(watched, t->watched_ns),
         format_share(share, gc_share(t)),
         format_share(idle, gc_share(&asleep)),
         t->minor_collections, t->major_slices,
         format_bytes(allocated, 8 * t->allocated_words),
         format_bytes(promoted, 8 * t->promoted_words),
         any(pauses) ? format_duration(longest, pauses->max) : "-");
}

static void print_domains(struct summary *s, const struct chosen *c,
                          int64_t until_ns)
{
  print_domain_head();
  for (uint32_t i = 0; i < c->count; i++) {
    struct summary_domain *d = c->domains[i];
    struct summary_tally t = summary_tally(s, d, until_ns);
    char id[16];
    snprintf(id, sizeof id, "%" PRIu32, d->id);
    print_amounts(id, &t, &d->pauses[PAUSE_ANY]);
    print_domain_name(s, d);
    putchar('\n');
  }
  if (s->domain_count > c->count)
    printf("and %s%" PRIu32 " domains that were watched for less time\n",
           s->others != NULL ? "more than " : "", s->domain_count - c->count);
  if (s->domain_count < 2) return;
  struct summary_tally all = summary_tally(s, NULL, until_ns);
  print_amounts("all", &all, &s->pauses[PAUSE_ANY]);
  putchar('\n');
}

static void print_collections(struct summary *s, int64_t until_ns)
{
  struct summary_tally t = summary_tally(s, NULL, until_ns);
  printf("collections  minor %" PRIu64 ", major cycles %" PRIu64
         ", compactions %" PRIu64 ", calls of Gc %" PRIu64 "\n",
         t.minor_collections, t.major_cycles, t.compactions,
         t.explicit_calls);
}

static void print_memory(struct summary *s)
{
  struct summary_heap heap = summary_heap(s);
  char text[4][QUANTITY_SIZE];
  if (heap.known)
    printf("heap         %s: live %s, large %s, fragmented %s\n",
           format_bytes(text[0], 8 * (heap.pool_words + heap.large_words)),
           format_bytes(text[1], 8 * (heap.pool_live_words
                                      + heap.large_words)),
           format_bytes(text[2], 8 * heap.large_words),
           format_bytes(text[3], 8 * heap.fragmented_words));
  if (s->resident_bytes > 0)
    printf("memory       resident %s, mapped %s\n",
           format_bytes(text[0], s->resident_bytes),
           format_bytes(text[1], s->mapped_bytes));
}

void print_summary(struct summary *s)
{
  int64_t until_ns = summary_until(s);
  print_process(s);
  struct chosen c = choose_domains(s, until_ns);
  print_domains(s, &c, until_ns);
  print_collections(s, until_ns);
  print_memory(s);
  putchar('\n');
  print_pauses(s);
  print_arrivals(s, &c);
  print_timings(s, "wait", true);
  print_timings(s, "span", false);
  print_causes(s, CAUSED_COMPACTION);
  print_lost(s);
}
