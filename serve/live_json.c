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

/* The numbers of a view as JSON.  Times are nanoseconds since the tracing of
   the process started; a number that is not known is null. */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "category.h"
#include "reading.h"
#include "json.h"
#include "live_json.h"
#include "memory.h"
#include "registry.h"
#include "slots.h"
#include "target.h"
#include "timeline.h"

/* Values */

static json_t *number(double value)
{
  return isfinite(value) ? json_real(value) : json_null();
}

static json_t *count(uint64_t value)
{
  return json_integer((json_int_t) value);
}

static json_t *count_or_null(bool known, uint64_t value)
{
  return known ? count(value) : json_null();
}

static json_t *number_or_null(bool known, double value)
{
  return known ? number(value) : json_null();
}

static json_t *share_json(uint16_t share)
{
  return share == SHARE_UNKNOWN ? json_null()
                                : json_real((double) share / SHARE_ALL);
}

static json_t *since_start(const struct view_data *d, int64_t ns)
{
  return json_integer(time_since(ns, d->info.started_ns));
}

static void set(json_t *object, const char *key, json_t *value)
{
  json_object_set_new(object, key, value);
}

json_t *json_id(uint64_t id)
{
  char text[17];
  snprintf(text, sizeof text, "%016" PRIx64, id);
  return json_string(text);
}

static bool is_paused(const struct view_data *d)
{
  return d->info.active == 0 && d->info.format == EVENTRING_FORMAT_RING
         && d->state == EVENTRING_STATE_RUNNING;
}

/* Processes */

static json_t *categories(const struct view_data *d)
{
  json_t *list = json_array();
  uint32_t recorded = recorded_categories(d->cursor);
  for (uint32_t bit = 0; bit < 32; bit++) {
    const char *name = eventring_category(d->cursor, bit);
    if (name != NULL && (recorded >> bit & 1) != 0)
      json_array_append_new(list, json_text(name));
  }
  return list;
}

/* Returns the tier of 1 s, or of 100 ms when there is no row of 1 s yet. */
static enum history_tier tier_of_last_row(const struct view_data *d)
{
  return history_count(d->history, HISTORY_1S) > 0 ? HISTORY_1S
                                                   : HISTORY_100MS;
}

/* Returns the last row of tier_of_last_row, or NULL. */
static const struct history_row *last_row(const struct view_data *d)
{
  const enum history_tier tier = tier_of_last_row(d);
  uint64_t rows = history_count(d->history, tier);
  return rows == 0 ? NULL : history_row(d->history, tier, rows - 1);
}

/* Returns what is damaged in the file, or why it cannot be read on; null if all is
   well. */
static json_t *damage(const struct view_data *d)
{
  char text[DAMAGE_TEXT];
  if (d->failure != 0) return json_string(eventring_strerror(d->failure));
  return describe_damage(d->info.damaged_at, d->damaged, text, sizeof text)
         ? json_string(text) : json_null();
}

/* Sets the numbers of the last seconds. */
static void set_numbers(json_t *p, struct view_data *d)
{
  struct live_process live = live_process(d->live, d->now_ns, SECOND_NS);
  const struct history_row *row = last_row(d);
  const bool known = row != NULL && row->known && !is_paused(d);
  uint64_t resident = d->resident_bytes != 0 ? d->resident_bytes
                                             : live.resident;
  set(p, "gc_share", number_or_null(known, live.gc_share));
  set(p, "utilisation_share", !known ? json_null() :
      json_real((double) (row->running + row->collecting) / SHARE_ALL));
  const uint32_t active = known ? row->running + row->collecting : 0;
  set(p, "active_gc_share", number_or_null(active > 0, active == 0 ? 0
        : (double) row->collecting / active));
  set(p, "processors", number_or_null(d->processors >= 0, d->processors));
  set(p, "alloc_bytes_per_s", number_or_null(known, 8 * live.words_rate));
  set(p, "pauses_per_s", number_or_null(known, live.pause_rate));
  set(p, "p50_ns", count_or_null(live.pauses > 0, live.p50));
  set(p, "p99_ns", count_or_null(live.pauses > 0, live.p99));
  set(p, "max_ns", count_or_null(live.pauses > 0, live.max));
  set(p, "heap_bytes", count_or_null(live.heap_known, 8 * live.heap_words));
  set(p, "resident_bytes", count_or_null(resident != 0, resident));
  set(p, "events_per_s", number_or_null(known, live.event_rate));
  set(p, "lost_events", count(lost_events(d->cursor) - d->lost_before));
  set(p, "damage", damage(d));
}

