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

/* A batch over commits: each commit of a range is checked out to a worktree in
   the folder of the batch, and built. */

#ifndef TOOLS_RUNS_COMMITS_H
#define TOOLS_RUNS_COMMITS_H

#include <jansson.h>
#include <stdbool.h>
#include "command.h"

/* Returns a new JSON array with a copy of each of [commands] for each commit of
   [range] in the repository of the working directory, the oldest first,
   labelled with the commit; and sets *commits to a new JSON object with the
   range, the command [build], the repository and the folder in it.  Takes
   [commands].  Ends the program with the usage error of [usage] when there are
   no such commits. */
json_t *commands_of_commits(const struct command *usage, json_t *commands,
                            const char *range, const char *build,
                            json_t **commits);

/* Checks out and builds the commits of [batch], in the folder [folder], that
   have not been built, and adds the facts about their programs to its commands.
   Calls [save] with [state] after each commit, which returns false when
   batch.json cannot be written.  A commit that cannot be built is an error or,
   with [keep_going], is removed from the commands and noted as failed.  Returns
   false, with a message, on failure; and after stop_executions, without one. */
bool build_commits(const char *folder, json_t *batch, bool keep_going,
                   bool (*save)(const void *state), const void *state);

#endif /* TOOLS_RUNS_COMMITS_H */
