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
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "category.h"
#include "json.h"
#include "memory.h"
#include "node.h"
#include "requests.h"
#include "spans.h"
#include "target.h"
#include "text.h"

/* Returns [value].  Ends the program with a message if it is NULL, since there
   was no memory for it. */
static json_t *checked(json_t *value)
{
  if (value == NULL) out_of_memory();
  return value;
}

/* Sets the member [key] of [object] to [value], which then belongs to the
   object.  Ends the program when there is no memory, also if [value] is
   NULL. */
static void set(json_t *object, const char *key, json_t *value)
{
  if (json_object_set_new_nocheck(object, key, checked(value)) != 0)
    out_of_memory();
}

/* Appends [value] to [array], to which it then belongs.  Ends the program when
   there is no memory, also if [value] is NULL. */
static void append(json_t *array, json_t *value)
{
  if (json_array_append_new(array, checked(value)) != 0) out_of_memory();
}

static void set_count(json_t *object, const char *key, uint64_t value)
{
  set(object, key, json_integer((json_int_t) value));
}

json_t *json_text(const char *text)
{
  json_t *string = json_string(text);
  if (string != NULL) return string;
  char *escaped = escape_text(text, TEXT_LINE);
  if (escaped == NULL) out_of_memory();
  string = checked(json_string(escaped));
  free(escaped);
  return string;
}

/* Returns a new JSON string with [text], or JSON null if [text] is NULL or
   empty. */
static json_t *text_or_null(const char *text)
{
  return text != NULL && text[0] != '\0' ? json_text(text) : json_null();
}

json_t *json_process(struct eventring_cursor *cursor)
{
  static const char *const states[] = {
    [EVENTRING_STATE_RUNNING] = "running", [EVENTRING_STATE_ENDED] = "ended",
    [EVENTRING_STATE_REPLACED] = "replaced",
    [EVENTRING_STATE_KILLED] = "killed", [EVENTRING_STATE_UNKNOWN] = "unknown"
  };
  static const char *const formats[] = {
    [EVENTRING_FORMAT_RING] = "ring",
    [EVENTRING_FORMAT_RECORDING] = "recording",
    [EVENTRING_FORMAT_STOCK] = "stock",
    [EVENTRING_FORMAT_STREAM] = "stream"
  };
  struct eventring_info info = target_info(cursor);
  int state = eventring_state(cursor);
  if (state < 1 || state > EVENTRING_STATE_UNKNOWN)
    state = EVENTRING_STATE_UNKNOWN;

  json_t *process = checked(json_object());
  set_count(process, "pid", (uint64_t) info.pid);
  set(process, "program", text_or_null(info.program));
  set(process, "argv0", text_or_null(info.argv0));
  set(process, "runtime", text_or_null(info.runtime));
  set(process, "state", json_string(states[state]));
  set(process, "format",
      info.format <= EVENTRING_FORMAT_STREAM
      ? json_string(formats[info.format]) : json_null());
  set_count(process, "started_unix_ns", (uint64_t) info.started_realtime_ns);
  set_count(process, "started_ns", (uint64_t) info.started_ns);
  int64_t cpu_ns = state == EVENTRING_STATE_RUNNING ? process_cpu_ns(cursor)
                                                    : -1;
  set(process, "cpu_ns", cpu_ns >= 0 ? json_integer(cpu_ns) : json_null());
  return process;
}

static void set_quantiles(json_t *object, const struct histogram *h)
{
  set_count(object, "p50_ns", histogram_quantile(h, 0.5));
  set_count(object, "p90_ns", histogram_quantile(h, 0.9));
  set_count(object, "p99_ns", histogram_quantile(h, 0.99));
  set_count(object, "p99_9_ns", histogram_quantile(h, 0.999));
  set_count(object, "max_ns", h->max);
}

static void set_durations(json_t *object, const struct histogram *h)
{
  set_count(object, "count", h->count);
  set_count(object, "total_ns", h->total);
  set_count(object, "deviation_ns", (uint64_t) round(histogram_deviation(h)));
  set_quantiles(object, h);
}

json_t *json_durations(const struct histogram *h)
{
  json_t *durations = checked(json_object());
  set_durations(durations, h);
  return durations;
}

json_t *json_buckets(const struct histogram *h)
{
  json_t *array = json_array();
  for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++)
    if (h->buckets[i] > 0)
      json_array_append_new(array, json_pack(
        "{sIsIsI}", "from_ns", (json_int_t) histogram_low(i),
        "to_ns", (json_int_t) histogram_low(i + 1),
        "count", (json_int_t) h->buckets[i]));
  return array;
}