static uint32_t running_domains(const struct summary *s)
{
  const struct summary_numbers *n = summary_numbers(s);
  uint32_t running = 0;
  for (uint32_t i = 0; i < n->domain_count; i++)
    running += !domain_numbers(n->domains[i])->ended;
  return running;
}

/* Returns the [member] of the last diagnosis, null before the first. */
static json_t *of_diagnosis(const struct view_data *d, const char *member)
{
  return d->diagnosis != NULL ? json_incref(json_object_get(d->diagnosis, member))
                              : json_null();
}

/* Sets the members of a process, *[state], from its view. */
static void set_process(struct view_data *d, void *state)
{
  json_t *p = *(json_t **) state;
  json_t *process = json_process(d->cursor);
  json_object_update(p, process);
  json_decref(process);
  set(p, "pid", json_integer(d->pid));
  set(p, "path", json_text(eventring_path(d->cursor)));
  set(p, "paused", json_boolean(is_paused(d)));
  set(p, "categories", categories(d));
  set(p, "threshold_ns", count_or_null(d->info.threshold_ns != 0,
                                       d->info.threshold_ns));
  set(p, "profile_rate_hz",
      number_or_null(d->info.sample_period_ns != 0,
                     1e9 / (double) d->info.sample_period_ns));
  set(p, "alloc_period_words",
      count_or_null(d->info.alloc_period_words != 0,
                    d->info.alloc_period_words));
  set(p, "reading", json_boolean(d->reading));
  set(p, "now_ns", since_start(d, d->now_ns));
  set(p, "domains", count(running_domains(live_summary(d->live))));
  set_numbers(p, d);
  set(p, "verdict", of_diagnosis(d, "verdict"));
  set(p, "verdict_unix_ns", count_or_null(d->diagnosis != NULL,
                                          (uint64_t) d->findings_made_unix_ns));
  set(p, "level", of_diagnosis(d, "level"));
  set(p, "findings", d->findings != NULL ? json_deep_copy(d->findings)
                                         : json_array());
}

static void add_process(void *state, const struct registry_entry *entry)
{
  json_t *p = json_object();
  set(p, "id", json_id(entry->id));
  set(p, "pid", entry->pid != 0 ? json_integer(entry->pid) : json_null());
  if (entry->view == NULL)
    set(p, "error", json_text(entry->error));
  else if (!view_look(entry->view, set_process, &p))
    set(p, "error", json_string(VIEW_CUT));
  json_array_append_new(state, p);
}

json_t *json_processes(void)
{
  json_t *list = json_array();
  visit_registry(add_process, list);
  return json_pack("{s:o}", "processes", list);
}

/* History */

static bool has_rates(const struct history_row *row)
{
  return row->known && !row->cut;
}

/* The columns of a row that have one value each: COLUMN(name, value), of the row
   [row] of the view [d]. */
#define ROW_COLUMNS(COLUMN)                                                      \
  COLUMN(t, since_start(d, row->ns))                                             \
  COLUMN(running, share_json(row->running))                                      \
  COLUMN(collecting, share_json(row->collecting))                                \
  COLUMN(waiting, share_json(row->waiting))                                      \
  COLUMN(alloc_bytes_per_s, number_or_null(has_rates(row), row->alloc_bytes_per_s)) \
  COLUMN(promoted_bytes_per_s,                                                   \
         number_or_null(has_rates(row), row->promoted_bytes_per_s))              \
  COLUMN(heap_bytes, count_or_null(row->heap_bytes != 0, row->heap_bytes))       \
  COLUMN(resident_bytes,                                                         \
         count_or_null(row->resident_bytes != 0, row->resident_bytes))           \
  COLUMN(p50_ns, count_or_null(row->pauses > 0, row->p50_ns))                    \
  COLUMN(p99_ns, count_or_null(row->pauses > 0, row->p99_ns))                    \
  COLUMN(max_ns, count_or_null(row->pauses > 0, row->max_ns))                    \
  COLUMN(pauses, count_or_null(has_rates(row), row->pauses))                     \
  COLUMN(events, count_or_null(has_rates(row), row->events))                     \
  COLUMN(lost, count(row->lost))

