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

/* The processes and files that a command line names. */

#ifndef TOOLS_TARGETS_H
#define TOOLS_TARGETS_H

#include "follow.h"

/* Opens the only operand of the command line, argv[optind] after the last
   next_option, and returns its cursor.  An operand of digits is a process id,
   whose ring file is looked for in [dir] if that is not NULL; any other is a
   path, and FILE:N is process N, from 1, of a recording; of a command with --hub,
   see also fetch_hub_target.  Prints a note if the
   recording has further processes and N is not given.  Without an operand,
   opens the only traced process, but ends the program with STATUS_USAGE if
   [control] is true; ends it so for several operands.  [control]: the cursor
   may control the process.  If the target cannot be opened, prints a message
   and ends the program with STATUS_CANNOT_READ. */
struct eventring_cursor *open_target(const struct command *command,
                                     int argc, char **argv,
                                     const char *dir, bool control);

/* Opens [target], which an option names beside the operand, as open_target does
   without ":N". */
struct eventring_cursor *open_another(const struct command *command,
                                      const char *target, const char *dir);

/* Opens every operand of the command line as open_one does, and all processes
   of each recording, but of FILE:N process N only; without operands, opens the
   only traced process.  Removes ":N" from operands.  Sets *sources to an array
   of them and returns its length, at least 1.  The caller frees the array with
   close_targets.  If a target cannot be opened, prints a message and ends the
   program.  Times are on the clock of the first source, see add_source. */
int open_targets(const struct command *command, int argc, char **argv,
                 const char *dir, struct source **sources);

/* Returns whether the processes of [a] and [b] had the same CLOCK_MONOTONIC:
   they ran in the same time namespace, and the machine was not started in
   between. */
bool same_clock(const struct eventring_info *a, const struct eventring_info *b);

/* Adds a source for [cursor] to the array [sources] of [count] sources, and
   returns the array, which may have moved.  Its times are shifted to the clock
   of the first source: not at all if they are of the same clock, else by the
   difference of the clocks that a hub has measured, or so that the wall clocks
   agree. */
struct source *add_source(struct source *sources, int count,
                          struct eventring_cursor *cursor);

/* Prints a note if not all of the [count] sources have the same clock: the order
   of their events has an error that the hub has measured or, by the wall clocks, is
   not known. */
void note_clocks(const struct source *sources, int count);

/* Closes the cursors of the [count] sources and frees the array. */
void close_targets(struct source *sources, int count);

#endif /* TOOLS_TARGETS_H */
