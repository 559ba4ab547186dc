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
#include "runs/markup.h"
#include "runs/svg.h"
#include "runs/values.h"
#include "text.h"

/* The size of a chart, and its margins, in pixels. */
#define WIDTH 760.0
#define HEIGHT 170.0
#define LEFT 84.0
#define RIGHT 12.0
#define TOP 10.0
#define BOTTOM 22.0

/* The scale of a chart: values from [low] to [high]. */
struct scale { double low, high; size_t count; };

static double x_of(const struct scale *s, double index)
{
  double count = s->count > 1 ? (double) s->count - 1 : 1;
  return LEFT + 6 + (WIDTH - LEFT - RIGHT - 12) * index / count;
}

static double y_of(const struct scale *s, double value)
{
  return HEIGHT - BOTTOM
         - (HEIGHT - TOP - BOTTOM) * (value - s->low) / (s->high - s->low);
}

/* Returns the scale of [chart], with some space above and below the values. */
static struct scale scale_of(const struct chart *chart)
{
  struct scale s = { INFINITY, -INFINITY, chart->count };
  for (size_t i = 0; i < chart->count; i++) {
    const struct chart_point *p = &chart->points[i];
    if (isnan(p->value)) continue;
    s.low = fmin(s.low, p->low);
    s.high = fmax(s.high, p->high);
  }
  if (!(s.low <= s.high)) s.low = s.high = 0;
  double space = (s.high - s.low) * 0.08;
  if (space <= 0) space = s.high != 0 ? fabs(s.high) * 0.05 : 1;
  s.low = s.low >= 0 ? fmax(0, s.low - space) : s.low - space;
  s.high += space;
  return s;
}

/* Returns the distance of about four round numbers in [range]. */
static double tick_distance(double range)
{
  double unit = pow(10, floor(log10(range / 3)));
  static const double steps[] = { 1, 2, 5, 10 };
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if (range / (unit * steps[i]) <= 4) return unit * steps[i];
  return unit * 10;
}

static void print_axes(FILE *out, const struct chart *chart,
                       const struct scale *s)
{
  double distance = tick_distance(s->high - s->low);
  for (double at = ceil(s->low / distance); at * distance <= s->high; at++) {
    char text[FIGURE_SIZE];
    double y = y_of(s, at * distance);
    fprintf(out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" "
            "y2=\"%.1f\"/><text class=\"axis\" x=\"%.1f\" y=\"%.1f\" "
            "text-anchor=\"end\">", LEFT, WIDTH - RIGHT, y, y, LEFT - 6, y + 4);
    print_markup(out, format_figure(text, chart->unit, at * distance));
    fputs("</text>\n", out);
  }
  fprintf(out, "<text class=\"axis\" x=\"%.1f\" y=\"%.1f\">", LEFT,
          HEIGHT - 6);
  print_markup(out, chart->points[0].name);
  fprintf(out, "</text><text class=\"axis\" x=\"%.1f\" y=\"%.1f\" "
          "text-anchor=\"end\">", WIDTH - RIGHT, HEIGHT - 6);
  print_markup(out, chart->points[chart->count - 1].name);
  fputs("</text>\n", out);
}

static void print_ranges(FILE *out, const struct chart *chart,
                         const struct scale *s)
{
  for (size_t i = 0; i < chart->change_count; i++) {
    const struct chart_change *c = &chart->changes[i];
    double from = x_of(s, (double) c->low - 0.5),
      to = x_of(s, (double) c->high + 0.5);
    fprintf(out, "<rect class=\"range\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
            "height=\"%.1f\"/>\n", from, TOP, to - from, HEIGHT - TOP - BOTTOM);
  }
  for (size_t i = 0; i < chart->level_count; i++) {
    const struct chart_level *l = &chart->levels[i];
    if (isnan(l->value) || l->to <= l->from) continue;
    double y = y_of(s, l->value);
    fprintf(out, "<line class=\"level\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" "
            "y2=\"%.1f\"/>\n", x_of(s, (double) l->from),
            x_of(s, (double) l->to - 1), y, y);
  }
}

static void print_points(FILE *out, const struct chart *chart,
                         const struct scale *s)
{
  for (size_t i = 0; i < chart->count; i++) {
    const struct chart_point *p = &chart->points[i];
    char text[FIGURE_SIZE];
    if (isnan(p->value)) continue;
    double x = x_of(s, (double) i), y = y_of(s, p->value);
    fputs("<g><title>", out);
    print_markup(out, p->name);
    if (p->note != NULL) {
      fputs(" ", out);
      print_markup(out, p->note);
    }
    fputs(": ", out);
    print_markup(out, format_figure(text, chart->unit, p->value));
    fprintf(out, "%s</title><line class=\"run\" x1=\"%.1f\" x2=\"%.1f\" "
            "y1=\"%.1f\" y2=\"%.1f\"/><circle class=\"%s\" cx=\"%.1f\" "
            "cy=\"%.1f\" r=\"3.5\"/></g>\n", p->outlier ? ", outlier" : "", x, x,
            y_of(s, p->low), y_of(s, p->high), p->outlier ? "outlier" : "point",
            x, y);
  }
}

void print_line_chart(FILE *out, const struct chart *chart)
{
  struct scale s = scale_of(chart);
  fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f "
          "%.0f\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
  print_markup(out, chart->title);
  fputs("\">\n", out);
  if (chart->count > 0) {
    print_axes(out, chart, &s);
    print_ranges(out, chart, &s);
    print_points(out, chart, &s);
  }
  fputs("</svg>\n", out);
}
