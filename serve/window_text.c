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
#include "json.h"
#include "memory.h"
#include "profile_types.h"
#include "target.h"
#include "window_text.h"

static FILE *open_text(char **text, size_t *size)
{
  FILE *out = open_memstream(text, size);
  if (out == NULL) out_of_memory();
  return out;
}

/* Prints [name] as a JSON string, or null if it is NULL or empty. */
static void print_name(FILE *out, const char *name)
{
  if (name == NULL || name[0] == '\0') {
    fputs("null", out);
    return;
  }
  json_t *string = json_text(name);
  json_dumpf(string, out, JSON_ENSURE_ASCII | JSON_ENCODE_ANY);
  json_decref(string);
}

/* Timelines */

struct printing {
  FILE *out;
  const struct timeline_text *text;
  const struct timeline *timeline;
  bool any;                       /* an element of the list was printed */
  size_t left_out;                /* domains of the history */
  bool backup[TIMELINE_LANES];    /* whether lanes are of backup threads */
};

static void separate(struct printing *p)
{
  if (p->any) putc(',', p->out);
  p->any = true;
}

/* Prints [ns] since the start of tracing. */
static void print_time(const struct printing *p, int64_t ns)
{
  fprintf(p->out, "%" PRId64, time_since(ns, p->text->started_ns));
}

static void print_span(struct printing *p, const struct timeline_span *s)
{
  separate(p);
  putc('[', p->out);
  print_time(p, s->from_ns);
  putc(',', p->out);
  print_time(p, s->to_ns);
  if (s->merged > 0) {
    fprintf(p->out, ",null,%d,%d,%.4f,%" PRIu32 "]", s->depth, s->kind,
            (double) s->share, s->merged);
    return;
  }
  if (s->name >= 0) fprintf(p->out, ",%" PRId32, s->name);
  else fputs(",null", p->out);
  fprintf(p->out, ",%d,%d,", s->depth, s->kind);
  if (s->cause >= 0) fprintf(p->out, "%" PRId32 "]", s->cause);
  else fputs("null]", p->out);
}

/* The function of view_look that finds the lanes of backup threads. */
static void find_backups(struct view_data *d, void *state)
{
  struct printing *p = state;
  const struct timeline_lane *lane;
  for (size_t i = 0; (lane = timeline_lane(p->timeline, i)) != NULL; i++)
    p->backup[i] = live_is_backup(d->live, lane->domain, lane->thread);
}

/* Prints the member `spans` of an object, and its end. */
static void print_spans(struct printing *p, const struct timeline_lane *lane)
{
  fputs("\"spans\":[", p->out);
  p->any = false;
  for (size_t i = 0; i < lane->count; i++) print_span(p, &lane->spans[i]);
  fputs("]}", p->out);
  p->any = true;
}

static void print_lane(struct printing *p, const struct timeline_lane *lane,
                       bool backup)
{
  struct eventring_cursor *cursor = p->text->cursor;
  const char *name = eventring_thread_name(cursor, lane->domain, lane->thread,
                                           lane->thread_id);
  separate(p);
  if (name == NULL) name = eventring_domain_name(cursor, lane->domain);
  fprintf(p->out, "{\"domain\":%" PRIu32 ",\"thread\":%" PRIu32 ",\"name\":",
          lane->domain, lane->thread);
  print_name(p->out, name);
  fprintf(p->out, ",\"backup\":%s,", backup ? "true" : "false");
  print_spans(p, lane);
}

/* Prints the stops of a domain. */
static void print_stops(struct printing *p, const struct timeline_lane *stops)
{
  separate(p);
  fprintf(p->out, "{\"domain\":%" PRIu32 ",", stops->domain);
  print_spans(p, stops);
}

static void print_gap(struct printing *p, const struct timeline_gap *gap)
{
  separate(p);
  putc('[', p->out);
  print_time(p, gap->from_ns);
  putc(',', p->out);
  print_time(p, gap->to_ns);
  if (gap->kind == GAP_PAUSED)
    fputs(",\"paused\",null,false]", p->out);
  else if (gap->kind == GAP_NOT_RECORDED)
    fprintf(p->out, ",\"not recorded\",%" PRIu32 ",false]", gap->domain);
  else
    fprintf(p->out, ",%" PRIu64 ",%" PRIu32 ",%s]", gap->lost, gap->domain,
            gap->kind == GAP_OVERWRITTEN ? "true" : "false");
}

static void print_arrow(struct printing *p, const struct timeline_arrow *arrow)
{
  separate(p);
  putc('[', p->out);
  print_time(p, arrow->ns);
  fprintf(p->out, ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", arrow->domain,
          arrow->from, arrow->to);
  print_time(p, arrow->since_ns);
  fprintf(p->out, ",\"%s\"]", arrow->mutex ? "mutex" : "domain lock");
}

