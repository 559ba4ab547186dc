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
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "runs/comparison_chart.h"
#include "runs/comparison_text.h"
#include "statistics.h"

/* The places in the drawing, in pixels: the axis from LEFT to RIGHT, the rows of
   the base, of the other side and of the interval, and the axis. */
#define WIDTH 340
#define HEIGHT 66
#define LEFT 16.0
#define RIGHT 324.0
#define BASE_Y 10.0
#define THIS_Y 25.0
#define INTERVAL_Y 40.0
#define AXIS_Y 50.0
#define LABEL_SPACE 40.0            /* between the labels of the axis */

/* The ends of the axis, logarithms of ratios to the median of the base. */
struct axis { double low, high; };

/* The runs of one side that have the figure: logarithms of ratios, in the order
   of the runs. */
struct dots { double *list; size_t count; };

static double place(const struct axis *axis, double logarithm)
{
  return LEFT + (logarithm - axis->low) / (axis->high - axis->low)
                * (RIGHT - LEFT);
}

/* Adds the logarithms of the values above 0 of the figure [name] in the runs of
   [group] on the node with the number [node], less [median], to the list of
   [dots]. */
static void add_dots(struct dots *dots, const struct run_group *group,
                     const char *name, size_t node, double median)
{
  for (size_t i = 0; i < group->count; i++)
    for (size_t k = 0; k < group->metrics[i].count; k++) {
      const struct metric *metric = &group->metrics[i].metrics[k];
      if (group->metrics[i].node != node || strcmp(metric->name, name) != 0) continue;
      if (metric->value > 0 && isfinite(metric->value))
        dots->list[dots->count++] = log(metric->value) - median;
      break;
    }
}

/* Returns the ratios of the runs of [group] to the [median] of [base] or, with
   [by_node], to its median on the same node; the caller frees the list. */
static struct dots dots_of(const struct run_group *base, const struct run_group *group,
                           const char *name, double median, bool by_node)
{
  const size_t nodes = json_object_size(base->node_numbers);
  struct dots dots = { allocate(group->count, sizeof *dots.list), 0 },
    of_base = { allocate(base->count, sizeof *of_base.list), 0 };
  for (size_t node = 0; node <= nodes; node++) {
    of_base.count = 0;
    if (by_node) add_dots(&of_base, base, name, node, 0);
    if (by_node && of_base.count == 0) continue;
    add_dots(&dots, group, name, node, by_node
             ? median_of(of_base.list, of_base.count) : log(median));
  }
  free(of_base.list);
  return dots;
}

static void include(struct axis *axis, double logarithm)
{
  axis->low = fmin(axis->low, logarithm);
  axis->high = fmax(axis->high, logarithm);
}

/* Extends the axis to all dots but those that are farther from the middle half
   than three times its width. */
static void include_dots(struct axis *axis, const struct dots *dots)
{
  double *sorted = allocate(dots->count, sizeof *sorted);
  for (size_t i = 0; i < dots->count; i++) sorted[i] = dots->list[i];
  sort_values(sorted, dots->count);
  double q1 = quantile_of_sorted(sorted, dots->count, 0.25);
  double q3 = quantile_of_sorted(sorted, dots->count, 0.75);
  double reach = 3 * (q3 - q1);
  for (size_t i = 0; i < dots->count; i++)
    if (sorted[i] >= q1 - reach && sorted[i] <= q3 + reach)
      include(axis, sorted[i]);
  free(sorted);
}

static struct axis axis_of(const struct comparison_row *row,
                           const struct dots *base, const struct dots *other)
{
  const struct ratio_interval *r = &row->interval;
  struct axis axis = { 0, 0 };
  include(&axis, log(r->ratio));
  if (has_interval(row)) {
    include(&axis, log(r->low));
    include(&axis, log(r->high));
  }
  include_dots(&axis, base);
  include_dots(&axis, other);
  double margin = fmax(0.05 * (axis.high - axis.low), 0.002);
  return (struct axis) { axis.low - margin, axis.high + margin };
}

/* Prints a dot for each run, at five heights by turns, so that equal ones can be
   seen, and triangles at the ends for runs outside of the axis. */
