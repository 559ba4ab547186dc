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

/* The check of balance.h, read from a cursor and printed. */

#ifndef TOOLS_BALANCE_TEXT_H
#define TOOLS_BALANCE_TEXT_H

#include "balance.h"
#include "common.h"

/* Checks all events of [cursor] and prints a line for each event that is wrong,
   then, in every case, a line with the totals.  [follow]: reads until the
   process ends or the user interrupts.  Returns STATUS_OK; STATUS_CANNOT_READ,
   with a message, when the file cannot be read or is damaged; else
   STATUS_FINDING when an event is wrong. */
enum status check_events(struct eventring_cursor *cursor, bool follow);

/* Checks all events of [cursor] at present, and sets *balance to the totals, in
   every case, without printing findings.  Returns as check_events does. */
enum status balance_events(struct eventring_cursor *cursor,
                           struct balance *balance);

#endif /* TOOLS_BALANCE_TEXT_H */