/* Returns the finest tier with rows from [ns] on. */
static enum history_tier tier_from(struct history *h, int64_t ns)
{
  for (enum history_tier tier = 0; tier < HISTORY_TIERS; tier++) {
    uint64_t first = history_first(h, tier);
    if (first < history_count(h, tier)
        && history_row_ns(h, tier, first) <= ns) return tier;
  }
  return HISTORY_10S;
}

/* The most domains of which the history is printed: those with the most rows. */
#define MOST_DOMAINS (4 * HISTORY_DOMAINS)

/* Prints a lane with the shares in the collector of the domain to which the
   [count] elements of [list] belong. */
static void print_shares(struct printing *p, const struct history *h,
                         enum history_tier tier,
                         const struct history_share *list, size_t count)
{
  separate(p);
  fprintf(p->out, "{\"domain\":%" PRIu32 ",\"thread\":null,\"name\":null,"
          "\"backup\":false,\"spans\":[",
          list->domain.id);
  p->any = false;
  for (size_t i = 0; i < count; i++) {
    const int64_t begin = history_row_ns(h, tier, list[i].number);
    if (list[i].domain.collecting != SHARE_UNKNOWN)
      print_span(p, &(struct timeline_span) {
        .from_ns = begin, .to_ns = begin + history_step_ns[tier], .merged = 1,
        .share = (float) list[i].domain.collecting / SHARE_ALL,
        .kind = TIMELINE_COLLECTOR
      });
  }
  fputs("]}", p->out);
  p->any = true;
}

/* The function of view_look that prints the shares of the history for the time
   behind the events that were read. */
static void print_history(struct view_data *d, void *state)
{
  struct printing *p = state;
  struct history *h = d->history;
  const enum history_tier tier = tier_from(h, p->text->until_ns);
  uint64_t from = history_first(h, tier), to = history_count(h, tier);
  while (from < to && history_row_ns(h, tier, from) < p->text->until_ns) from++;
  while (from < to && history_row_ns(h, tier, to - 1) >= p->text->to_ns) to--;
  size_t count;
  struct history_share *list = history_shares(h, tier, from, to, &count);
  size_t domains, shown = 0;
  struct history_rows *rows = history_rows(list, count, MOST_DOMAINS, &domains);
  for (; shown < domains && shown < MOST_DOMAINS; shown++)
    print_shares(p, h, tier, &list[rows[shown].at], rows[shown].count);
  p->left_out = domains - shown;
  free(rows);
  free(list);
}

char *print_timeline(const struct timeline *timeline,
                     const struct timeline_text *text)
{
  char *result;
  size_t size;
  struct printing p = { .out = open_text(&result, &size), .text = text,
                        .timeline = timeline };
  const bool complete = text->until_ns >= text->to_ns;
  fputs("{\"from\":", p.out);
  print_time(&p, text->from_ns);
  fputs(",\"to\":", p.out);
  print_time(&p, text->to_ns);
  fprintf(p.out, ",\"complete\":%s,\"until_ns\":",
          complete ? "true" : "false");
  print_time(&p, text->until_ns);
  fputs(",\"lanes\":[", p.out);
  const struct timeline_lane *lane;
  view_look(text->view, find_backups, &p);
  for (size_t i = 0; (lane = timeline_lane(timeline, i)) != NULL; i++)
    print_lane(&p, lane, p.backup[i]);
  if (!complete) view_look(text->view, print_history, &p);
  fputs("],\"stops\":[", p.out);
  p.any = false;
  for (size_t i = 0; (lane = timeline_stops(timeline, i)) != NULL; i++)
    print_stops(&p, lane);
  fputs("],\"names\":[", p.out);
  p.any = false;
  const char *name;
  for (size_t i = 0; (name = timeline_name(timeline, i)) != NULL; i++) {
    separate(&p);
    print_name(p.out, name);
  }
  fputs("],\"gaps\":[", p.out);
  p.any = false;
  const struct timeline_gap *gap;
  for (size_t i = 0; (gap = timeline_gap(timeline, i)) != NULL; i++)
    print_gap(&p, gap);
  fputs("],\"arrows\":[", p.out);
  p.any = false;
  const struct timeline_arrow *arrow;
  for (size_t i = 0; (arrow = timeline_arrow(timeline, i)) != NULL; i++)
    print_arrow(&p, arrow);
  fprintf(p.out, "],\"domains_left_out\":%zu}", p.left_out);
  fclose(p.out);
  return result;
}

/* Flame graphs */

/* The deepest node: deeper ones are left out. */
#define FLAME_DEPTH 1024

/* The most requests that are told. */
#define FLAME_REQUESTS 10

struct flame {
  FILE *out;
  const struct profile_node *nodes;
  uint32_t left;                  /* nodes that may still be printed */
  const char *unit;               /* ns or bytes */
  uint64_t least;                 /* a smaller weight is not printed */
};

