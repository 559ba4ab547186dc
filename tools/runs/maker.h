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

/* The making of a batch: the folder with its lock, and the loop over rounds. */

#ifndef TOOLS_RUNS_MAKER_H
#define TOOLS_RUNS_MAKER_H

#include <limits.h>
#include <stdbool.h>
#include "command.h"
#include "runs/batch.h"
#include "runs/batch_part.h"
#include "runs/execute.h"
#include "files.h"

/* The settings of a new batch, which batch.json keeps. */
struct batch_settings {
  struct batch_limits limits;
  uint64_t seed;
  uint32_t warm_up;
  bool keep_going;
  enum trace_of of;
  const char *on;                 /* the name of a backend; NULL: this machine */
  const json_t *nodes;            /* of the backend; their names */
};

/* A batch that is being made. */
struct maker {
  char folder[PATH_MAX];
  json_t *batch;                  /* batch.json */
  bool shows_output, quiet;
  int lock;
  struct part part;
  struct executor executor;
  struct file_states files;
};

/* Creates the folder of a batch: [wanted] or, if that is NULL, one in the store
   that is named after the first of [commands] and the date; takes its lock, and
   writes batch.json.  Takes [commands], which have their facts, and [commits].
   If that is not NULL, it is a result of commands_of_commits; then builds the
   commits.  Returns a status, with a message on failure. */
enum status create_batch(struct maker *m, const char *wanted,
                         const struct batch_settings *settings,
                         json_t *commands, json_t *commits);

/* Opens the batch in the folder [folder], takes its lock, and sets the
   variables of the environment that it began with.  Limits in [limits] that are
   not 0 replace its own.  [keep_going]: so from now on.  Returns a status, with
   a message on failure. */
enum status open_batch(struct maker *m, const char *folder,
                       const struct batch_limits *limits, bool keep_going);

/* Opens the part of a batch that standard input has for this node, in a new temporary
   folder.  Returns a status, with a message on failure. */
enum status open_part(struct maker *m);

/* Makes the runs that are missing, until a limit is reached, and prints the
   medians.  Returns STATUS_FINDING when a program has failed, and other
   statuses with a message.  After stop_executions, the result is STATUS_OK. */
enum status make_runs(struct maker *m);

/* Gives the lock back and frees everything but the part. */
void close_maker(struct maker *m);

#endif /* TOOLS_RUNS_MAKER_H */
