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

/* The page, from the top: the runs compared, warnings, and for each command
   compared with the base its figures, functions and differences of manifests.
   The page is well-formed XML too, so that a program can read it. */

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common.h"
#include "memory.h"
#include "output_file.h"
#include "runs/comparison_chart.h"
#include "runs/comparison_html.h"
#include "facts.h"
#include "runs/functions.h"
#include "runs/markup.h"
#include "runs/values.h"

static const char page_begin[] =
"<!DOCTYPE html>\n"
"<html lang=\"en\">\n"
"<head>\n"
"<meta charset=\"utf-8\"/>\n"
"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';\n"
" style-src 'unsafe-inline'\"/>\n"
"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
"<title>Comparison of runs</title>\n"
"<style>\n"
":root { color-scheme: light dark; --text: #1f2328; --soft: #59636e;\n"
"  --page: #fff; --box: #f6f8fa; --line: #d1d9e0; --base: #57606a;\n"
"  --this: #0969da; --good: #1a7f37; --bad: #cf222e; --warn: #9a6700; }\n"
"@media (prefers-color-scheme: dark) {\n"
"  :root { --text: #e6edf3; --soft: #9198a1; --page: #0d1117; --box: #161b22;\n"
"    --line: #3d444d; --base: #b1bac4; --this: #58a6ff; --good: #3fb950;\n"
"    --bad: #ff7b72; --warn: #d29922; }\n"
"}\n"
"body { margin: 0 auto; padding: 16px 24px 48px; max-width: 1500px;\n"
"  font: 14px/1.5 system-ui, sans-serif; color: var(--text);\n"
"  background: var(--page); }\n"
"h1 { font-size: 20px; margin: 0 0 4px; }\n"
"h2 { font-size: 17px; margin: 36px 0 4px; overflow-wrap: anywhere; }\n"
"h3 { font-size: 14px; margin: 20px 0 4px; }\n"
"p { margin: 4px 0; }\n"
".soft { color: var(--soft); }\n"
".scroll { overflow-x: auto; }\n"
"table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n"
"th { text-align: left; font-weight: 600; white-space: nowrap; }\n"
"td, th { padding: 3px 14px 3px 0; vertical-align: middle;\n"
"  border-bottom: 1px solid var(--line); }\n"
"td.number, th.number { text-align: right; white-space: nowrap; }\n"
"td.name { font-family: ui-monospace, monospace; font-size: 13px;\n"
"  max-width: 340px; overflow-wrap: anywhere; }\n"
"td.value { font-family: ui-monospace, monospace; font-size: 13px;\n"
"  max-width: 480px; overflow-wrap: anywhere; }\n"
"td.verdict { white-space: nowrap; }\n"
".good { color: var(--good); font-weight: 600; }\n"
".bad { color: var(--bad); font-weight: 600; }\n"
".other { font-weight: 600; }\n"
".warnings { border-left: 4px solid var(--warn); background: var(--box);\n"
"  padding: 8px 14px; margin: 12px 0; overflow-wrap: anywhere; }\n"
".warnings ul { margin: 0; padding-left: 18px; }\n"
"details { margin: 12px 0; }\n"
"summary { cursor: pointer; }\n"
".key::before { content: \"\\25CF\"; margin-right: 3px; }\n"
".key.base::before { color: var(--base); }\n"
".key.this::before { color: var(--this); }\n"
"svg { display: block; }\n"
"svg text { font: 11px system-ui, sans-serif; fill: var(--soft);\n"
"  text-anchor: middle; }\n"
"svg path { fill: none; }\n"
".axis { stroke: var(--soft); }\n"
".one { stroke: var(--soft); stroke-dasharray: 2 2; }\n"
".dots { stroke-width: 4.5; stroke-linecap: round; stroke-opacity: .55; }\n"
".dots.base, .median.base { stroke: var(--base); }\n"
".dots.this, .median.this { stroke: var(--this); }\n"
".median { stroke-width: 2; }\n"
"svg .far.base { fill: var(--base); }\n"
"svg .far.this { fill: var(--this); }\n"
".interval path { stroke: var(--text); stroke-width: 2; }\n"
".interval .ratio { fill: var(--text); stroke: none; }\n"
".good .interval path { stroke: var(--good); }\n"
".good .interval .ratio { fill: var(--good); stroke: none; }\n"
".bad .interval path { stroke: var(--bad); }\n"
".bad .interval .ratio { fill: var(--bad); stroke: none; }\n"
"@media print { body { max-width: none; } details { break-inside: avoid; } }\n"
"</style>\n"
"</head>\n"
"<body>\n"
"<h1>Comparison of runs</h1>\n";

