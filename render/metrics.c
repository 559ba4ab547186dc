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


/* See metrics.h.  The names follow
   https://prometheus.io/docs/practices/naming/ */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "metrics.h"
#include "target.h"

/* Metrics that have a series for each name. */
enum named_metric { WAITS, SPANS, REQUESTS, NAMED_METRICS };

/* The events of a name have a series of their own, or are in the series
   REST_NAME. */
enum place { NEW, OWN, REST };
#define REST_NAME "(other)"

/* Counters of a domain, as they were written last. */
struct told {
  uint32_t id;
  uint64_t running, collecting, waiting;
  uint64_t minor_words;           /* allocated in its minor heap */
};

struct metrics {
  struct summary *summary;
  uint8_t places[NAMED_METRICS][UINT16_MAX + 1];        /* by id */
  struct told told[SUMMARY_DOMAINS];      /* by the ids of domains */
  uint32_t told_count;
  struct told others;             /* of the domains that are added up */
  bool without_times, without_events;
};

/* Where the metrics go. */
struct out {
  const struct metrics_writer *writer;
  void *state;
};

struct metrics *new_metrics(struct summary *summary)
{
  struct metrics *m = allocate(1, sizeof *m);
  m->summary = summary;
  return m;
}

void free_metrics(struct metrics *m)
{
  free(m);
}

void renew_metrics(struct metrics *m, struct summary *summary)
{
  m->summary = summary;
}

void metrics_of_one_reading(struct metrics *m, bool complete)
{
  m->without_times = true;
  m->without_events = !complete;
}

/* Begin a metric. */
static void begin(struct out *out, const char *name, enum metric_kind kind,
                  enum metric_unit unit, const char *help)
{
  out->writer->begin(out->state, &(struct metric) { name, help, kind, unit });
}

/* Writes a series with a label. */
static void write_labelled(struct out *out, const char *label,
                           const char *value, uint64_t n)
{
  const struct metric_label labels[] = { { label, value } };
  out->writer->value(out->state, labels, 1, n);
}

/* Write a metric that has one series. */
static void write_counter(struct out *out, const char *name,
                          enum metric_unit unit, const char *help, uint64_t n)
{
  begin(out, name, METRIC_COUNTER, unit, help);
  out->writer->value(out->state, NULL, 0, n);
}

static void write_gauge(struct out *out, const char *name,
                        enum metric_unit unit, const char *help, uint64_t n)
{
  begin(out, name, METRIC_GAUGE, unit, help);
  out->writer->value(out->state, NULL, 0, n);
}

/* Durations */

const uint64_t metric_bounds[METRIC_BOUNDS] = {
  10000, 100000, 1000000, 5000000, 10000000, 50000000, 100000000, 500000000,
  1000000000, 10000000000
};

/* Writes the durations [h] as a histogram with a label. */
static void write_histogram(struct out *out, const char *label,
                            const char *value, const struct histogram *h)
{
  const struct metric_label labels[] = { { label, value } };
  out->writer->histogram(out->state, labels, 1, h);
}

/* The durations of an event. */
struct named {
  const char *name;
  const struct histogram *durations;
  uint16_t id;
  enum place place;               /* of all events with this name */
  uint64_t count;                 /* likewise */
};

struct names {
  uint8_t *places;                /* by id */
  size_t count, room;
  struct named *of;
};

/* Adds the durations [h] of the events with the id [id] to [names]. */
static void add_name(struct names *names, struct summary *s, uint16_t id,
                     const struct histogram *h)
{
  const struct eventring_description *d =
    eventring_describe(summary_numbers(s)->cursor, id);
  if (d == NULL || h->count == 0) return;
  if (names->count == names->room) {
    names->room = names->room == 0 ? 64 : 2 * names->room;
    names->of = reallocate(names->of, names->room, sizeof *names->of);
  }
  names->of[names->count++] =
    (struct named) { d->name, h, id, names->places[id], 0 };
}

static int compare_names(const void *a, const void *b)
{
  return strcmp(((const struct named *) a)->name,
                ((const struct named *) b)->name);
}

/* Names with a series of their own first, then the most frequent, then those
   without a series; events with the same name follow each other. */
static int compare_places(const void *a, const void *b)
{
  static const int rank[] = { [OWN] = 0, [NEW] = 1, [REST] = 2 };
  const struct named *x = a, *y = b;
  if (x->place != y->place) return rank[x->place] - rank[y->place];
  if (x->count != y->count) return x->count > y->count ? -1 : 1;
  return strcmp(x->name, y->name);
}

/* Returns the number of elements of [names] from [i] on that have the name of
   the first of them. */
static size_t same_name(const struct names *names, size_t i)
{
  size_t n = 1;
  while (i + n < names->count
         && strcmp(names->of[i + n].name, names->of[i].name) == 0) n++;
  return n;
}

