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

/* The sessions of a process.  A program may stop its tracing and start it
   again: each time is a session, with a ring file of its own, which takes the
   place of the one before, or is in another directory or has another suffix. */

#ifndef SOURCES_SESSIONS_H
#define SOURCES_SESSIONS_H

#include <stdbool.h>
#include <stdint.h>
#include "eventring_reader.h"

struct sessions;

/* Begins to watch for the session after the session that [cursor] reads, and
   for the end of the process, if the process runs at present and had not ended
   the session when its file was opened.  Never returns NULL.  The caller frees
   the result with free_sessions; the cursor must stay open until the next session
   is opened.  [say] is NULL, or gets the text of the notes below. */
struct sessions *new_sessions(struct eventring_cursor *cursor,
                              void (*say)(const char *text));
void free_sessions(struct sessions *sessions);

/* Waits up to [ms] milliseconds, or until a signal arrives, for the end of the
   process.  Returns true if the process still runs then.  Returns false as soon
   as the process has ended, and at once for a process that new_sessions does not
   watch or that is in another pid namespace. */
bool process_runs(const struct sessions *sessions, int ms);

/* Returns whether the path of the present session's ring file names another file
   by now.  Takes one system call. */
bool has_next_session(const struct sessions *sessions);

/* Opens the session after the present one, which has ended, with [options], or
   defaults if NULL, and returns its cursor.  The session becomes the present
   one.  Returns NULL when no other session has begun yet.  A session with
   another path is only found while the process runs, and up to 20 ms later. */
struct eventring_cursor *open_next_session(
  struct sessions *sessions, const struct eventring_options *options);

/* Says that the process ended the present session at [ns] of CLOCK_MONOTONIC,
   followed by [consequence]. */
void note_stop(const struct sessions *sessions, int64_t ns,
               const char *consequence);

/* Says so if the process may start another session, which nobody here can wait for,
   after the present one, which has ended. */
void note_last(const struct sessions *sessions);

/* Says that the process has begun to run another program. */
void note_other_program(const struct sessions *sessions);

/* Counts [missed] sessions between two that were read, and says so when they are the
   first; note_missed says the number, unless it was said. */
void add_missed(struct sessions *sessions, uint64_t missed);
void note_missed(struct sessions *sessions);

#endif /* SOURCES_SESSIONS_H */
