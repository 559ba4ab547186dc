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
   */

#include <inttypes.h>
#include <stdlib.h>
#include "memory.h"
#include "metrics_text.h"
#include "text.h"

struct page {
  FILE *out;
  struct metric metric;           /* the present one */
};

static void begin(void *state, const struct metric *metric)
{
  static const char *const types[] = {
    [METRIC_COUNTER] = "counter", [METRIC_GAUGE] = "gauge",
    [METRIC_HISTOGRAM] = "histogram"
  };
  struct page *page = state;
  page->metric = *metric;
  fprintf(page->out, "# HELP %s %s\n# TYPE %s %s\n", metric->name, metric->help,
          metric->name, types[metric->kind]);
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

/* Prints the begin of a line: the name of the metric, [ending], and the labels,
   of which the last is le="[bound]" if [bound] is not NULL. */
static void print_series(const struct page *page, const char *ending,
                         const struct metric_label *labels, int count,
                         const char *bound)
{
  fprintf(page->out, "%s%s", page->metric.name, ending);
  for (int i = 0; i < count; i++) {
    fprintf(page->out, "%c%s=", i == 0 ? '{' : ',', labels[i].name);
    print_value(page->out, labels[i].value);
  }
  if (bound != NULL)
    fprintf(page->out, "%cle=\"%s\"", count == 0 ? '{' : ',', bound);
  if (count > 0 || bound != NULL) putc('}', page->out);
}

static void print_number(const struct page *page, enum metric_unit unit,
                         uint64_t n)
{
  switch (unit) {
  case METRIC_NS: fprintf(page->out, " %.9f\n", (double) n / 1e9); break;
  case METRIC_UNIX_NS: fprintf(page->out, " %.3f\n", (double) n / 1e9); break;
  default: fprintf(page->out, " %" PRIu64 "\n", n);
  }
}

static void value(void *state, const struct metric_label *labels, int count,
                  uint64_t n)
{
  const struct page *page = state;
  print_series(page, "", labels, count, NULL);
  print_number(page, page->metric.unit, n);
}

static void histogram(void *state, const struct metric_label *labels, int count,
                      const struct histogram *h)
{
  const struct page *page = state;
  for (int i = 0; i < METRIC_BOUNDS; i++) {
    char bound[24];
    snprintf(bound, sizeof bound, "%g", (double) metric_bounds[i] / 1e9);
    print_series(page, "_bucket", labels, count, bound);
    print_number(page, METRIC_COUNT, histogram_at_most(h, metric_bounds[i]));
  }
  print_series(page, "_bucket", labels, count, "+Inf");
  print_number(page, METRIC_COUNT, h->count);
  print_series(page, "_sum", labels, count, NULL);
  print_number(page, METRIC_NS, h->total);
  print_series(page, "_count", labels, count, NULL);
  print_number(page, METRIC_COUNT, h->count);
}

void print_metrics(FILE *out, struct metrics *m)
{
  static const struct metrics_writer writer = { begin, value, histogram };
  write_metrics(m, &writer, &(struct page) { .out = out });
}
