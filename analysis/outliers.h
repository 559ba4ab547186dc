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

/* Values that differ from the others of a small group, such as the pauses of one
   node of a fleet.

   The test is the modified z-score of Iglewicz and Hoaglin (How to Detect and
   Handle Outliers, 1993), also in the NIST/SEMATECH e-Handbook of Statistical
   Methods, 1.3.5.17: a value differs when

     0.6745 |value - median| / MAD > 3.5

   where MAD is the median of the distances from the median.  Neither median moves
   much with the value that differs, as the mean and the standard deviation do.
   Here the MAD is at least a tenth of the median, so that a value that is less
   than half of the median away is never reported: with few values, the MAD is
   small by chance. */

#ifndef ANALYSIS_OUTLIERS_H
#define ANALYSIS_OUTLIERS_H

#include <stdbool.h>
#include <stddef.h>

/* The least number of values. */
#define OUTLIER_VALUES 3

struct outlier_scale {
  double median, spread;          /* spread: the MAD, or its least value */
};

/* Sets *scale to the scale of the [count] values, of which those that are NAN are
   not known.  Returns false when fewer than OUTLIER_VALUES are known. */
bool measure_outliers(const double *values, size_t count,
                      struct outlier_scale *scale);

/* Returns whether [value] differs from the values of [scale]. */
bool is_outlier(const struct outlier_scale *scale, double value);

#endif /* ANALYSIS_OUTLIERS_H */