/* Prints the members of node [at] and an end of object. */
static void print_node(struct flame *f, uint32_t at, int depth)
{
  const struct profile_node *node = &f->nodes[at];
  bool any = false;
  fputs("\"name\":", f->out);
  print_name(f->out, at == 0 ? "all" : node->function);
  fprintf(f->out, ",\"kind\":\"%s\"", frame_kind_names[node->kind]);
  fprintf(f->out, ",\"value_%s\":%" PRIu64 ",\"self_%s\":%" PRIu64, f->unit,
          node->total.weight, f->unit, node->self.weight);
  if (node->self.variance > 0)
    fprintf(f->out, ",\"self_error_%s\":%.0f,\"self_samples\":%" PRIu64, f->unit,
            weight_error(&node->self), node->self.samples);
  fputs(",\"children\":[", f->out);
  uint32_t child = depth < FLAME_DEPTH ? node->first : 0;
  for (; child != 0 && f->left > 0
         && f->nodes[child].total.weight > f->least;
       child = f->nodes[child].next) {
    fputs(any ? ",{" : "{", f->out);
    any = true;
    f->left--;
    print_node(f, child, depth + 1);
  }
  fputs("]}", f->out);
}

/* Prints the requests with the most samples. */
static void print_requests(FILE *out, const struct profile *profile, const char *unit)
{
  size_t count;
  struct profile_request *list = profile_requests(profile, &count);
  fputs("\"requests\":[", out);
  for (size_t i = 0; i < count && i < FLAME_REQUESTS; i++) {
    const char *name = profile_request(profile, list[i].number);
    fprintf(out, "%s{\"number\":%" PRIu64 ",\"name\":", i > 0 ? "," : "",
            list[i].number);
    if (name != NULL) print_name(out, name);
    else fputs("null", out);
    fprintf(out, ",\"samples\":%" PRIu64 ",\"value_%s\":%" PRIu64 "}",
            list[i].value.samples, unit, list[i].value.weight);
  }
  fputs("],", out);
  free(list);
}

char *print_flame(const struct profile *profile, int64_t started_ns)
{
  char *result;
  size_t size;
  uint32_t count;
  struct profile_sums sums = profile_sums(profile);
  FILE *out = open_text(&result, &size);
  const char *unit =
    profile_type_words[profile_type(profile)].weighs_bytes ? "bytes" : "ns";
  fprintf(out, "{\"samples\":%" PRIu64 ",\"unknown_requests\":%" PRIu64
          ",\"unknown_threads\":%" PRIu64 ",\"unit\":\"%s\"", sums.samples,
          sums.unknown_requests, sums.unknown_threads, unit);
  if (sums.common_ns > INT64_MIN)
    fprintf(out, ",\"from_ns\":%" PRId64 ",\"earlier_samples\":%" PRIu64,
            sums.common_ns, sums.earlier);
  if (sums.samples == 0 && sums.unsampled == 0)
    fputc('}', out);
  else {
    struct profile_node *nodes = profile_tree(profile, false, &count);
    struct flame f = { out, nodes, FLAME_NODES - 1, unit,
                       count > FLAME_NODES
                       ? nodes[0].total.weight / FLAME_NODES : 0 };
    fprintf(out, ",\"first_ns\":%" PRId64 ",\"last_ns\":%" PRId64 ",\"truncated\":%s,",
            time_since(sums.first_ns, started_ns), time_since(sums.last_ns, started_ns),
            count > FLAME_NODES ? "true" : "false");
    print_requests(out, profile, unit);
    print_node(&f, 0, 0);
    free(nodes);
  }
  fclose(out);
  return result;
}

/* Live sites */

/* Returns an array of the numbers at [bytes], for the moments of [r]. */
static json_t *bytes_json(const struct live_sites_result *r,
                          const uint64_t *bytes)
{
  json_t *list = json_array();
  for (uint32_t i = 0; i < r->moments; i++)
    json_array_append_new(list, r->ns[i] < r->known_ns || r->ns[i] > r->known_until_ns
                                ? json_null() : json_integer((json_int_t) bytes[i]));
  return list;
}

json_t *json_live_sites(const struct live_sites_result *r, int64_t started_ns)
{
  json_t *times = json_array(), *sites = json_array();
  for (uint32_t i = 0; i < r->moments; i++)
    json_array_append_new(times, json_integer(time_since(r->ns[i],
                                                         started_ns)));
  for (uint32_t i = 0; i < r->count; i++) {
    const struct frame *frame = r->sites[i].frame;
    json_array_append_new(sites, json_pack("{s:o, s:o, s:o, s:o}",
      "name", json_text(frame->function),
      "file", frame->file != NULL ? json_text(frame->file) : json_null(),
      "line", frame->line > 0 ? json_integer(frame->line) : json_null(),
      "bytes", bytes_json(r, r->sites[i].bytes)));
  }
  return json_pack("{s:I, s:I, s:s, s:o, s:o, s:o}",
                   "samples", (json_int_t) r->samples,
                   "left_out", (json_int_t) r->left_out, "unit", "bytes",
                   "t", times, "sites", sites,
                   "other", bytes_json(r, r->other));
}