json_t *json_categories(struct eventring_cursor *cursor)
{
  uint32_t on = recorded_categories(cursor);
  json_t *known = json_array();
  for (uint32_t bit = 0; bit < 32; bit++) {
    const char *name = eventring_category(cursor, bit);
    if (name == NULL) continue;
    json_array_append_new(
      known, json_pack("{s:o,s:b,s:s*}", "name", json_text(name),
                       "recorded", (int) (on >> bit & 1), "meaning",
                       eventring_category_meaning(name)));
  }
  return known;
}

static json_t *pauses(const struct histogram *pauses)
{
  json_t *object = checked(json_object());
  for (enum pause pause = 0; pause < PAUSES; pause++)
    set(object, summary_pause_name[pause], json_durations(&pauses[pause]));
  return object;
}

/* [tells_major]: see summary_tells_major. */
static void set_collections(json_t *object, const struct summary_tally *t,
                            bool tells_major)
{
  set_count(object, "minor_collections", t->minor_collections);
  set_count(object, "major_slices", t->major_slices);
  set_count(object, "major_cycles", t->major_cycles);
  set_count(object, "compactions", t->compactions);
  set_count(object, "explicit_calls", t->explicit_calls);
  set_count(object, "allocated_words", t->allocated_words);
  set_count(object, "promoted_words", t->promoted_words);
  const uint64_t major = t->promoted_words + t->direct_words;
  set(object, "major_allocated_words",
      tells_major ? json_integer((json_int_t) major) : json_null());
}

static void set_amounts(json_t *object, const struct summary_tally *t,
                        bool tells_major)
{
  set_count(object, "events", t->events);
  set_count(object, "watched_ns", t->watched_ns);
  set_count(object, "gc_ns", t->gc_ns);
  set_count(object, "idle_gc_ns", t->idle_gc_ns);
  set(object, "gc_share", json_real(gc_share(t)));
  set_count(object, "wait_ns", t->wait_ns);
  set_collections(object, t, tells_major);
}

/* Sets the members for the time running and waiting, and for the collector's
   share of the active time; all are null if the time waiting is not known, and
   the share is if there was no active time. */
static void set_time(json_t *object, struct summary_time t)
{
  set_count(object, "running_ns", t.running_ns);
  set_count(object, "waiting_ns", t.waiting_ns);
  set(object, "active_gc_share",
      active_ns(&t) > 0 ? json_real(active_gc_share(&t)) : json_null());
  if (t.known) return;
  set(object, "running_ns", json_null());
  set(object, "waiting_ns", json_null());
  set(object, "active_gc_share", json_null());
}

static json_t *heap_or_null(const struct summary_heap *heap)
{
  if (!heap->known) return json_null();
  json_t *object = checked(json_object());
  set_count(object, "pool_words", heap->pool_words);
  set_count(object, "pool_live_words", heap->pool_live_words);
  set_count(object, "pool_free_words", heap->pool_free_words);
  set_count(object, "fragmented_words", heap->fragmented_words);
  set_count(object, "large_words", heap->large_words);
  set_count(object, "custom_words", heap->custom_words);
  return object;
}

/* Returns a new JSON object that describes domain [d] up to [until_ns].  If it
   is [s->others], its id and its name are null. */
static json_t *domain_json(struct summary *s, struct summary_domain *d,
                           int64_t until_ns)
{
  const struct summary_numbers *n = summary_numbers(s);
  const struct domain_numbers *mine = domain_numbers(d);
  struct summary_tally tally = summary_tally(s, d, until_ns);
  const struct summary_time time = summary_time(s, d, until_ns);
  json_t *object = checked(json_object());
  bool others = d == n->others;
  set(object, "id", others ? json_null() : json_integer(mine->id));
  set(object, "name",
      others ? json_null()
             : text_or_null(eventring_domain_name(n->cursor, mine->id)));
  set(object, "ended", json_boolean(mine->ended));
  set(object, "watched_from_ns", mine->watched_from == INT64_MAX
      ? json_null() : json_integer(mine->watched_from));
  set(object, "begin_lost", others ? json_null()
                                   : json_boolean(summary_begin_is_lost(s, d)));
  set_amounts(object, &tally, summary_tells_major(s));
  set_time(object, time);
  set(object, "pauses", pauses(mine->pauses));
  set(object, "arrivals", json_durations(&mine->arrivals));
  set(object, "heap", heap_or_null(&mine->heap));
  set(object, "minor_heap_words", mine->minor_heap_words == 0
      ? json_null() : json_integer((json_int_t) mine->minor_heap_words));
  return object;
}