static void print_dots(FILE *out, const struct axis *axis,
                       const struct dots *dots, const char *class, double y)
{
  fprintf(out, "<path class=\"dots %s\" d=\"", class);
  for (size_t i = 0; i < dots->count; i++) {
    double x = place(axis, dots->list[i]);
    if (x < LEFT || x > RIGHT) continue;
    fprintf(out, "M%.1f %.1fh0", x, y + ((double) (i * 2 % 5) - 2) * 1.4);
  }
  fprintf(out, "\"/>\n<path class=\"far %s\" d=\"", class);
  for (size_t i = 0; i < dots->count; i++) {
    double x = place(axis, dots->list[i]);
    if (x < LEFT) fprintf(out, "M9 %.1fl-6 3l6 3z", y - 3);
    if (x > RIGHT) fprintf(out, "M%d %.1fl6 3l-6 3z", WIDTH - 9, y - 3);
  }
  fputs("\"/>\n", out);
}

/* Returns a step of 1, 2 or 5 times a power of ten with which [range] has at most
   five labels. */
static double label_step(double range)
{
  double power = pow(10, floor(log10(range / 5)));
  double times = range / 5 / power;
  return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

static void print_label(FILE *out, double x, double ratio, int digits)
{
  fprintf(out, "<path class=\"axis\" d=\"M%.1f %.0fv3\"/>"
          "<text x=\"%.1f\" y=\"%.0f\">%.*f</text>\n", x, AXIS_Y, x,
          AXIS_Y + 13, digits, ratio);
}

static void print_axis(FILE *out, const struct axis *axis)
{
  double least = exp(axis->low), most = exp(axis->high);
  double step = label_step(most - least), one = place(axis, 0);
  int digits = (int) fmax(0, -floor(log10(step) + 1e-9));
  double last = -LABEL_SPACE;
  fprintf(out, "<path class=\"axis\" d=\"M%.0f %.0fH%.0f\"/>"
          "<path class=\"one\" d=\"M%.1f 2V%.0f\"/>\n", LEFT, AXIS_Y, RIGHT,
          one, AXIS_Y);
  print_label(out, one, 1, digits);
  double first = ceil(least / step);
  for (int i = 0; i < 20 && (first + i) * step <= most; i++) {
    double ratio = (first + i) * step;
    if (!(ratio > 0)) continue;
    double x = place(axis, log(ratio));
    if (fabs(x - one) < LABEL_SPACE || x - last < LABEL_SPACE
        || x < LEFT || x > RIGHT)
      continue;
    print_label(out, x, ratio, digits);
    last = x;
  }
}

static void print_interval(FILE *out, const struct axis *axis,
                           const struct comparison_row *row)
{
  const struct ratio_interval *r = &row->interval;
  fputs("<g class=\"interval\">", out);
  if (has_interval(row)) {
    double low = place(axis, log(r->low)), high = place(axis, log(r->high));
    fprintf(out, "<path d=\"M%.1f %.0fv8m0-4H%.1fm0-4v8\"/>", low,
            INTERVAL_Y - 4, high);
  }
  fprintf(out, "<path class=\"ratio\" d=\"M%.1f %.0fl4 5l-4 5l-4-5z\"/></g>\n",
          place(axis, log(r->ratio)), INTERVAL_Y - 5);
}

static void print_median(FILE *out, double x, const char *class, double y)
{
  fprintf(out, "<path class=\"median %s\" d=\"M%.1f %.0fv14\"/>\n", class, x,
          y - 7);
}

void print_chart(FILE *out, const struct comparison_row *row,
                 const struct run_group *base, const struct run_group *group)
{
  const struct ratio_interval *r = &row->interval;
  if (!(r->ratio > 0) || !isfinite(r->ratio) || !(r->median_a > 0)) return;
  const bool by_node = share_nodes(base, group);
  struct dots a = dots_of(base, base, row->name, r->median_a, by_node);
  struct dots b = dots_of(base, group, row->name, r->median_a, by_node);
  const double median_b = by_node ? median_of(b.list, b.count)
                          : log(r->median_b / r->median_a);
  struct axis axis = axis_of(row, &a, &b);
  fprintf(out, "<svg role=\"img\" viewBox=\"0 0 %d %d\" width=\"%d\" "
          "height=\"%d\"><title>ratio %.4f", WIDTH, HEIGHT, WIDTH, HEIGHT,
          r->ratio);
  if (has_interval(row)) fprintf(out, ", interval %.4f to %.4f", r->low, r->high);
  fputs("</title>\n", out);
  print_axis(out, &axis);
  print_dots(out, &axis, &a, "base", BASE_Y);
  print_dots(out, &axis, &b, "this", THIS_Y);
  print_median(out, place(&axis, 0), "base", BASE_Y);
  if (r->median_b > 0)
    print_median(out, fmin(fmax(place(&axis, median_b), LEFT), RIGHT), "this",
                 THIS_Y);
  print_interval(out, &axis, row);
  fputs("</svg>", out);
  free(a.list);
  free(b.list);
}