/* Sets the place and the number of events of each name. */
static void add_up_names(struct names *names)
{
  qsort(names->of, names->count, sizeof *names->of, compare_names);
  for (size_t i = 0, n; i < names->count; i += n) {
    uint64_t count = 0;
    enum place place = NEW;
    n = same_name(names, i);
    for (size_t k = i; k < i + n; k++) {
      count += names->of[k].durations->count;
      if (names->of[k].place != NEW) place = names->of[k].place;
    }
    if (strcmp(names->of[i].name, REST_NAME) == 0) place = REST;
    for (size_t k = i; k < i + n; k++) {
      names->of[k].count = count;
      names->of[k].place = place;
    }
  }
  qsort(names->of, names->count, sizeof *names->of, compare_places);
}

/* Writes the durations of [names] as the histogram [name] with the label
   [label], and frees [names].  A name stays in its series from one call to the
   next: no counter becomes smaller. */
static void write_names(struct out *out, struct names *names, const char *name,
                        const char *help, const char *label)
{
  if (names->count == 0) return;
  add_up_names(names);
  begin(out, name, METRIC_HISTOGRAM, METRIC_NS, help);
  struct histogram *sum = allocate(1, sizeof *sum);
  unsigned series = 0;
  for (size_t i = 0, n; i < names->count; i += n) {
    bool rest = series == METRICS_NAMES || names->of[i].place == REST;
    n = rest ? names->count - i : same_name(names, i);
    memset(sum, 0, sizeof *sum);
    for (size_t k = i; k < i + n; k++) {
      histogram_merge(sum, names->of[k].durations);
      names->places[names->of[k].id] = rest ? REST : OWN;
    }
    write_histogram(out, label, rest ? REST_NAME : names->of[i].name, sum);
    series++;
  }
  free(sum);
  free(names->of);
}

/* Writes the durations of all waits, of the spans of the program and of its
   requests. */
static void write_timings(struct out *out, struct metrics *m)
{
  struct summary *s = m->summary;
  const struct summary_numbers *n = summary_numbers(s);
  struct names waits = { .places = m->places[WAITS] },
    spans = { .places = m->places[SPANS] },
    requests = { .places = m->places[REQUESTS] };
  for (uint32_t i = 0; i <= UINT16_MAX; i++) {
    uint16_t id = (uint16_t) i;
    const struct request_kind *kind = request_kind(n->requests, id);
    if (n->timings[id] != NULL && summary_is_wait(s, id))
      add_name(&waits, s, id, n->timings[id]);
    if (n->timings[id] != NULL && summary_is_user(s, id))
      add_name(&spans, s, id, n->timings[id]);
    if (kind != NULL) add_name(&requests, s, id, &kind->total);
  }
  write_names(out, &waits, "ocaml_wait_seconds",
              "Waits of threads that took longer than the threshold.", "wait");
  write_names(out, &spans, "ocaml_span_seconds",
              "Spans of the program that ended.", "span");
  write_names(out, &requests, "ocaml_request_seconds",
              "Requests that ended, from begin to end.", "request");
}

/* The collector and the domains */

static void write_collections(struct out *out, struct summary *s,
                              const struct summary_tally *t)
{
  write_counter(out, "ocaml_minor_collections_total", METRIC_COUNT,
                "Minor collections, counted once for all domains.",
                t->minor_collections);
  write_counter(out, "ocaml_major_slices_total", METRIC_COUNT,
                "Slices of major collection, in each domain.",
                t->major_slices);
  write_counter(out, "ocaml_major_cycles_total", METRIC_COUNT,
                "Major cycles, counted once for all domains.",
                t->major_cycles);
  write_counter(out, "ocaml_compactions_total", METRIC_COUNT,
                "Compactions of the heap.", t->compactions);
  write_counter(out, "ocaml_gc_calls_total", METRIC_COUNT,
                "Collections that the program called for, such as Gc.major.",
                t->explicit_calls);
  write_counter(out, "ocaml_minor_allocated_bytes_total", METRIC_BYTES,
                "Memory allocated in minor heaps.", 8 * t->allocated_words);
  if (summary_tells_major(s))
    write_counter(out, "ocaml_direct_allocated_bytes_total", METRIC_BYTES,
                  "Memory allocated in the major heap, without promoted memory.",
                  8 * t->direct_words);
  write_counter(out, "ocaml_promoted_bytes_total", METRIC_BYTES,
                "Memory that survived a minor collection.",
                8 * t->promoted_words);
}

