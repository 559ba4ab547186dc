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

/* A ring file that is read while its process runs, for a summary, a recording or
   both:

     begin_followed -> read_followed, again and again -> end_followed
                       -> close_followed

   The summary takes its events from the recorder where a recording is made as
   well, so that both have the same events. */

#ifndef TOOLS_FOLLOWED_H
#define TOOLS_FOLLOWED_H

#include <stdbool.h>
#include <stdint.h>
#include "command.h"
#include "eventring_reader.h"
#include "summary.h"

struct followed {
  struct eventring_cursor *cursor;    /* NULL: there is no ring file yet */
  struct eventring_cursor *events;    /* [cursor], or the cursor on the events of
                                         the recorder */
  struct summary *summary;            /* of [events]; NULL: none */
  struct eventring_recorder *recorder;  /* NULL: none, or it could not begin */
  enum status *status;                /* becomes STATUS_CANNOT_WRITE when the
                                         recording fails, with a message unless
                                         it was that already */
  char why[512];
};

/* Begins to read the ring file of [cursor], which belongs to [f] from now on.
   [f] is zeros but for its status, and must not move while it is read.
   [output]: the path of a recording, or NULL; [replace]: a file that exists
   there is overwritten.  [summarize]: a summary is made. */
void begin_followed(struct followed *f, struct eventring_cursor *cursor,
                    const char *output, bool replace, bool summarize);

/* Copies the events that the rings hold at present to the recording and the
   summary.  Events that are written during the call may be left to the next
   call.  Returns about the number of words read, 0 when neither the recording
   nor the summary had anything left to read. */
uint64_t read_followed(struct followed *f);

/* Ends the recording, if there is one, and passes its last events to the
   summary. */
void end_followed(struct followed *f);

/* Closes the recorder and the cursors, and frees the summary; all are NULL
   then. */
void close_followed(struct followed *f);

#endif /* TOOLS_FOLLOWED_H */
