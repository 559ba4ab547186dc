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

/* Distributions as HdrHistogram writes them, for its plotters. */

#ifndef TOOLS_HGRM_H
#define TOOLS_HGRM_H

#include <stdio.h>
#include "histogram.h"

/* Prints the percentile distribution of the durations in [h] to [out], in
   milliseconds, in the format of HdrHistogram. */
void print_hgrm(FILE *out, const struct histogram *h);

#endif /* TOOLS_HGRM_H */