/* Writes the pauses of the process since tracing started. */
static void write_pauses(struct out *out, const struct eventring_totals *t)
{
  write_counter(out, "ocaml_gc_pauses_total", METRIC_COUNT,
                "Times in which the collector kept the code of a domain from "
                "running, since tracing started.", t->pauses);
  write_counter(out, "ocaml_gc_paused_seconds_total", METRIC_NS,
                "Their time, of all domains added.", t->paused_ns);
  write_gauge(out, "ocaml_gc_longest_pause_seconds", METRIC_NS,
              "The longest of them.", t->longest_pause_ns);
}

/* Writes the causes and the durations of collections, from the events read. */
static void write_causes(struct out *out, struct summary *s)
{
  const struct summary_numbers *n = summary_numbers(s);
  begin(out, "ocaml_gc_causes_total", METRIC_COUNTER, METRIC_COUNT,
        "Collections and stops of all domains, by activity and cause.");
  for (enum caused caused = 0; caused < CAUSED; caused++)
    for (uint32_t i = 0; i < SUMMARY_CAUSES; i++) {
      char number[24];
      const struct metric_label labels[] = {
        { "activity", summary_caused_name[caused] },
        { "cause", summary_cause_name(s, summary_cause_unit[caused], i,
                                      number) }
      };
      if (n->causes[caused][i] != 0)
        out->writer->value(out->state, labels, 2, n->causes[caused][i]);
    }

  begin(out, "ocaml_gc_pause_seconds", METRIC_HISTOGRAM, METRIC_NS,
        "Times in which the collector kept the code of a domain from running; "
        "kinds overlap, and any is all of them.");
  for (enum pause pause = 0; pause < PAUSES; pause++)
    write_histogram(out, "kind", summary_pause_name[pause], &n->pauses[pause]);
}

/* Returns the counters written last for domain [i] of the summary, zeros if none
   were.  The caller asks for all domains before [i] first. */
static struct told *told_of(struct metrics *m, uint32_t i)
{
  uint32_t id = domain_numbers(summary_numbers(m->summary)->domains[i])->id, gone = i;
  /* Domains that are no longer counted by themselves */
  while (gone < m->told_count && m->told[gone].id < id) gone++;
  memmove(&m->told[i], &m->told[gone],
          (m->told_count - gone) * sizeof *m->told);
  m->told_count -= gone - i;
  if (i == m->told_count || m->told[i].id != id) {
    memmove(&m->told[i + 1], &m->told[i],
            (m->told_count++ - i) * sizeof *m->told);
    m->told[i] = (struct told) { .id = id };
  }
  return &m->told[i];
}

/* Writes [ns], or *told if that is more, and keeps it in *told. */
static void write_time(struct out *out, const char *domain, const char *state,
                       uint64_t ns, uint64_t *told)
{
  const struct metric_label labels[] = {
    { "domain", domain }, { "state", state }
  };
  if (ns > *told) *told = ns;
  out->writer->value(out->state, labels, 2, *told);
}

static void write_states(struct out *out, const char *domain,
                         struct summary_time time, struct told *told)
{
  write_time(out, domain, "running", time.running_ns, &told->running);
  write_time(out, domain, "collecting", time.collecting_ns, &told->collecting);
  if (time.known)
    write_time(out, domain, "waiting", time.waiting_ns, &told->waiting);
}

/* Writes how the domains spent their time.  The event of a wait comes at its
   end: until then, the time of the wait may count as running. */
static void write_times(struct out *out, struct metrics *m, int64_t until_ns)
{
  struct summary *s = m->summary;
  const struct summary_numbers *n = summary_numbers(s);
  begin(out, "ocaml_domain_seconds_total", METRIC_COUNTER, METRIC_NS,
        "How each domain spent its time; running includes waiting where waits "
        "are not recorded.");
  for (uint32_t i = 0; i < n->domain_count; i++) {
    struct summary_domain *d = n->domains[i];
    char number[16];
    snprintf(number, sizeof number, "%" PRIu32, domain_numbers(d)->id);
    write_states(out, number, summary_time(s, d, until_ns), told_of(m, i));
  }
  if (n->others != NULL)
    write_states(out, "others", summary_time(s, n->others, until_ns), &m->others);
}

/* Sets *words to the words that domain [d] has allocated in its minor heap: since
   tracing started, if no other domain has had its ring.  Returns false if only
   events tell and these are to be left out. */
static bool minor_words(struct metrics *m, struct summary_domain *d,
                        int64_t until_ns, uint64_t *words)
{
  const struct domain_numbers *mine = domain_numbers(d);
  struct eventring_totals t = { .size = sizeof t };
  if (eventring_get_totals(summary_numbers(m->summary)->cursor, mine->ring, &t) == 0
      && t.domains == 1 && t.last_domain == mine->id) {
    *words = t.allocated_words;
    return true;
  }
  *words = summary_tally(m->summary, d, until_ns).allocated_words;
  return !m->without_events;
}

