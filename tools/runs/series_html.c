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

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "runs/causes.h"
#include "runs/series_html.h"
#include "runs/markup.h"
#include "runs/svg.h"
#include "runs/values.h"

static const char page_begin[] =
"<!DOCTYPE html>\n"
"<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n"
"<head>\n"
"<meta charset=\"utf-8\"/>\n"
"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';\n"
" style-src 'unsafe-inline'\"/>\n"
"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
"<title>Timeline</title>\n"
"<style>\n"
":root { color-scheme: light dark; --line: #2a6fc9; --mark: #c2410c; }\n"
"@media (prefers-color-scheme: dark) {\n"
"  :root { --line: #7ab0f5; --mark: #fb923c; } }\n"
"body { margin: 0 auto; padding: 12px 20px 60px; max-width: 900px;\n"
"  font: 14px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }\n"
"h1 { font-size: 20px; } h2 { font-size: 17px; margin-top: 40px;\n"
"  border-bottom: 1px solid GrayText; }\n"
"h3 { font-size: 15px; margin: 24px 0 6px; } h4 { font-size: 13px;\n"
"  margin: 18px 0 0; font-family: ui-monospace, monospace; }\n"
"p, ul { margin: 6px 0; } .quiet { color: GrayText; }\n"
".scroll { overflow-x: auto; }\n"
"table { border-collapse: collapse; margin: 6px 0; }\n"
"th, td { text-align: left; padding: 2px 14px 2px 0; white-space: nowrap;\n"
"  font-variant-numeric: tabular-nums; }\n"
"th { font-weight: 600; border-bottom: 1px solid GrayText; }\n"
"td.number { text-align: right; }\n"
"code { font-family: ui-monospace, monospace; font-size: 12px; }\n"
"svg { width: 100%; height: auto; display: block; }\n"
".axis { font: 11px ui-monospace, monospace; fill: GrayText; }\n"
".grid { stroke: GrayText; stroke-opacity: .3; }\n"
".range { fill: var(--mark); fill-opacity: .25; }\n"
".level { stroke: var(--mark); stroke-width: 2; }\n"
".run { stroke: var(--line); stroke-opacity: .5; }\n"
".point { fill: var(--line); }\n"
".outlier { fill: Canvas; stroke: var(--line); stroke-width: 1.5; }\n"
"</style>\n"
"</head>\n"
"<body>\n"
"<h1>Timeline</h1>\n";

/* Prints [text] in the element [element]. */
static void put_in(FILE *out, const char *element, const char *text)
{
  fprintf(out, "<%s>", element);
  print_markup(out, text);
  fprintf(out, "</%s>", element);
}

static void put_version(FILE *out, const struct version *version)
{
  put_in(out, "code", version->name);
  if (version->subject == NULL) return;
  putc(' ', out);
  print_markup(out, version->subject);
}

/* Charts */

/* Prints the chart of the figure [f]. */
static void put_chart(FILE *out, const struct series *s,
                      const struct figure_series *f)
{
  struct chart_point *points = allocate(s->count, sizeof *points);
  struct chart_level *levels = allocate(f->change_count + 1, sizeof *levels);
  struct chart_change *changes = allocate(f->change_count + 1, sizeof *changes);
  size_t made = 0;
  for (size_t i = 0; i < s->count; i++) {
    const struct version_values *values = &f->values[i];
    points[i] = (struct chart_point) {
      f->medians[i], f->medians[i], f->medians[i], f->outliers[i],
      s->versions[i].name, s->versions[i].subject
    };
    for (size_t k = 0; k < values->count; k++) {
      points[i].low = fmin(points[i].low, values->list[k]);
      points[i].high = fmax(points[i].high, values->list[k]);
    }
  }
  for (size_t i = 0; i < f->change_count; i++) {
    const struct figure_change *c = &f->changes[i];
    if (!c->listed) continue;
    size_t from = made > 0 ? changes[made - 1].index : 0;
    changes[made] = (struct chart_change) { c->point.low, c->point.index,
                                            c->point.high };
    levels[made] = (struct chart_level) { from, c->point.index,
                                          c->median_before };
    levels[++made] = (struct chart_level) { c->point.index, s->count,
                                            c->median_after };
  }
  put_in(out, "h4", f->name);
  putc('\n', out);
  print_line_chart(out, &(struct chart) {
    .title = f->name, .unit = f->unit, .points = points, .count = s->count,
    .levels = levels, .level_count = made > 0 ? made + 1 : 0,
    .changes = changes, .change_count = made
  });
  free(changes);
  free(levels);
  free(points);
}

