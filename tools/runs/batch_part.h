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

/* The part of a batch that a node makes: `eventring batch --continue=-` runs there.
   Rounds are shared out: with [step] nodes, this one makes the rounds [first], counted
   from 0, [first] + [step], and so on.

   Standard input has the plan, one line of JSON: the members of batch.json, and
   `node`, `shows_output` and `part`.  Standard output has lines:

     plan JSON          the plan with the facts about this machine and its programs
     file NAME BYTES    and that many bytes: a file of the next run
     run NUMBER         the run is complete; a line with its number is the answer
                        when the batch has it
     end STATUS         of the part

   Nothing of the part stays on the node.  When standard input ends, the batch has
   ended, and the part does, too. */

#ifndef TOOLS_RUNS_BATCH_PART_H
#define TOOLS_RUNS_BATCH_PART_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct part {
  FILE *out;                      /* NULL: this program makes the whole batch */
  uint32_t first, step;
  json_t *made;                   /* an object of the runs that the batch has, by
                                     their numbers, with some members of `run` */
};

/* Enters the part in standard input.  From now on, standard output is standard error,
   and this program gets SIGTERM when standard input ends.  Returns the plan
   as a new JSON object; NULL, with a message, when standard input has none. */
json_t *enter_part(struct part *part);

/* Returns whether the round [round], from 0, is to be made here. */
bool is_own_round(const struct part *part, uint32_t round);

/* Returns whether the batch of the part has the run [number]. */
bool has_made(const struct part *part, uint32_t number);

/* Sends the plan with its facts.  Returns false when the batch has ended. */
bool send_plan(const struct part *part, const json_t *plan);

/* Sends the run [number] in [folder], waits until the batch has it, and removes
   its files.  Returns false, with a message, when that fails. */
bool send_run(const struct part *part, const char *folder, uint32_t number);

/* Sends the status of the part, unless it is -1: the part is not complete.  Removes
   [folder] with its files. */
void leave_part(struct part *part, int status, const char *folder);

#endif /* TOOLS_RUNS_BATCH_PART_H */
