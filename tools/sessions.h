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
   again: each time is a session, with a ring file of its own that takes the
   place of the one before. */

#ifndef TOOLS_SESSIONS_H
#define TOOLS_SESSIONS_H

#include "common.h"

struct sessions;

/* Takes note of the session that [cursor] reads, and of its process, if that
   runs now.  To be freed with free_sessions. */
struct sessions *new_sessions(struct eventring_cursor *cursor);
void free_sessions(struct sessions *sessions);

/* Returns whether the process still runs after [ms] milliseconds; returns false
   as soon as it has ended.  Also false for a process that did not run at the
   beginning, or is of another pid namespace. */
bool process_runs(const struct sessions *sessions, int ms);

/* Returns whether another file has taken the place of the present session's.
   Takes one system call. */
bool has_next_session(const struct sessions *sessions);

/* Opens the session after the present one.  Returns NULL while that session has
   not begun. */
struct eventring_cursor *open_next_session(struct sessions *sessions);

/* Prints one line that the program stopped its tracing at [ns] of
   CLOCK_MONOTONIC, and then [consequence]. */
void note_stop(struct eventring_cursor *cursor, int64_t ns,
               const char *consequence);

#endif /* TOOLS_SESSIONS_H */