enum {
#define NUMBER(name, value) COLUMN_##name,
  ROW_COLUMNS(NUMBER)
  COLUMNS
#undef NUMBER
};

static const char *const column_names[COLUMNS] = {
#define NAME(name, value) #name,
  ROW_COLUMNS(NAME)
#undef NAME
};

/* Returns the value of column [which]. */
static json_t *column(const struct view_data *d, const struct history_row *row,
                      size_t which)
{
  switch (which) {
#define VALUE(name, value) case COLUMN_##name: return value;
  ROW_COLUMNS(VALUE)
#undef VALUE
  default: return json_null();
  }
}

/* A row, and where its values go: to members of an object for one row, or as
   element [at] to the arrays of an object of columns. */
struct row_writer {
  json_t *object;
  bool columns;
  size_t at;
  const struct view_data *data;
  enum history_tier tier;
  uint64_t number;
  const struct history_row *row;
  json_t *keys[HISTORY_KINDS][HISTORY_NAMES];   /* names as strings; NULL: no
                                                   more */
  struct long_span *open_waits;   /* see list_open_waits */
  size_t open_wait_count;
};

/* Fills the names and the open waits of [writer], which has its data. */
static void begin_rows(struct row_writer *writer)
{
  const struct history *h = writer->data->history;
  writer->open_waits = allocate(LIVE_THREADS, sizeof *writer->open_waits);
  writer->open_wait_count = live_open_waits(writer->data->live, writer->open_waits);
  for (int kind = 0; kind < HISTORY_KINDS; kind++)
    for (uint32_t i = 0; i < HISTORY_NAMES; i++) {
      const char *name = history_name(h, (enum history_kind) kind, i);
      writer->keys[kind][i] = name != NULL ? json_text(name) : NULL;
    }
}

static void end_rows(struct row_writer *writer)
{
  free(writer->open_waits);
  for (int kind = 0; kind < HISTORY_KINDS; kind++)
    for (uint32_t i = 0; i < HISTORY_NAMES; i++)
      json_decref(writer->keys[kind][i]);
}

/* Appends null to [array] until it has [rows] elements. */
static void pad(json_t *array, size_t rows)
{
  while (json_array_size(array) < rows)
    json_array_append_new(array, json_null());
}

/* Returns the member [name] of [object].  Adds it if necessary; [new] makes
   it. */
static json_t *member(json_t *object, const char *name, json_t *(*new)(void))
{
  json_t *value = json_object_get(object, name);
  if (value != NULL) return value;
  set(object, name, new());
  return json_object_get(object, name);
}

/* Sets the member [key] of [object], or the element for the present row in its
   array [key].  Two names of a program may have the same text: the row then has
   the value of the first. */
static void put(struct row_writer *writer, json_t *object, const char *key,
                json_t *value)
{
  if (!writer->columns) {
    set(object, key, value);
    return;
  }
  json_t *array = member(object, key, json_array);
  pad(array, writer->at);
  if (json_array_size(array) == writer->at) json_array_append_new(array, value);
  else json_decref(value);
}

static void put_domains(struct row_writer *writer)
{
  json_t *domains = member(writer->object, "domains", json_object);
  for (uint32_t i = 0; i < writer->row->domain_count; i++) {
    const struct history_domain d = history_domain(writer->data->history,
                                                   writer->tier, writer->number, i);
    char key[16];
    snprintf(key, sizeof key, "%" PRIu32, d.id);
    json_t *domain = member(domains, key, json_object);
    put(writer, domain, "running", share_json(d.running));
    put(writer, domain, "collecting", share_json(d.collecting));
  }
}

