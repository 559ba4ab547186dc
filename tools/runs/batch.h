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

/* A batch: a folder with `batch.json`, the plan, and the runs that were made.

   The plan needs no state: each round has every command once, in an order that
   the seed and the number of the round give, so the number of a run tells its
   command.  A run is made when its file is there.  A batch that ended at any
   moment goes on with the first run that is missing. */

#ifndef TOOLS_RUNS_BATCH_H
#define TOOLS_RUNS_BATCH_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define BATCH_FILE "batch.json"

/* The most commands of a batch, and runs. */
#define BATCH_COMMANDS 1000
#define BATCH_RUNS 999999

/* When a batch ends: at the end of a round in which one of these is reached; 0
   for no limit. */
struct batch_limits {
  uint32_t runs;                  /* of each command */
  int64_t time_ns;
  double precision;               /* of the median of the wall time of each
                                     command: half the width of its interval,
                                     relative */
};

/* Returns batch.json of [folder] as a new JSON object, or NULL with the reason
   in [why]. */
json_t *read_batch(const char *folder, char *why, size_t why_size);

/* Returns whether [batch], a result of read_batch, has the members that a batch
   needs to go on, and its commits are worktrees in its folder. */
bool is_plan(const json_t *batch);

/* Writes the path of the folder of the batch [name]: [name] itself if it is a
   batch or has a slash, else the folder of this name in the store [store],
   which may be NULL, unless it is only here. */
void batch_folder(char folder[PATH_MAX], const char *store, const char *name);

/* Writes [batch] to batch.json of [folder], in place of an earlier one.
   Returns false, with the reason in [why], when that fails; an earlier one
   stays. */
bool write_batch(const char *folder, const json_t *batch, char *why,
                 size_t why_size);

/* Returns the limits in [batch]; write them to it. */
struct batch_limits batch_limits(const json_t *batch);
void set_batch_limits(json_t *batch, const struct batch_limits *limits);

/* Returns the command, from 0, of the run numbered [number], from 1, of a batch
   of [commands] commands. */
uint32_t planned_command(uint64_t seed, uint32_t commands, uint32_t number);

/* Returns the name of the folder of the runs that are being made in [folder],
   which holds no run that counts.  It is hidden. */
void making_path(char path[PATH_MAX], const char *folder);

/* Calls [visit] with [state] for each run in [folder], in the order of their
   numbers, with its number and its member `run`, which is NULL with a reason
   [why] when the file cannot be read.  [run] is only valid during the call. */
void visit_runs(const char *folder,
                void (*visit)(void *state, uint32_t number, json_t *run,
                              const char *why), void *state);

/* Returns the numbers of the runs in [folder] in their order, which the caller
   frees, and how many in *count. */
uint32_t *run_numbers(const char *folder, size_t *count);

#endif /* TOOLS_RUNS_BATCH_H */