static const char legend[] =
"<details>\n"
"<summary>How to read this page</summary>\n"
"<p>base and this are medians; ratio is this / base, and 95 % its interval;\n"
"smallest is the smallest change that so many runs show in 80 % of cases; between\n"
"and within are the standard deviations between and inside runs, relative to the\n"
"median.</p>\n"
"<p>In a drawing, each dot is a run, divided by the median of the base: the base\n"
"above, this below, with their medians as lines; a triangle is a run outside of\n"
"the drawing. The diamond is the ratio with its interval; the dotted line is\n"
"1. Verdicts are corrected for the number of figures.\n";

/* Prints a cell of the class [class]; without a text, a dash. */
static void print_cell(FILE *out, const char *class, const char *text)
{
  fprintf(out, "<td class=\"%s\">", class);
  print_markup(out, text != NULL && *text != '\0' ? text : "-");
  fputs("</td>", out);
}

static void print_head(FILE *out, const char *const *titles, size_t count)
{
  fputs("<div class=\"scroll\"><table>\n<tr>", out);
  for (size_t i = 0; i < count; i++)
    fprintf(out, "<th%s>%s</th>", titles[i][0] == '>' ? " class=\"number\"" : "",
            titles[i] + (titles[i][0] == '>'));
  fputs("</tr>\n", out);
}

/* Figures */

/* The kinds of rows, each in a table of its own. */
enum kind { MAIN, FUNCTION, REST };

static enum kind kind_of(const struct comparison_output *o,
                         const struct comparison_row *row)
{
  if (!o->all && !is_shown(row)) return REST;
  return is_function_figure(row->name) ? FUNCTION : MAIN;
}

/* Returns the class of the verdict: good and bad only where it is known which is
   which. */
static const char *class_of(const struct comparison_row *row)
{
  if (!is_difference(row)) return "none";
  if (row->direction == METRIC_NEUTRAL) return "other";
  return (row->verdict.kind == VERDICT_LESS)
         == (row->direction == METRIC_LESS_IS_BETTER) ? "good" : "bad";
}

static void print_share(FILE *out, double share)
{
  char text[QUANTITY_SIZE];
  print_cell(out, "number", share_text(text, share));
}

static void print_row(FILE *out, const struct comparison_output *o,
                      const struct comparison_row *row)
{
  const struct ratio_interval *r = &row->interval;
  char text[VERDICT_SIZE], class[VERDICT_SIZE];
  fprintf(out, "<tr class=\"%s\">", is_difference(row) ? "differs" : "none");
  print_cell(out, "name", row->name);
  print_cell(out, "number", format_figure(text, row->unit, r->median_a));
  print_cell(out, "number", format_figure(text, row->unit, r->median_b));
  fprintf(out, "<td class=\"%s\">", class_of(row));
  print_chart(out, row, &o->groups->list[0], &o->groups->list[row->batch]);
  fputs("</td>", out);
  snprintf(text, sizeof text, "%.3f", r->ratio);
  print_cell(out, "number", r->ratio > 0 ? text : NULL);
  snprintf(text, sizeof text, "%.3f\342\200\223%.3f", r->low, r->high);
  print_cell(out, "number", has_interval(row) ? text : NULL);
  print_share(out, row->smallest_change);
  print_share(out, deviation_between(row));
  print_share(out, deviation_within(row));
  snprintf(class, sizeof class, "verdict %s", class_of(row));
  print_cell(out, class, verdict_text(text, row));
  fputs("</tr>\n", out);
}

static size_t count_rows(const struct comparison_output *o, size_t group,
                         enum kind kind)
{
  size_t count = 0;
  for (size_t i = 0; i < o->comparison->count; i++)
    count += o->comparison->rows[i].batch == group
             && kind_of(o, &o->comparison->rows[i]) == kind;
  return count;
}

#define RUNS_TITLE ("runs: <span class=\"key base\">base</span>, " \
  "<span class=\"key this\">this</span>, \342\227\206 ratio")

static void print_rows(FILE *out, const struct comparison_output *o,
                       size_t group, enum kind kind)
{
  static const char *const titles[] = {
    "figure", ">base", ">this", RUNS_TITLE, ">ratio", ">95 %", ">smallest",
    ">between", ">within", "verdict"
  };
  print_head(out, titles, sizeof titles / sizeof *titles);
  for (size_t i = 0; i < o->comparison->count; i++) {
    const struct comparison_row *row = &o->comparison->rows[i];
    if (row->batch == group && kind_of(o, row) == kind) print_row(out, o, row);
  }
  fputs("</table></div>\n", out);
}