static void put_counters(struct row_writer *writer)
{
  json_t *counters = member(writer->object, "counters", json_object);
  for (uint32_t i = 0; i < writer->row->names[HISTORY_COUNTER]; i++)
    if ((writer->row->counters_known >> i & 1) != 0)
      put(writer, counters, json_string_value(writer->keys[HISTORY_COUNTER][i]),
          json_integer(history_last(writer->data->history, writer->tier,
                                    writer->number, i)));
}

static double row_seconds(const struct row_writer *writer)
{
  return (double) history_step_ns[writer->tier] / (double) SECOND_NS;
}

/* Puts the rates and mean durations of the spans or requests (see [kind]) of
   the row into the object [name]. */
static void put_ended(struct row_writer *writer, const char *name,
                      enum history_kind kind)
{
  const struct history_row *row = writer->row;
  json_t *object = member(writer->object, name, json_object);
  for (uint32_t i = 0; i < row->names[kind]; i++) {
    const struct history_ended ended = history_ended(
      writer->data->history, writer->tier, writer->number, kind, i);
    json_t *of = member(object, json_string_value(writer->keys[kind][i]),
                        json_object);
    const bool any = row->user_known && ended.count > 0;
    put(writer, of, "per_s",
        number_or_null(row->user_known && !row->cut,
                       (double) ended.count / row_seconds(writer)));
    put(writer, of, "mean_ns", count_or_null(any,
                                           any ? ended.ns / ended.count : 0));
  }
}

/* Returns [ns] nanoseconds of waits as a share of the time of the row. */
static double wait_share(const struct row_writer *writer, uint64_t ns)
{
  return (double) ns / (SECOND_NS * row_seconds(writer));
}

/* Puts the waits that go on, or went on when the process ended: their kind is known
   when they end. */
static void put_open_waits(struct row_writer *writer, json_t *waits)
{
  const int64_t from_ns = writer->row->ns,
    to_ns = time_after(from_ns, history_step_ns[writer->tier]);
  uint64_t ns = 0;
  for (size_t i = 0; i < writer->open_wait_count; i++)
    ns += overlap(writer->open_waits[i].from_ns, INT64_MAX, from_ns, to_ns);
  put(writer, waits, TIMELINE_OPEN_WAIT, number(wait_share(writer, ns)));
}

static void put_waits(struct row_writer *writer)
{
  json_t *waits = member(writer->object, "waits", json_object);
  /* Also without such a wait: an earlier answer may have had one in this row. */
  if (writer->row->waits_known) put_open_waits(writer, waits);
  for (uint32_t i = 0; i < writer->row->names[HISTORY_WAIT]; i++) {
    const uint64_t ns = history_waits_ns(writer->data->history, writer->tier,
                                         writer->number, i);
    put(writer, waits, json_string_value(writer->keys[HISTORY_WAIT][i]),
        number_or_null(writer->row->waits_known, wait_share(writer, ns)));
  }
}

static void put_heap(struct row_writer *writer)
{
  const struct summary_heap *h = &writer->row->heap;
  const struct { const char *name; uint64_t words; } kinds[] = {
    { "pool_live_bytes", h->pool_live_words },
    { "large_bytes", h->large_words },
    { "pool_free_bytes", h->pool_free_words },
    { "fragmented_bytes", h->fragmented_words },
    { "custom_bytes", h->custom_words }
  };
  json_t *heap = member(writer->object, "heap", json_object);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    put(writer, heap, kinds[i].name,
        count_or_null(writer->row->known && h->known, 8 * kinds[i].words));
}

/* The values of a row in groups: the COLUMNS, then objects. */
enum {
  GROUP_DOMAINS = COLUMNS, GROUP_COUNTERS, GROUP_SPANS, GROUP_REQUESTS,
  GROUP_WAITS, GROUP_HEAP, GROUPS
};