static void write_minor_words(struct out *out, struct metrics *m,
                              int64_t until_ns)
{
  struct summary *s = m->summary;
  const struct summary_numbers *n = summary_numbers(s);
  begin(out, "ocaml_domain_minor_allocated_bytes_total", METRIC_COUNTER,
        METRIC_BYTES, "Memory allocated in the domain's minor heap.");
  for (uint32_t i = 0; i < n->domain_count; i++) {
    struct summary_domain *d = n->domains[i];
    struct told *told = told_of(m, i);
    uint64_t words;
    char number[16];
    if (!minor_words(m, d, until_ns, &words)) continue;
    /* The ring may have got another domain. */
    if (words > told->minor_words) told->minor_words = words;
    snprintf(number, sizeof number, "%" PRIu32, domain_numbers(d)->id);
    write_labelled(out, "domain", number, 8 * told->minor_words);
  }
  if (n->others == NULL || m->without_events) return;
  const uint64_t words = summary_tally(s, n->others, until_ns).allocated_words;
  if (words > m->others.minor_words) m->others.minor_words = words;
  write_labelled(out, "domain", "others", 8 * m->others.minor_words);
}

static void write_domains(struct out *out, struct metrics *m, int64_t until_ns)
{
  struct summary *s = m->summary;
  write_gauge(out, "ocaml_domains", METRIC_COUNT,
              "Domains that have not ended.", summary_living_domains(s));
  if (!m->without_times) write_times(out, m, until_ns);
  write_minor_words(out, m, until_ns);
}

static void write_memory(struct out *out, struct summary *s)
{
  const struct summary_numbers *n = summary_numbers(s);
  const struct summary_heap heap = summary_heap(s);
  if (heap.known) {
    begin(out, "ocaml_heap_bytes", METRIC_GAUGE, METRIC_BYTES,
          "The major heap at the end of the last major cycle.");
    write_labelled(out, "kind", "pool_live", 8 * heap.pool_live_words);
    write_labelled(out, "kind", "pool_free", 8 * heap.pool_free_words);
    write_labelled(out, "kind", "pool_fragmented", 8 * heap.fragmented_words);
    write_labelled(out, "kind", "large", 8 * heap.large_words);
    write_gauge(out, "ocaml_custom_memory_bytes", METRIC_BYTES,
                "Memory outside the heap that blocks of it hold.",
                8 * heap.custom_words);
  }
  if (n->resident_bytes == 0) return;
  write_gauge(out, "ocaml_resident_memory_bytes", METRIC_BYTES,
              "Resident memory of the process.", n->resident_bytes);
}

/* Writes the facts about the process and about the reading of its events. */
static void write_process(struct out *out, struct metrics *m,
                          const struct summary_tally *tally)
{
  struct summary *s = m->summary;
  const struct summary_numbers *n = summary_numbers(s);
  struct eventring_info info = target_info(n->cursor);
  char pid[16];
  const struct metric_label labels[] = {
    { "pid", pid }, { "program", info.program }, { "runtime", info.runtime }
  };
  snprintf(pid, sizeof pid, "%" PRIu32, info.pid);
  begin(out, "eventring_process_info", METRIC_GAUGE, METRIC_COUNT,
        "The process.");
  out->writer->value(out->state, labels, 3, 1);
  write_gauge(out, "eventring_running", METRIC_COUNT,
              "1 while the process runs and is traced.",
              eventring_state(n->cursor) == EVENTRING_STATE_RUNNING);
  write_gauge(out, "eventring_start_time_seconds", METRIC_UNIX_NS,
              "When tracing started, since the Unix epoch.",
              (uint64_t) traced_since_unix_ns(&info));
  if (!m->without_events)
    write_counter(out, "eventring_events_total", METRIC_COUNT,
                  "Events that were read.", tally->events);
  write_counter(out, "eventring_lost_events_total", METRIC_COUNT,
                "Events that were overwritten before they were read.",
                lost_events(n->cursor));
}

void write_metrics(struct metrics *m, const struct metrics_writer *writer,
                   void *state)
{
  struct out out = { writer, state };
  struct summary *s = m->summary;
  int64_t until_ns = summary_until(s);
  struct eventring_totals totals = { .size = sizeof totals };
  const bool has_totals =
    eventring_get_totals(summary_numbers(s)->cursor, EVENTRING_ALL_RINGS,
                         &totals) == 0;
  struct summary_tally read = summary_tally(s, NULL, until_ns),
    all = has_totals ? tally_of_totals(&totals) : read;
  write_process(&out, m, &read);
  write_domains(&out, m, until_ns);
  write_collections(&out, s, &all);
  if (has_totals) write_pauses(&out, &totals);
  if (!m->without_events) {
    write_causes(&out, s);
    write_timings(&out, m);
  }
  write_memory(&out, s);
}