/* Returns a new JSON object with a member for each cause that was seen of
   activities of kind [caused]: the number of these activities or, if [times] is
   true, an object with their total and longest durations. */
static json_t *causes_of(struct summary *s, enum caused caused, bool times)
{
  const struct summary_numbers *n = summary_numbers(s);
  json_t *object = checked(json_object());
  for (uint32_t i = 0; i < SUMMARY_CAUSES; i++) {
    char number[24];
    if (n->causes[caused][i] == 0) continue;
    json_t *key = json_text(summary_cause_name(s, summary_cause_unit[caused],
                                               i, number));
    if (times) {
      json_t *time = checked(json_object());
      set_count(time, "total_ns", n->cause_ns[caused][i]);
      set_count(time, "max_ns", n->cause_max_ns[caused][i]);
      set(object, json_string_value(key), time);
    } else
      set_count(object, json_string_value(key), n->causes[caused][i]);
    json_decref(key);
  }
  return object;
}

static json_t *causes(struct summary *s, bool times)
{
  json_t *object = checked(json_object());
  for (enum caused caused = 0; caused < CAUSED; caused++)
    set(object, summary_caused_name[caused], causes_of(s, caused, times));
  return object;
}

/* Returns a new JSON object that describes the longest pause and its cause, or
   JSON null when there was no pause. */
static json_t *longest_pause(struct summary *s)
{
  const struct summary_numbers *n = summary_numbers(s);
  const struct summary_longest *longest = &n->longest;
  const struct summary_reason *why = &longest->reason;
  const uint64_t cause = why->stop ? why->longest_stop.reason : why->own.cause;
  const struct eventring_description *d =
    eventring_describe(n->cursor, why->id);
  char number[24];
  if (longest->ns == 0) return json_null();
  json_t *object = checked(json_object());
  set_count(object, "ns", longest->ns);
  set(object, "end_ns", json_integer(longest->end_ns));
  set_count(object, "domain", longest->domain);
  set(object, "name", text_or_null(d != NULL ? d->name : NULL));
  set(object, "cause", cause == UINT64_MAX ? json_null()
      : json_text(summary_cause_name(s, why->stop ? "reason" : "cause", cause,
                                     number)));
  return object;
}

/* Returns a new JSON array with the durations by event id, if [waits] is true
   of the waits, else of the other spans and activities. */
static json_t *timings(struct summary *s, bool waits)
{
  const struct summary_numbers *n = summary_numbers(s);
  json_t *array = checked(json_array());
  for (uint32_t id = 0; id <= UINT16_MAX; id++) {
    if (n->timings[id] == NULL || summary_is_wait(s, (uint16_t) id) != waits)
      continue;
    const struct eventring_description *d = eventring_describe(n->cursor, id);
    json_t *timing = checked(json_object());
    set(timing, "name", text_or_null(d != NULL ? d->name : NULL));
    if (!waits)
      set(timing, "user", json_boolean(summary_is_user(s, (uint16_t) id)));
    set_durations(timing, n->timings[id]);
    append(array, timing);
  }
  return array;
}

/* Returns a new JSON array with the durations of each kind of request. */
static json_t *requests(struct summary *s)
{
  const struct summary_numbers *n = summary_numbers(s);
  json_t *array = checked(json_array());
  for (uint32_t id = 0; id <= UINT16_MAX; id++) {
    const struct request_kind *kind = request_kind(n->requests, (uint16_t) id);
    if (kind == NULL) continue;
    const struct eventring_description *d = eventring_describe(n->cursor, id);
    json_t *request = checked(json_object());
    set(request, "name", text_or_null(d != NULL ? d->name : NULL));
    set_durations(request, &kind->total);
    set_count(request, "not_finished", kind->open);
    set(request, "running", json_durations(&kind->running));
    set(request, "waiting", json_durations(&kind->waiting));
    append(array, request);
  }
  return array;
}

static json_t *counts(struct summary *s)
{
  const struct summary_numbers *n = summary_numbers(s);
  json_t *array = checked(json_array());
  for (uint32_t id = 0; id <= UINT16_MAX; id++) {
    if (n->counts[id] == 0) continue;
    const struct eventring_description *d = eventring_describe(n->cursor, id);
    json_t *count = checked(json_object());
    set(count, "name", text_or_null(d != NULL ? d->name : NULL));
    set_count(count, "count", n->counts[id]);
    append(array, count);
  }
  return array;
}