static void put_group(struct row_writer *writer, size_t group)
{
  switch (group) {
  case GROUP_DOMAINS: put_domains(writer); break;
  case GROUP_COUNTERS: put_counters(writer); break;
  case GROUP_SPANS: put_ended(writer, "spans", HISTORY_SPAN); break;
  case GROUP_REQUESTS: put_ended(writer, "requests", HISTORY_REQUEST); break;
  case GROUP_WAITS: put_waits(writer); break;
  case GROUP_HEAP: put_heap(writer); break;
  default:
    put(writer, writer->object, column_names[group],
        column(writer->data, writer->row, group));
  }
}

/* Makes row [number] the row of [writer]. */
static void set_row(struct row_writer *writer, uint64_t number)
{
  writer->number = number;
  writer->row = history_row(writer->data->history, writer->tier, number);
}

/* Pads each array of the object [columns_of], or of the objects in it. */
static void pad_all(json_t *columns_of, size_t rows)
{
  void *at = json_object_iter(columns_of);
  for (; at != NULL; at = json_object_iter_next(columns_of, at)) {
    json_t *value = json_object_iter_value(at);
    if (json_is_array(value)) pad(value, rows);
    else pad_all(value, rows);
  }
}

struct history_request { enum history_tier tier; char *text; };

/* The flags of JSON texts. */
#define JSON_FLAGS (JSON_ENSURE_ASCII | JSON_COMPACT | JSON_REAL_PRECISION(6))

static void print_share(FILE *out, uint16_t share)
{
  if (share == SHARE_UNKNOWN) fputs("null", out);
  else if (share == SHARE_ALL) fputs("1.0", out);
  else fprintf(out, "0.%04" PRIu16, share);
}

/* Prints the column [collecting] or running of the domain to which the [count]
   elements of [list] belong, of [rows] rows from [first] on. */
static void print_column(FILE *out, const struct history_share *list,
                         size_t count, bool collecting, uint64_t first,
                         uint64_t rows)
{
  putc('[', out);
  for (uint64_t i = 0; i < rows; i++) {
    if (i > 0) putc(',', out);
    if (count == 0 || list->number != first + i) {
      fputs("null", out);
      continue;
    }
    print_share(out, collecting ? list->domain.collecting
                                : list->domain.running);
    list++;
    count--;
  }
  putc(']', out);
}

/* Prints the group of the domains: it has most of the values of a history, so
   they do not become JSON values.  A program may have had thousands of domains in
   this time, each with a value for each row: HISTORY_DOMAINS have columns. */
static void print_domains(struct row_writer *writer, FILE *out)
{
  struct history *h = writer->data->history;
  const uint64_t first = history_first(h, writer->tier),
    end = history_whole(h, writer->tier);
  size_t count;
  struct history_share *list = history_shares(h, writer->tier, first, end,
                                              &count);
  size_t found, shown = 0;
  struct history_rows *domains = history_rows(list, count, HISTORY_DOMAINS,
                                              &found);
  fputs("\"domains\":{", out);
  for (; shown < found && shown < HISTORY_DOMAINS; shown++) {
    const size_t rows = domains[shown].count;
    const struct history_share *of = &list[domains[shown].at];
    fprintf(out, "%s\"%" PRIu32 "\":{\"running\":", shown > 0 ? "," : "",
            of->domain.id);
    print_column(out, of, rows, false, first, end - first);
    fputs(",\"collecting\":", out);
    print_column(out, of, rows, true, first, end - first);
    putc('}', out);
  }
  fprintf(out, "},\"domains_left_out\":%zu,", found - shown);
  free(domains);
  free(list);
}

/* Prints one group of columns after the other, so that only one needs memory as
   JSON values, which take ten times as much as the text. */
static void print_groups(struct row_writer *writer, FILE *out)
{
  const struct history *h = writer->data->history;
  const uint64_t first = history_first(h, writer->tier),
    end = history_whole(h, writer->tier);
  print_domains(writer, out);
  for (size_t group = 0; group < GROUPS; group++) {
    if (group == GROUP_DOMAINS) continue;
    writer->object = json_object();
    if (group < COLUMNS) member(writer->object, column_names[group], json_array);
    for (uint64_t i = first; i < end; i++) {
      set_row(writer, i);
      writer->at = i - first;
      put_group(writer, group);
    }
    pad_all(writer->object, end - first);
    if (json_object_size(writer->object) > 0) {
      json_dumpf(writer->object, out, JSON_FLAGS | JSON_EMBED);
      putc(',', out);
    }
    json_decref(writer->object);
  }
}

