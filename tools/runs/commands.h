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

/* The commands of a batch: their labels, and the facts about them that are the
   same for all runs. */

#ifndef TOOLS_RUNS_COMMANDS_H
#define TOOLS_RUNS_COMMANDS_H

#include <jansson.h>
#include <stdbool.h>
#include "command.h"

/* Returns a new JSON array of the commands in [argv], which are separated by
   "--", with labels and without facts; the first labels are the [given] ones.
   Assignments before a program, such as OCAMLRUNPARAM=s=1M, are its
   `variables`.
   On a mistake ends the program with the usage error of [usage]. */
json_t *new_commands(const struct command *usage, int argc, char **argv,
                     const json_t *given);

/* Adds the facts about their programs, sources and packages to [commands],
   which have their `directory`.  Returns false, with a message, when there is
   no such program. */
bool add_facts(json_t *commands);

#endif /* TOOLS_RUNS_COMMANDS_H */
