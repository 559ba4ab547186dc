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

/* Charts as SVG, and text in markup.  Both are well-formed XML. */

#ifndef TOOLS_RUNS_SVG_H
#define TOOLS_RUNS_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A point of a chart: [value] between [low] and [high], or nothing when it is
   NAN. [name] and [note], which may be NULL, are shown at the pointer. */
struct chart_point {
  double low, value, high;
  bool outlier;
  const char *name, *note;
};

/* A level of the points from [from] up to [to], and the range of a change, from
   the point [low] to [high], most likely before [index]. */
struct chart_level { size_t from, to; double value; };
struct chart_change { size_t low, index, high; };

struct chart {
  const char *title, *unit;       /* as of a figure */
  const struct chart_point *points;
  size_t count;
  const struct chart_level *levels;
  size_t level_count;
  const struct chart_change *changes;
  size_t change_count;
};

/* Prints [chart] as an element svg.  The classes of its elements are axis, grid,
   range, level, run, point, outlier. */
void print_line_chart(FILE *out, const struct chart *chart);

#endif /* TOOLS_RUNS_SVG_H */