static bool has_listed(const struct figure_series *f)
{
  for (size_t i = 0; i < f->change_count; i++)
    if (f->changes[i].listed) return true;
  return false;
}

/* Prints the charts of figures that changed, then of the main ones. */
static void put_charts(FILE *out, const struct series *s)
{
  for (int pass = 0; pass < 2; pass++)
    for (size_t f = 0; f < s->figure_count; f++) {
      bool listed = has_listed(&s->figures[f]);
      if (pass == 0 ? listed : !listed && is_main_figure(s->figures[f].name))
        put_chart(out, s, &s->figures[f]);
    }
}

/* Shifts */

static void put_change(FILE *out, const struct series *s,
                       const struct figure_series *f,
                       const struct figure_change *c)
{
  char text[FIGURE_SIZE];
  fputs("<tr>", out);
  put_in(out, "td", f->name);
  fprintf(out, "<td class=\"number\">%+.2f %%</td>", 100 * c->point.step);
  put_in(out, "td", format_figure(text, f->unit, c->median_before));
  put_in(out, "td", format_figure(text, f->unit, c->median_after));
  fputs("<td>", out);
  put_in(out, "code", s->versions[c->point.low].name);
  if (c->point.low != c->point.high) {
    fputs(" to ", out);
    put_in(out, "code", s->versions[c->point.high].name);
  }
  fprintf(out, "</td><td class=\"number\">%.2f %%</td></tr>\n",
          100 * c->point.confidence);
}

static void put_manifest(FILE *out, const json_t *manifest)
{
  for (size_t i = 0; i < json_array_size(manifest); i++) {
    const json_t *each = json_array_get(manifest, i);
    const json_t *base = json_object_get(each, "base"),
      *values = json_object_get(each, "values");
    char line[FACT_SIZE];
    fputs("<li>", out);
    print_markup(out, json_string_value(json_object_get(each, "fact")));
    fputs(" from ", out);
    put_in(out, "code", json_array_size(base) > 0 ? format_fact(line, sizeof line, base)
                                                  : "nothing");
    fputs(" to ", out);
    put_in(out, "code", json_array_size(values) > 0 ? format_fact(line, sizeof line, values)
                                                    : "nothing");
    fputs("</li>\n", out);
  }
}

static void put_causes(FILE *out, const struct causes *causes)
{
  if (causes->commit_count == 0 && json_array_size(causes->manifest) == 0)
    return;
  fputs("<p>Candidates for the cause:</p>\n<ul>\n", out);
  for (size_t i = 0; i < causes->commit_count; i++) {
    const struct cause_commit *c = &causes->commits[i];
    char hash[16];
    snprintf(hash, sizeof hash, "%.12s", c->hash);
    fputs("<li>commit ", out);
    put_in(out, "code", hash);
    putc(' ', out);
    print_markup(out, c->subject);
    fprintf(out, "%s%s</li>\n", c->measured ? "" : ", not measured",
            c->likely ? "" : ", less likely");
  }
  put_manifest(out, causes->manifest);
  fputs("</ul>\n", out);
}