static void fill_history(struct view_data *d, void *state)
{
  struct history_request *request = state;
  struct row_writer writer = { .columns = true, .data = d, .tier = request->tier };
  size_t size;
  FILE *out = open_memstream(&request->text, &size);
  if (out == NULL) out_of_memory();
  begin_rows(&writer);
  putc('{', out);
  print_groups(&writer, out);
  fprintf(out, "\"tier_ns\":%" PRId64 ",\"reading\":%s}",
          history_step_ns[request->tier], d->reading ? "true" : "false");
  end_rows(&writer);
  if (fclose(out) != 0) out_of_memory();
}

char *history_text(struct view *view, enum history_tier tier)
{
  struct history_request request = { .tier = tier };
  if (view_look(view, fill_history, &request)) return request.text;
  free(request.text);
  return NULL;
}

static void take_ticks(struct view_data *d, void *state)
{
  json_t *rows = state;
  struct row_writer writer = { .data = d, .tier = HISTORY_100MS };
  const uint64_t end = history_whole(d->history, HISTORY_100MS),
    first = history_first(d->history, HISTORY_100MS);
  /* The client asks for the history of a file that is being read. */
  if (d->reading || d->sent < first) d->sent = d->reading ? end : first;
  if (end - d->sent > TICKS_AT_ONCE) d->sent = end - TICKS_AT_ONCE;
  if (d->sent == end) return;
  begin_rows(&writer);
  for (; d->sent < end; d->sent++) {
    writer.object = json_object();
    set_row(&writer, d->sent);
    for (size_t group = 0; group < GROUPS; group++) put_group(&writer, group);
    json_array_append_new(rows, writer.object);
  }
  end_rows(&writer);
}

json_t *json_ticks(struct view *view)
{
  json_t *rows = json_array();
  view_look(view, take_ticks, rows);
  return rows;
}

static void leave_ticks(struct view_data *d, void *state)
{
  (void) state;
  d->sent = history_whole(d->history, HISTORY_100MS);
}

void skip_ticks(struct view *view)
{
  view_look(view, leave_ticks, NULL);
}

/* Details */

/* The most domains and spans in the details. */
#define MOST_DOMAINS 256
#define MOST_SPANS 256

static json_t *name_or_null(const char *name)
{
  return name[0] != '\0' ? json_text(name) : json_null();
}

/* Returns the present activity of a domain or a thread, as a JSON string or
   null: its open spans, and the state of its threads in the system, a letter of
   /proc, or 0 when it is not known. */
static json_t *activity(const struct view_data *v, bool ended,
                        const char *runtime_span, const char *user_span,
                        char state)
{
  if (ended) return json_string("ended");
  if (is_paused(v)) return json_string("not recorded");
  if (runtime_span[0] != '\0') return json_text(runtime_span);
  if (state == 'D') return json_string("blocked");
  if (state != 0 && state != 'R') return json_string("waiting");
  if (user_span[0] != '\0') return json_text(user_span);
  return v->state == EVENTRING_STATE_RUNNING ? json_string("running")
                                             : json_null();
}

/* Returns the state of the threads of domain [d]: 'R' if one runs, 'S' if all
   sleep, 0 if none is known. */
static char state_of_threads(const struct view_data *v,
                             const struct live_domain *d)
{
  bool any = false, runs = false;
  for (size_t i = 0; i < sizeof d->threads / sizeof *d->threads; i++) {
    char state = v->state != EVENTRING_STATE_RUNNING || d->threads[i] == 0
                 ? 0 : eventring_thread_state(v->cursor, d->threads[i]);
    any |= state != 0 && state != 'X';
    runs |= state == 'R';
  }
  return runs ? 'R' : any ? 'S' : 0;
}

/* Returns the share of the last second in which domain [id] waited; null if it
   is not known. */
