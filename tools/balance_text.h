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

/* Reads all events of [cursor] and prints a line for each that is wrong, then
   one that sums up.  The value is STATUS_FINDING when something is wrong. */
enum status check_events(struct eventring_cursor *cursor, bool follow);

/* The same in numbers, without printing. */
enum status balance_events(struct eventring_cursor *cursor,
                           struct balance *balance);

#endif /* TOOLS_BALANCE_TEXT_H */
