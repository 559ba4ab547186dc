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

/* Whether the events of a process make sense: each end has its begin, each
   begin its end.

     struct check *c = new_check(cursor, found, state);
     for each event, also EVENTRING_EV_CONTROL_CHANGED: check_event(c, event);
     struct balance sum = check_end(c); */

#ifndef ANALYSIS_BALANCE_H
#define ANALYSIS_BALANCE_H

#include <stdbool.h>
#include <stdint.h>
#include "eventring_reader.h"

struct balance {
  uint64_t events, spans, findings;
  uint64_t cut_off;               /* spans, by the start, a gap or the end */
  bool user_spans_left_out;       /* spans of the program were not checked:
                                     too many were open at once */
};

struct check;

/* Starts a check of all events that [cursor] reads and returns it, never NULL
   (see memory.h).  The check calls [found] with [state] for each finding:
   [event] is wrong, perhaps an event of an earlier call, whose payload is then
   not valid; [what] is the reason, valid during the call.  If [found] is NULL,
   findings are only counted.  The caller frees the check with free_check; the
   cursor must stay open while the check is used. */
struct check *new_check(struct eventring_cursor *cursor,
                        void (*found)(void *state,
                                      const struct eventring_event *event,
                                      const char *what),
                        void *state);
void free_check(struct check *check);

/* Checks [event], and calls [found] for each finding.  The caller passes every
   event of the cursor in order, reports of lost events among them.  Leaves out
   events of rings that the file did not have at new_check. */
void check_event(struct check *check, const struct eventring_event *event);

/* Ends the check after the last event and returns the totals.  Counts the spans
   that are still open as cut off.  But if tracing ended in order, spans of the
   program are findings, for which [found] is called, if their domain or thread
   ended before the process.  To be called once. */
struct balance check_end(struct check *check);

#endif /* ANALYSIS_BALANCE_H */
