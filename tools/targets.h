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

/* Opens the one argument that is left after the options: digits are a process
   (its ring file is looked for in [dir] when that is not NULL), all else is a
   path, and FILE:N process N of a recording.  Without an argument, and unless
   [control], opens the only traced process.  Ends the program with a message
   when that fails. */
struct eventring_cursor *open_target(const struct command *command,
                                     int argc, char **argv,
                                     const char *dir, bool control);

/* Opens every argument that is left after the options, as open_target does,
   and of a recording all its processes; without arguments, the only traced
   process.  Sets *sources, and returns how many
   there are; one at least.

   Times are on the clock of the first source.  Another process of the same
   start of the machine has CLOCK_MONOTONIC in common with it; others are
   shifted so that their wall clocks agree. */
int open_targets(const struct command *command, int argc, char **argv,
                 const char *dir, struct source **sources);

void close_targets(struct source *sources, int count);

#endif /* TOOLS_TARGETS_H */
