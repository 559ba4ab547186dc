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

/* The reading loop of sources/reading.h for the commands: with messages, and until the
   user interrupts. */

#ifndef TOOLS_FOLLOW_H
#define TOOLS_FOLLOW_H

#include "common.h"
#include "reading.h"

/* Reads events as read_cursor does.  With [follow], or of a stream, SIGINT or SIGTERM
   ends it, for which it calls catch_interrupts; prints a note that it follows, if
   standard error is a terminal, and the notes of [reading].  Problems are printed,
   unless [problem] is set.  Returns STATUS_OK, or STATUS_CANNOT_READ when the file is
   damaged or cannot be read. */
enum status read_events(struct eventring_cursor *cursor,
                        const struct reading *reading);

/* Reads events from [count] sources as read_merged does, and the rest as
   read_events. */
enum status read_sources(const struct source *sources, int count,
                         const struct reading *reading);

/* catch_interrupts makes SIGINT and SIGTERM end later calls of read_events and
   read_sources in order, and makes interrupted_by return the signal that
   arrived last; a second signal of the same kind kills the program.
   interrupted_by returns 0 before any signal. */
void catch_interrupts(void);
int interrupted_by(void);

#endif /* TOOLS_FOLLOW_H */
