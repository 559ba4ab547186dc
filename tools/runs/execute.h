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

/* The execution of a command of a batch, which becomes a run. */

#ifndef TOOLS_RUNS_EXECUTE_H
#define TOOLS_RUNS_EXECUTE_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include "command.h"
#include "traced.h"

/* Of a batch.  The caller sets all members but [making], and creates the folder
   of making_path. */
struct executor {
  const char *folder;             /* of the batch */
  const json_t *commands;         /* of batch.json */
  const json_t *machine;          /* machine_facts */
  const char *node;               /* the name of this node; NULL: none */
  enum trace_of of;
  char *ring_folder;
  bool shows_output;              /* the programs' output is not discarded */
};

/* The result of an execution. */
struct execution {
  bool stopped;                   /* stop_executions was called: there is no
                                     run */
  bool failed;                    /* the program: exit code or signal */
  int exit_status;                /* of waitpid */
  double wall_ns;
};

/* Executes the command numbered [command], from 0, and waits for its end.
   Unless [number] is 0, then keeps it as the run with this number, with
   recordings if the program wrote events.  Returns STATUS_OK, and sets
   *result; STATUS_CANNOT_READ when the program cannot be started, and
   STATUS_CANNOT_WRITE when the run cannot be kept, with a message: nothing is
   left of it then. */
enum status execute(const struct executor *executor, uint32_t command,
                    uint32_t number, struct execution *result);

/* Executes [argv], a build, in [directory], with its output to the file [log],
   and waits for its end.  Returns the status of waitpid, which is not 0 when it
   cannot be executed. */
int execute_build(char **argv, const char *directory, const char *log);

/* Kills the program that is executed at present, if there is one, with the
   processes of its group: its run will not be kept, and no other is made.
   Handlers of signals may call this function. */
void stop_executions(void);
bool executions_stopped(void);

/* Gives the files of the run [number], with these [recordings] of its manifest, in
   the folder of making_path of [folder] their names in the batch.  Returns false,
   with a message, when that fails. */
bool publish_run(const char *folder, uint32_t number, const json_t *recordings);

/* Removes all files in [folder], without the folders. */
void remove_files(const char *folder);

/* Removes everything in the folder of making_path of [folder]: the run that was
   made when a batch was interrupted. */
void discard_making(const char *folder);

#endif /* TOOLS_RUNS_EXECUTE_H */
