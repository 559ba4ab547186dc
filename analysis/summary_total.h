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

/* The summaries of several processes, added up. */

#ifndef ANALYSIS_SUMMARY_TOTAL_H
#define ANALYSIS_SUMMARY_TOTAL_H

#include "summary.h"

struct summary_total {
  uint32_t processes;
  uint64_t lost;                  /* events */
  bool lost_is_bound;             /* it is that at the most */
  struct summary_tally tally;
  bool tells_major;               /* see summary_tells_major: of all */
  struct summary_time time;       /* [known] if it is of all */
  struct histogram pauses[PAUSES], arrivals;
};

/* Adds the summary [s] up to its summary_until to [total], which was zeros
   before the first. */
void add_to_total(struct summary_total *total, struct summary *s);

#endif /* ANALYSIS_SUMMARY_TOTAL_H */