/* Prints how many figures have each verdict. */
static void print_counts(FILE *out, const struct comparison_output *o,
                         size_t group)
{
  static const struct { const char *name, *text; } verdicts[] = {
    { "slower", "slower" }, { "faster", "faster" }, { "more", "more" },
    { "less", "less" }, { "same", "without a difference" },
    { "unknown", "undecided" }
  };
  size_t total = 0;
  fputs("<p>", out);
  for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
    size_t count = 0;
    for (size_t k = 0; k < o->comparison->count; k++)
      count += o->comparison->rows[k].batch == group
               && strcmp(verdict_name(&o->comparison->rows[k]),
                         verdicts[i].name) == 0;
    if (count > 0)
      fprintf(out, "%s%zu %s", total > 0 ? ", " : "Figures: ", count,
              verdicts[i].text);
    total += count;
  }
  fputs(total > 0 ? ".</p>\n" : "No figure can be compared.</p>\n", out);
}

/* Manifests */

/* The longest value of a fact. */
#define LONGEST_VALUE 2000

static void print_values(FILE *out, const json_t *values)
{
  char text[LONGEST_VALUE];
  print_cell(out, "value", format_fact(text, sizeof text, values));
}

static void print_differences(FILE *out, const struct run_group *base,
                              const struct run_group *group)
{
  static const char *const titles[] = { "fact", "base", "this" };
  json_t *of_base = facts_for(base, group), *of_group = facts_for(group, base);
  json_t *array = fact_differences(of_base, of_group);
  json_decref(of_base);
  json_decref(of_group);
  fputs("<h3>Differences of the manifests</h3>\n", out);
  if (json_array_size(array) == 0) {
    fputs("<p>The runs were made in the same way.</p>\n", out);
  } else {
    print_head(out, titles, 3);
    for (size_t i = 0; i < json_array_size(array); i++) {
      const json_t *each = json_array_get(array, i);
      fputs("<tr>", out);
      print_cell(out, "name",
                 json_string_value(json_object_get(each, "fact")));
      print_values(out, json_object_get(each, "base"));
      print_values(out, json_object_get(each, "values"));
      fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
  }
  json_decref(array);
}

static void print_manifest(FILE *out, const struct run_group *group)
{
  static const char *const titles[] = { "fact", "base" };
  const char *name;
  json_t *values;
  fputs("<details class=\"manifest\">\n<summary>Manifest of the base</summary>\n",
        out);
  print_head(out, titles, 2);
  json_object_foreach(group->facts, name, values) {
    fputs("<tr>", out);
    print_cell(out, "name", name);
    print_values(out, values);
    fputs("</tr>\n", out);
  }
  fputs("</table></div>\n</details>\n", out);
}

/* The page */

static void print_name(FILE *out, const struct run_group *group)
{
  print_markup(out, group->name);
  fprintf(out, " <span class=\"soft\">(%zu run%s)</span>", group->count,
          group->count == 1 ? "" : "s");
}

static void print_comparison(FILE *out, const struct comparison_output *o,
                             size_t group)
{
  fputs("<h2>", out);
  print_name(out, &o->groups->list[group]);
  fputs(" against ", out);
  print_name(out, &o->groups->list[0]);
  fputs("</h2>\n", out);
  print_counts(out, o, group);
  print_rows(out, o, group, MAIN);
  if (count_rows(o, group, FUNCTION) > 0) {
    fputs("<h3>Functions with another share of the processor time</h3>\n", out);
    print_rows(out, o, group, FUNCTION);
  }
  print_differences(out, &o->groups->list[0], &o->groups->list[group]);
  size_t rest = count_rows(o, group, REST);
  if (rest > 0) {
    fprintf(out, "<details>\n<summary>%zu other figure%s, of which none shows "
            "a difference</summary>\n", rest, rest == 1 ? "" : "s");
    print_rows(out, o, group, REST);
    fputs("</details>\n", out);
  }
}

static void print_warnings(FILE *out, const json_t *warnings)
{
  if (json_array_size(warnings) == 0) return;
  fputs("<div class=\"warnings\"><strong>Reasons to doubt</strong><ul>\n", out);
  for (size_t i = 0; i < json_array_size(warnings); i++) {
    fputs("<li>", out);
    print_markup(out, json_string_value(json_array_get(warnings, i)));
    fputs("</li>\n", out);
  }
  fputs("</ul></div>\n", out);
}

/* Prints the page for write_printed; [what] is a comparison. */
static void print_page(FILE *out, void *what)
{
  const struct comparison_output *o = what;
  fputs(page_begin, out);
  fprintf(out, "<p class=\"soft\">%s</p>\n", o->rounds
          ? "Runs of the same round are compared with each other."
          : "The runs are compared without regard to when they ran.");
  print_warnings(out, o->warnings);
  for (size_t i = 1; i < o->groups->count; i++) print_comparison(out, o, i);
  print_manifest(out, &o->groups->list[0]);
  fputs(legend, out);
  fputs("</p>\n</details>\n</body>\n</html>\n", out);
}

enum status write_comparison_html(const char *path, bool force,
                                  struct comparison_output *out)
{
  return write_printed(path, force, print_page, out) ? STATUS_OK
         : STATUS_CANNOT_WRITE;
}