static void put_functions(FILE *out, const struct causes *causes)
{
  if (causes->function_count == 0) return;
  fputs("<p>Functions with another share of the processor time:</p>\n<ul>\n",
        out);
  for (size_t i = 0; i < causes->function_count; i++) {
    const struct cause_function *f = &causes->functions[i];
    char before[QUANTITY_SIZE], after[QUANTITY_SIZE];
    fputs("<li>", out);
    put_in(out, "code", f->name);
    fprintf(out, " from %s to %s</li>\n", format_share(before, f->before),
            format_share(after, f->after));
  }
  fputs("</ul>\n", out);
}

static void put_next(FILE *out, const struct series *s,
                     const struct shift *shift)
{
  const struct ordered_commit *commits[NEXT_COMMITS];
  size_t count = next_commits(s, shift, commits);
  if (count == 0) return;
  fputs("<p>Commits to run next:</p>\n<ul>\n", out);
  for (size_t i = 0; i < count; i++) {
    char *folder = NULL, *command = next_command(s, commits[i], &folder);
    char hash[16];
    snprintf(hash, sizeof hash, "%.12s", commits[i]->hash);
    fputs("<li>", out);
    put_in(out, "code", hash);
    putc(' ', out);
    print_markup(out, commits[i]->subject);
    if (command != NULL) {
      fputs(": ", out);
      put_in(out, "code", command);
      fputs(" in ", out);
      put_in(out, "code", folder);
    }
    fputs("</li>\n", out);
    free(folder);
    free(command);
  }
  fputs("</ul>\n", out);
}

static void put_shift(FILE *out, const struct series *s,
                      const struct shift *shift)
{
  struct causes causes = find_causes(s, shift);
  fputs("<h3>Change at ", out);
  put_version(out, &s->versions[shift->index]);
  fputs("</h3>\n<div class=\"scroll\"><table>\n<tr><th>figure</th><th>step</th>"
        "<th>before</th><th>after</th><th>first after</th><th>confidence</th>"
        "</tr>\n", out);
  for (size_t i = 0; i < shift->count; i++) {
    const struct figure_series *f = &s->figures[shift->members[i].figure];
    put_change(out, s, f, &f->changes[shift->members[i].change]);
  }
  fputs("</table></div>\n", out);
  put_causes(out, &causes);
  put_functions(out, &causes);
  put_next(out, s, shift);
  free_causes(&causes);
}

static void put_series(FILE *out, const struct series *s)
{
  size_t searched = 0;
  for (size_t f = 0; f < s->figure_count; f++)
    searched += s->figures[f].searched;
  put_in(out, "h2", s->name);
  fprintf(out, "\n<p class=\"quiet\">%zu versions by %s, %zu runs, %zu failed; "
          "%zu figures searched; machine ", s->count,
          s->by_commits ? "commit" : "time", s->runs, s->failed, searched);
  put_in(out, "code", s->machine);
  if (s->processor != NULL) {
    fputs(", ", out);
    print_markup(out, s->processor);
  }
  fputs("</p>\n", out);
  if (s->count < SERIES_LEAST)
    fprintf(out, "<p>Too few versions: changes can be found with %d or "
            "more.</p>\n", SERIES_LEAST);
  else if (s->shift_count == 0)
    fputs("<p>No change.</p>\n", out);
  for (size_t i = 0; i < s->shift_count; i++) put_shift(out, s, &s->shifts[i]);
  put_charts(out, s);
}

void print_series_html(FILE *out, const struct timeline_result *result)
{
  fputs(page_begin, out);
  if (json_array_size(result->warnings) > 0) {
    fputs("<ul>\n", out);
    for (size_t i = 0; i < json_array_size(result->warnings); i++) {
      put_in(out, "li",
             json_string_value(json_array_get(result->warnings, i)));
      putc('\n', out);
    }
    fputs("</ul>\n", out);
  }
  for (size_t i = 0; i < result->count; i++) put_series(out, &result->list[i]);
  fputs("<p class=\"quiet\">Points are medians, with the range of their runs; "
        "hollow ones are outliers. Shaded: where a change began, with a "
        "probability of 95 %; lines are the levels around it.</p>\n"
        "</body>\n</html>\n", out);
}