/* Returns a new JSON object with the last known memory of the process, or JSON
   null when it is not known. */
static json_t *memory(const struct summary *s)
{
  const struct summary_numbers *n = summary_numbers(s);
  if (n->resident_bytes == 0) return json_null();
  json_t *object = checked(json_object());
  set_count(object, "mapped_bytes", n->mapped_bytes);
  set_count(object, "resident_bytes", n->resident_bytes);
  return object;
}

static json_t *clock_sample(const struct eventring_clock_sample *s)
{
  json_t *object = checked(json_object());
  set(object, "monotonic_ns", json_integer(s->monotonic_ns));
  set(object, "realtime_ns", json_integer(s->realtime_ns));
  set_count(object, "bound_ns", s->bound_ns);
  return object;
}

/* Sets the members of [object] that only recordings have: the machine, and the
   samples of its clocks. */
static void set_node(json_t *object, struct eventring_cursor *cursor)
{
  const struct clock_samples samples = clock_samples(cursor);
  json_t *node = node_of(cursor), *clocks;
  if (node != NULL) set(object, "node", node);
  if (samples.count == 0) return;
  clocks = checked(json_object());
  set_count(clocks, "samples", samples.count);
  set(clocks, "first", clock_sample(&samples.first));
  set(clocks, "last", clock_sample(&samples.last));
  set(object, "clocks", clocks);
}

/* Returns whether domain [d] was there in the window of [s]: it had events or
   was watched. */
static bool was_there(struct summary *s, struct summary_domain *d,
                      int64_t until_ns)
{
  const struct summary_tally tally = summary_tally(s, d, until_ns);
  return summary_numbers(s)->from_ns == INT64_MIN || tally.events > 0
    || tally.watched_ns > 0;
}

/* Sets the members for the totals [t] of a ring or of a process. */
static void set_totals(json_t *object, const struct eventring_totals *t)
{
  set_count(object, "domains", t->domains);
  const struct summary_tally tally = tally_of_totals(t);
  set_collections(object, &tally, true);
  set_count(object, "pauses", t->pauses);
  set_count(object, "paused_ns", t->paused_ns);
  set_count(object, "longest_pause_ns", t->longest_pause_ns);
}

/* Returns a new JSON object with the totals of the process of [cursor] and of its
   rings, or null if the file has none. */
static json_t *totals(struct eventring_cursor *cursor)
{
  struct eventring_totals t = { .size = sizeof t };
  if (eventring_get_totals(cursor, EVENTRING_ALL_RINGS, &t) < 0)
    return json_null();
  json_t *object = checked(json_object()), *rings = checked(json_array());
  set_totals(object, &t);
  for (uint32_t i = 0; eventring_get_totals(cursor, i, &t) == 0; i++)
    if (t.domains > 0) {
      json_t *ring = checked(json_object());
      set_count(ring, "ring", i);
      set_count(ring, "last_domain", t.last_domain);
      set_totals(ring, &t);
      append(rings, ring);
    }
  set(object, "rings", rings);
  return object;
}

json_t *json_summary(struct summary *s)
{
  return json_summary_until(s, summary_until(s));
}

json_t *json_summary_until(struct summary *s, int64_t until_ns)
{
  const struct summary_numbers *n = summary_numbers(s);
  struct summary_tally tally = summary_tally(s, NULL, until_ns);
  struct summary_heap heap = summary_heap(s);

  json_t *object = checked(json_object());
  set_count(object, "version", JSON_VERSION);
  set(object, "process", json_process(n->cursor));
  set_count(object, "first_ns", (uint64_t) n->first_ns);
  set_count(object, "last_ns", (uint64_t) n->last_ns);
  set_count(object, "lost_events", lost_events(n->cursor));
  set_node(object, n->cursor);

  json_t *total = checked(json_object());
  set_amounts(total, &tally, summary_tells_major(s));
  set_time(total, summary_time(s, NULL, until_ns));
  set(total, "pauses", pauses(n->pauses));
  set(total, "arrivals", json_durations(&n->arrivals));
  set(total, "heap", heap_or_null(&heap));
  set(object, "total", total);

  json_t *domains = checked(json_array());
  for (uint32_t i = 0; i < n->domain_count; i++)
    if (was_there(s, n->domains[i], until_ns))
      append(domains, domain_json(s, n->domains[i], until_ns));
  if (n->others != NULL && was_there(s, n->others, until_ns))
    append(domains, domain_json(s, n->others, until_ns));
  set(object, "domains", domains);

  set(object, "longest_pause", longest_pause(s));
  set(object, "causes", causes(s, false));
  set(object, "cause_times", causes(s, true));
  set(object, "waits", timings(s, true));
  set(object, "spans", timings(s, false));
  set(object, "requests", requests(s));
  set(object, "counts", counts(s));
  set(object, "memory", memory(s));
  set(object, "totals", totals(n->cursor));
  return object;
}

