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


/* The text format: https://prometheus.io/docs/instrumenting/exposition_formats/
   and for the names https://prometheus.io/docs/practices/naming/ */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "common.h"
#include "memory.h"
#include "metrics_text.h"
#include "text.h"

/* Metrics that have a series for each name. */
enum named_metric { WAITS, SPANS, REQUESTS, NAMED_METRICS };

/* The events of a name have a series of their own, or are in the series
   REST_NAME. */
enum place { NEW, OWN, REST };
#define REST_NAME "(other)"

/* Counters of a domain, as they were printed last. */
struct told { uint32_t id; uint64_t running, collecting, waiting; };

struct metrics {
  struct summary *summary;
  uint8_t places[NAMED_METRICS][UINT16_MAX + 1];        /* by id */
  struct told told[SUMMARY_DOMAINS];      /* by the ids of domains */
  uint32_t told_count;
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

/* Begins the metric [name] of the type [type]. */
static void begin(FILE *out, const char *name, const char *type,
                  const char *help)
{
  fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Prints [text] as the value of a label. */
static void print_value(FILE *out, const char *text)
{
  char *safe = escape_text(text, TEXT_LINE);
  if (safe == NULL) {
    out_of_memory();
    return;
  }
  putc('"', out);
  for (const char *c = safe; *c != '\0'; c++) {
    if (*c == '"' || *c == '\\') putc('\\', out);
    putc(*c, out);
  }
  putc('"', out);
  free(safe);
}

/* Prints the begin of a line: [name], and the label [label] with the value
   [value]. */
static void print_labelled(FILE *out, const char *name, const char *label,
                           const char *value)
{
  fprintf(out, "%s{%s=", name, label);
  print_value(out, value);
  putc('}', out);
}

static void print_count(FILE *out, uint64_t value)
{
  fprintf(out, " %" PRIu64 "\n", value);
}

static void print_seconds(FILE *out, uint64_t ns)
{
  fprintf(out, " %.9f\n", (double) ns / 1e9);
}

/* Print a metric that has one series. */
static void print_counter(FILE *out, const char *name, const char *help,
                          uint64_t value)
{
  begin(out, name, "counter", help);
  fputs(name, out);
  print_count(out, value);
}

static void print_gauge(FILE *out, const char *name, const char *help,
                        uint64_t value)
{
  begin(out, name, "gauge", help);
  fputs(name, out);
  print_count(out, value);
}

/* Durations */

/* Prints the durations [h] as the histogram [name], with a label. */
static void print_histogram(FILE *out, const char *name, const char *label,
                            const char *value, const struct histogram *h)
{
  static const struct { uint64_t ns; const char *seconds; } bounds[] = {
    { 10000, "1e-05" }, { 100000, "0.0001" }, { 1000000, "0.001" },
    { 5000000, "0.005" }, { 10000000, "0.01" }, { 50000000, "0.05" },
    { 100000000, "0.1" }, { 500000000, "0.5" }, { 1000000000, "1" },
    { 10000000000, "10" }, { UINT64_MAX, "+Inf" }
  };
  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
    fprintf(out, "%s_bucket{%s=", name, label);
    print_value(out, value);
    fprintf(out, ",le=\"%s\"}", bounds[i].seconds);
    print_count(out, histogram_at_most(h, bounds[i].ns));
  }
  fprintf(out, "%s_sum{%s=", name, label);
  print_value(out, value);
  putc('}', out);
  print_seconds(out, h->total);
  fprintf(out, "%s_count{%s=", name, label);
  print_value(out, value);
  putc('}', out);
  print_count(out, h->count);
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
  const struct eventring_description *d = eventring_describe(s->cursor, id);
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

/* Prints the durations of [names] as the histogram [name] with the label
   [label], and frees [names].  A name stays in its series from one call to the
   next: no counter becomes smaller. */
static void print_names(FILE *out, struct names *names, const char *name,
                        const char *help, const char *label)
{
  if (names->count == 0) return;
  add_up_names(names);
  begin(out, name, "histogram", help);
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
    print_histogram(out, name, label, rest ? REST_NAME : names->of[i].name,
                    sum);
    series++;
  }
  free(sum);
  free(names->of);
}

/* Prints the durations of all waits, of the spans of the program and of its
   requests. */
static void print_timings(FILE *out, struct metrics *m)
{
  struct summary *s = m->summary;
  struct names waits = { .places = m->places[WAITS] },
    spans = { .places = m->places[SPANS] },
    requests = { .places = m->places[REQUESTS] };
  for (uint32_t i = 0; i <= UINT16_MAX; i++) {
    uint16_t id = (uint16_t) i;
    const struct request_kind *kind = request_kind(s->requests, id);
    if (s->timings[id] != NULL && summary_is_wait(s, id))
      add_name(&waits, s, id, s->timings[id]);
    if (s->timings[id] != NULL && summary_is_user(s, id))
      add_name(&spans, s, id, s->timings[id]);
    if (kind != NULL) add_name(&requests, s, id, &kind->total);
  }
  print_names(out, &waits, "ocaml_wait_seconds",
              "Waits of threads that took longer than the threshold.", "wait");
  print_names(out, &spans, "ocaml_span_seconds",
              "Spans of the program that ended.", "span");
  print_names(out, &requests, "ocaml_request_seconds",
              "Requests that ended, from begin to end.", "request");
}

/* The collector and the domains */

static void print_collections(FILE *out, struct summary *s,
                              const struct summary_tally *t)
{
  print_counter(out, "ocaml_minor_collections_total",
                "Minor collections, counted once for all domains.",
                t->minor_collections);
  print_counter(out, "ocaml_major_slices_total",
                "Slices of major collection, in each domain.",
                t->major_slices);
  print_counter(out, "ocaml_major_cycles_total",
                "Major cycles, counted once for all domains.",
                t->major_cycles);
  print_counter(out, "ocaml_compactions_total", "Compactions of the heap.",
                t->compactions);
  print_counter(out, "ocaml_gc_calls_total",
                "Collections that the program called for, such as Gc.major.",
                t->explicit_calls);
  print_counter(out, "ocaml_minor_allocated_bytes_total",
                "Memory allocated in minor heaps.", 8 * t->allocated_words);
  print_counter(out, "ocaml_promoted_bytes_total",
                "Memory that survived a minor collection.",
                8 * t->promoted_words);

  const char *name = "ocaml_gc_causes_total";
  begin(out, name, "counter",
        "Collections and stops of all domains, by activity and cause.");
  for (enum caused caused = 0; caused < CAUSED; caused++)
    for (uint32_t i = 0; i < SUMMARY_CAUSES; i++) {
      char number[24];
      if (s->causes[caused][i] == 0) continue;
      fprintf(out, "%s{activity=\"%s\",cause=", name,
              summary_caused_name[caused]);
      print_value(out, summary_cause_name(s, summary_cause_unit[caused], i,
                                          number));
      putc('}', out);
      print_count(out, s->causes[caused][i]);
    }

  name = "ocaml_gc_pause_seconds";
  begin(out, name, "histogram",
        "Times in which the collector kept the code of a domain from running; "
        "kinds overlap, and any is all of them.");
  for (enum pause pause = 0; pause < PAUSES; pause++)
    print_histogram(out, name, "kind", summary_pause_name[pause],
                    &s->pauses[pause]);
}

/* Returns the counters printed last for domain [i] of the summary, zeros if none
   were.  The caller asks for all domains before [i] first. */
static struct told *told_of(struct metrics *m, uint32_t i)
{
  uint32_t id = m->summary->domains[i]->id;
  if (i == m->told_count || m->told[i].id != id) {
    memmove(&m->told[i + 1], &m->told[i],
            (m->told_count++ - i) * sizeof *m->told);
    m->told[i] = (struct told) { .id = id };
  }
  return &m->told[i];
}

/* Prints [ns], or *told if that is more, and keeps it in *told. */
static void print_time(FILE *out, const char *name, uint32_t domain,
                       const char *state, uint64_t ns, uint64_t *told)
{
  if (ns > *told) *told = ns;
  fprintf(out, "%s{domain=\"%" PRIu32 "\",state=\"%s\"}", name, domain, state);
  print_seconds(out, *told);
}

/* Prints how the domains spent their time.  The event of a wait comes at its
   end: until then, the time of the wait may count as running. */
static void print_times(FILE *out, struct metrics *m, int64_t until_ns)
{
  struct summary *s = m->summary;
  const char *name = "ocaml_domain_seconds_total";
  begin(out, name, "counter",
        "How each domain spent its time; running includes waiting where waits "
        "are not recorded.");
  for (uint32_t i = 0; i < s->domain_count; i++) {
    struct summary_domain *d = s->domains[i];
    struct summary_time time = summary_time(s, d, until_ns);
    struct told *told = told_of(m, i);
    print_time(out, name, d->id, "running", time.running_ns, &told->running);
    print_time(out, name, d->id, "collecting", time.collecting_ns,
               &told->collecting);
    if (time.known)
      print_time(out, name, d->id, "waiting", time.waiting_ns, &told->waiting);
  }
}

static void print_domains(FILE *out, struct metrics *m, int64_t until_ns)
{
  struct summary *s = m->summary;
  print_gauge(out, "ocaml_domains", "Domains that have not ended.",
              summary_living_domains(s));
  print_times(out, m, until_ns);

  const char *name = "ocaml_domain_minor_allocated_bytes_total";
  begin(out, name, "counter", "Memory allocated in the domain's minor heap.");
  for (uint32_t i = 0; i < s->domain_count; i++) {
    struct summary_domain *d = s->domains[i];
    fprintf(out, "%s{domain=\"%" PRIu32 "\"}", name, d->id);
    print_count(out, 8 * summary_tally(s, d, until_ns).allocated_words);
  }
}

static void print_memory(FILE *out, struct summary *s)
{
  const struct summary_heap heap = summary_heap(s);
  if (heap.known) {
    const struct { const char *kind; uint64_t words; } parts[] = {
      { "pool_live", heap.pool_live_words },
      { "pool_free", heap.pool_free_words },
      { "pool_fragmented", heap.fragmented_words },
      { "large", heap.large_words }
    };
    const char *name = "ocaml_heap_bytes";
    begin(out, name, "gauge",
          "The major heap at the end of the last major cycle.");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
      print_labelled(out, name, "kind", parts[i].kind);
      print_count(out, 8 * parts[i].words);
    }
    print_gauge(out, "ocaml_custom_memory_bytes",
                "Memory outside the heap that blocks of it hold.",
                8 * heap.custom_words);
  }
  if (s->resident_bytes == 0) return;
  print_gauge(out, "ocaml_resident_memory_bytes",
              "Resident memory of the process.", s->resident_bytes);
}