static json_t *waiting_share(const struct view_data *v, uint32_t id)
{
  const struct history_row *row = last_row(v);
  if (row == NULL || !row->waits_known || is_paused(v)) return json_null();
  const enum history_tier tier = tier_of_last_row(v);
  const uint64_t number = history_count(v->history, tier) - 1;
  for (uint32_t i = 0; i < row->domain_count; i++) {
    const struct history_domain d = history_domain(v->history, tier, number, i);
    if (d.id == id && d.running != SHARE_UNKNOWN)
      return share_json((uint16_t) (SHARE_ALL - d.running - d.collecting));
  }
  return json_null();
}

static json_t *domain_list(struct view_data *v)
{
  struct live_domain *list = allocate(MOST_DOMAINS, sizeof *list);
  int n = live_domains(v->live, v->now_ns, SECOND_NS, list, MOST_DOMAINS);
  json_t *array = json_array();
  for (int i = 0; i < n; i++) {
    const struct live_domain *d = &list[i];
    json_array_append_new(array, json_pack(
      "{s:I, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I}",
      "id", (json_int_t) d->id, "name", name_or_null(d->name),
      "ended", d->ended, "activity",
      activity(v, d->ended, d->runtime_span, d->user_span,
               state_of_threads(v, d)),
      "user_span", name_or_null(d->user_span),
      "wait", name_or_null(d->wait), "wait_share", waiting_share(v, d->id),
      "gc_share", number(d->gc_share),
      "alloc_bytes_per_s", number(8 * d->words_rate),
      "minor_per_s", number(d->minor_rate),
      "slices_per_s", number(d->slice_rate),
      "last_pause_ns", (json_int_t) d->last_pause,
      "max_pause_ns", (json_int_t) d->max_pause));
  }
  free(list);
  return array;
}

/* Returns the share of the last second in which thread [t] ran, at most. */
static double running_share(const struct live_thread *t)
{
  double rest = 1 - t->gc_share - t->wait_share;
  return rest > 0 ? rest : 0;
}

static json_t *thread_json(const struct view_data *v,
                           const struct live_thread *t)
{
  const bool known = !t->ended && !is_paused(v);
  struct summary *s = live_summary(v->live);
  return json_pack(
    "{s:I, s:o, s:o, s:I, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o,"
    " s:o, s:o, s:o}",
    "id", (json_int_t) t->thread,
    "thread_id", t->thread_id >= 0 ? json_integer(t->thread_id) : json_null(),
    "name", name_or_null(t->name), "domain", (json_int_t) t->domain,
    "backup", t->backup, "ended", t->ended, "activity",
    activity(v, t->ended, t->runtime_span, t->user_span, t->state),
    "spans", t->ended ? json_array() : json_open_spans(s, t->thread, true),
    "request", t->ended ? json_null() : json_request_of(s, t->thread),
    "wait", name_or_null(t->wait),
    "wait_ns", t->wait[0] != '\0' ? json_integer(t->wait_ns) : json_null(),
    "waiting_ns", t->waits_since_ns == INT64_MAX || t->ended ? json_null()
    : json_integer(v->now_ns < t->waits_since_ns ? 0
                   : time_since(v->now_ns, t->waits_since_ns)),
    "running_share", number_or_null(known && !t->backup, running_share(t)),
    "gc_share", number_or_null(known, t->gc_share),
    "wait_share", number_or_null(known && !t->backup, t->wait_share),
    "first_ns", since_start(v, t->first_ns),
    "last_ns", since_start(v, t->last_ns));
}

static json_t *thread_list(struct view_data *v)
{
  struct live_thread *list = allocate(LIVE_THREADS, sizeof *list);
  int n = live_threads(v->live, v->now_ns, list, LIVE_THREADS);
  json_t *array = json_array();
  for (int i = 0; i < n; i++)
    json_array_append_new(array, thread_json(v, &list[i]));
  free(list);
  return array;
}