json_t *json_total(const struct summary_total *t)
{
  json_t *object = checked(json_object()), *total = checked(json_object());
  set_amounts(total, &t->tally, t->tells_major);
  set_time(total, t->time);
  set(total, "pauses", pauses(t->pauses));
  set(total, "arrivals", json_durations(&t->arrivals));

  set_count(object, "version", JSON_VERSION);
  set_count(object, "processes", t->processes);
  set_count(object, "lost_events", t->lost);
  set(object, "total", total);
  return object;
}

json_t *json_interval(struct summary *s, const struct summary_tally *amounts,
                      uint64_t ns)
{
  json_t *object = checked(json_object());
  set_count(object, "interval_ns", ns);
  set_amounts(object, amounts, summary_tells_major(s));
  set(object, "pauses", pauses(summary_numbers(s)->recent));
  struct summary_heap heap = summary_heap(s);
  set(object, "heap", heap_or_null(&heap));
  set(object, "memory", memory(s));
  return object;
}

json_t *json_open_spans(struct summary *s, uint32_t thread, bool program)
{
  const struct summary_numbers *n = summary_numbers(s);
  json_t *names = json_array();
  for (uint32_t ring = 0; ring < n->ring_count; ring++)
    for (const struct eventring_event *begin = outermost_span(n->spans, ring);
         begin != NULL; begin = next_inner_span(n->spans, begin)) {
      const struct eventring_description *d = eventring_describe(n->cursor, begin->id);
      if (begin->thread == thread && d != NULL
          && (!program || summary_is_user(s, begin->id)))
        json_array_append_new(names, json_text(d->name));
    }
  return names;
}

json_t *json_request_of(struct summary *s, uint32_t thread)
{
  const struct summary_numbers *n = summary_numbers(s);
  uint64_t number;
  uint16_t event;
  if (!request_of_thread(n->requests, thread, &number, &event)) return json_null();
  const struct eventring_description *d =
    event == 0 ? NULL : eventring_describe(n->cursor, event);
  return json_pack("{s:I, s:o}", "number", (json_int_t) number,
                   "name", d == NULL ? json_null() : json_text(d->name));
}

char *dump_json(const json_t *value, size_t flags)
{
  char *text = json_dumps(value, flags | JSON_ENSURE_ASCII | JSON_ENCODE_ANY
                                 | JSON_REAL_PRECISION(6));
  if (text == NULL) out_of_memory();
  return text;
}

void print_json(json_t *value, bool one_line)
{
  json_dumpf(value, stdout, JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6)
                             | (one_line ? JSON_COMPACT : JSON_INDENT(2)));
  putchar('\n');
  json_decref(value);
}

json_t *json_control(struct eventring_cursor *cursor)
{
  struct eventring_info info = target_info(cursor);
  uint32_t recorded = recorded_categories(cursor);
  json_t *process = json_process(cursor), *categories = json_array();
  for (uint32_t bit = 0; bit < 32; bit++) {
    const char *name = eventring_category(cursor, bit);
    if (name != NULL && (recorded >> bit & 1) != 0)
      json_array_append_new(categories, json_text(name));
  }
  if (info.pid_is_elsewhere)
    json_object_set_new(process, "pid_namespace",
                        json_integer((json_int_t) info.pid_namespace));
  json_object_set_new(process, "path", json_text(eventring_path(cursor)));
  json_object_set_new(process, "paused", json_boolean(info.active == 0));
  json_object_set_new(process, "categories", categories);
  json_object_set_new(process, "ring_bytes",
                      json_integer((json_int_t) info.ring_words * 8));
  return process;
}

void json_add_named(json_t *object, const char *name, json_t *value)
{
  json_t *key = json_text(name);
  if (json_object_get(object, json_string_value(key)) == NULL)
    json_object_set(object, json_string_value(key), value);
  json_decref(value);
  json_decref(key);
}
