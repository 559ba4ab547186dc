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

/* See outliers.h. */

#include <math.h>
#include <stdlib.h>
#include "memory.h"
#include "outliers.h"
#include "statistics.h"

#define SCORE 3.5
/* The MAD of a normal distribution, in standard deviations. */
#define NORMAL_MAD 0.6745
#define LEAST_SPREAD 0.1

bool measure_outliers(const double *values, size_t count,
                      struct outlier_scale *scale)
{
  double *known = allocate(count, sizeof *known);
  size_t n = 0;
  for (size_t i = 0; i < count; i++)
    if (!isnan(values[i])) known[n++] = values[i];
  const bool enough = n >= OUTLIER_VALUES;
  if (enough) {
    scale->median = median_of(known, n);
    for (size_t i = 0; i < n; i++) known[i] = fabs(known[i] - scale->median);
    scale->spread = fmax(median_of(known, n),
                         LEAST_SPREAD * fabs(scale->median));
  }
  free(known);
  return enough;
}

bool is_outlier(const struct outlier_scale *scale, double value)
{
  return NORMAL_MAD * fabs(value - scale->median) > SCORE * scale->spread;
}