static json_t *span_list(struct view_data *v)
{
  struct live_span *list = allocate(MOST_SPANS, sizeof *list);
  int n = live_spans(v->live, v->now_ns, list, MOST_SPANS);
  json_t *array = json_array();
  for (int i = 0; i < n; i++)
    json_array_append_new(array, json_pack(
      "{s:o, s:o, s:o, s:I, s:I}", "name", json_text(list[i].name),
      "per_s", number(list[i].rate), "share", number(list[i].share),
      "mean_ns", (json_int_t) list[i].mean,
      "max_ns", (json_int_t) list[i].max));
  free(list);
  return array;
}

json_t *json_long_pauses(const struct long_pause *list, int count, int64_t started_ns)
{
  json_t *array = json_array();
  for (int i = 0; i < count; i++)
    json_array_append_new(array, json_pack(
      "{s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}",
      "end_ns", (json_int_t) time_since(list[i].end_ns, started_ns),
      "duration_ns", (json_int_t) list[i].ns,
      "domain", (json_int_t) list[i].domain,
      "domains", (json_int_t) list[i].domains,
      "requested_by", count_or_null(list[i].requested_by != UINT64_MAX,
                                    list[i].requested_by),
      "arrived_last", count_or_null(list[i].arrived_last != UINT64_MAX,
                                    list[i].arrived_last),
      "name", name_or_null(list[i].name),
      "cause", name_or_null(list[i].cause)));
  return array;
}

json_t *json_live_pauses(const struct view_data *v, int64_t from_ns)
{
  struct long_pause list[LONG_PAUSES];
  const int count = list_long_pauses(live_long_pauses(v->live), from_ns, INT64_MAX,
                                     list);
  return json_long_pauses(list, count, v->info.started_ns);
}

static json_t *counter_list(const struct history *h)
{
  json_t *array = json_array();
  const char *name;
  for (uint32_t i = 0; (name = history_name(h, HISTORY_COUNTER, i)) != NULL;
       i++)
    json_array_append_new(array, json_pack(
      "{s:o, s:I}", "name", json_text(name),
      "value", (json_int_t) history_counter(h, i)));
  return array;
}

static void fill_detail(struct view_data *v, void *state)
{
  struct summary *s = live_summary(v->live);
  /* Waits, causes and requests are those of all that was read. */
  json_t *all = json_summary(s), *detail = json_object();
  *(json_t **) state = detail;
  set(detail, "now_ns", since_start(v, v->now_ns));
  set(detail, "domains", domain_list(v));
  set(detail, "threads", thread_list(v));
  set(detail, "spans", span_list(v));
  set(detail, "long_pauses", json_live_pauses(v, v->now_ns - LONG_PAUSES_S * SECOND_NS));
  set(detail, "counters", counter_list(v->history));
  set(detail, "known_categories", json_categories(v->cursor));
  static const char *const members[] = { "waits", "causes", "cause_times",
                                         "requests", "memory" };
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    json_object_set(detail, members[i], json_object_get(all, members[i]));
  json_t *total = json_object_get(all, "total");
  json_object_set(detail, "pauses", json_object_get(total, "pauses"));
  json_object_set(detail, "heap", json_object_get(total, "heap"));
  json_decref(all);
}

static void fill_distributions(struct view_data *v, void *state)
{
  static const int kinds[] = { PAUSE_ANY, PAUSE_MINOR, PAUSE_SLICE,
                               PAUSE_STOPPED };
  json_t *array = state;
  struct summary *s = live_summary(v->live);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const struct histogram *h = &summary_numbers(s)->pauses[kinds[i]];
    json_t *d = json_durations(h);
    set(d, "name", json_string(summary_pause_name[kinds[i]]));
    set(d, "buckets", json_buckets(h));
    json_array_append_new(array, d);
  }
}

json_t *json_distributions(struct view *view)
{
  json_t *array = json_array();
  view_look(view, fill_distributions, array);
  return array;
}

json_t *json_detail(struct view *view)
{
  json_t *detail = NULL;
  if (view_look(view, fill_detail, &detail)) return detail;
  json_decref(detail);
  return NULL;
}

char *json_line(json_t *json)
{
  char *text = json_dumps(json, JSON_FLAGS);
  json_decref(json);
  if (text == NULL) out_of_memory();
  return text;
}