void print_metrics(FILE *out, struct metrics *m)
{
  struct summary *s = m->summary;
  int64_t until_ns = summary_until(s);
  struct summary_tally tally = summary_tally(s, NULL, until_ns);
  struct eventring_info info = target_info(s->cursor);

  const char *name = "eventring_process_info";
  begin(out, name, "gauge", "The process.");
  fprintf(out, "%s{pid=\"%" PRIu32 "\",program=", name, info.pid);
  print_value(out, info.program);
  fputs(",runtime=", out);
  print_value(out, info.runtime);
  fputs("} 1\n", out);
  print_gauge(out, "eventring_running",
              "1 while the process runs and is traced.",
              eventring_state(s->cursor) == EVENTRING_STATE_RUNNING);
  name = "eventring_start_time_seconds";
  begin(out, name, "gauge", "When tracing started, since the Unix epoch.");
  fprintf(out, "%s %.3f\n", name, (double) info.started_realtime_ns / 1e9);
  print_counter(out, "eventring_events_total", "Events that were read.",
                tally.events);
  print_counter(out, "eventring_lost_events_total",
                "Events that were overwritten before they were read.",
                lost_events(s->cursor));

  print_domains(out, m, until_ns);
  print_collections(out, s, &tally);
  print_timings(out, m);
  print_memory(out, s);
}
