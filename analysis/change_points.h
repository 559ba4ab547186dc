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

/* Change points: where a figure of a program, measured version after version,
   went up or down and stayed there.

   Each point of a series has one or several runs; its value is the logarithm of
   their median.  A change point must convince three judges: the difference of
   the means, in units of the noise; the same with a straight line through both
   sides taken out, so that a slow drift is no change; and the rank test.  The
   noise is measured around the levels found in the whole series, with the part
   that neighbours have in common (autocorrelation).  One or two values that differ
   from the three before and the three after are outliers: they are not looked
   at.  A permutation test then gives the confidence.

   Points of different machines are different series. */

#ifndef ANALYSIS_CHANGE_POINTS_H
#define ANALYSIS_CHANGE_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A measured version.  [position] is its place in the order of commits, or a
   time, which grows from point to point; versions between two points have not
   been measured.  Points with the same [machine] can be compared. */
struct series_point {
  const double *values;
  size_t count;                     /* of runs, at least 1 */
  int64_t position;
  uint32_t machine;
};

/* The fewest points after the last change of a series, and before the first one; and the
   fewest between two changes.  A level that ends sooner is no change.  With fewer points
   before the first change than between two, it must be CHANGE_SOONER times as clear. */
#define CHANGE_LEAST 4
#define CHANGE_STAYS 10
#define CHANGE_SOONER 2

/* A change: [index] is the first point after it.  The first point after it is
   from [low] to [high] with a probability of about 95 %.  [before] is the last
   point of the same machine before [low].  [step] is the change as a share: 0.03
   for 3 % more.  [confidence] is 1 less the p value of the permutation test. */
struct change_point {
  size_t index, low, high, before;
  double step, confidence;
};

/* [outliers] has for each point of the series whether it was left out. */
struct change_points {
  struct change_point *list;        /* in the order of [index] */
  size_t count;
  bool *outliers;
};

/* Returns the changes in [count] points; [seed] is for the permutations.  Values
   must be above 0; points with another value, or without runs, are outliers.
   The caller frees the result with free_change_points. */
struct change_points *find_change_points(const struct series_point *points,
                                         size_t count, uint64_t seed);
void free_change_points(struct change_points *changes);

/* Writes the positions to run next, the most useful one first, to narrow down
   where [change] is, at most [room]; returns their number.  These are versions
   between two points; when there are none, points to be run again, unless only
   one can be the first after the change. */
size_t next_positions(const struct change_point *change,
                      const struct series_point *points, int64_t *positions,
                      size_t room);

#endif /* ANALYSIS_CHANGE_POINTS_H */
