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

/* eventring events --check: whether the events make sense. */

#ifndef ANALYSIS_BALANCE_H
#define ANALYSIS_BALANCE_H

#include "common.h"

/* Reads all events of [cursor] and prints a line for each that is wrong, then
   one that sums up.  The value is STATUS_FINDING when something is wrong. */
enum status check_events(struct eventring_cursor *cursor, bool follow);

/* The same in numbers, without printing. */
struct balance {
  uint64_t events, spans, findings;
  uint64_t cut_off;               /* spans, by the start, a gap or the end */
};
enum status balance_events(struct eventring_cursor *cursor,
                           struct balance *balance);

#endif /* ANALYSIS_BALANCE_H */
