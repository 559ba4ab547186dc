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

/* A program that eventring starts with tracing on, and the reading of its rings
   while it runs:

     start_traced -> follow_traced -> end_traced_recording -> free_traced
                         |
          ended? -- no --> recorder, summary --> sleep --+
             ^                                           |
             +-------------------------------------------+

   The rings are read once more after the program has ended: its file stays
   until then.  The other processes of the program's tree are read in the same
   loop, if they are wanted (children.h). */

#ifndef TOOLS_TRACED_H
#define TOOLS_TRACED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include "children.h"
#include "command.h"
#include "followed.h"
#include "sessions.h"

/* The programs that are to write events. */
enum trace_of { TRACE_ALL, TRACE_OURS, TRACE_NONE };

/* The caller sets the members of the first group. */
struct traced {
  const char *output;             /* the recording, numbered_path; NULL: none.
                                     With [children], of the first program
                                     only; the others are parts */
  bool force;                     /* replaces recordings that exist */
  bool only_record;               /* there is no summary, which costs time while
                                     the program runs */
  const char *categories;         /* NULL: as the environment says */
  long ring;                      /* 0: as the environment says */
  enum trace_of of;               /* TRACE_OURS: not programs of stock OCaml */
  char *folder;                   /* of the ring file */
  bool own_folder;                /* nobody else puts files there */
  struct children *children;      /* NULL: only the program is followed */

  pid_t pid;
  int64_t started_ns, ended_ns;   /* CLOCK_MONOTONIC: before its start, and when
                                     its end was seen */
  int exec_fd;                    /* reports that exec failed */
  int pidfd;
  int exit_status;                /* of waitpid */
  struct rusage usage;            /* of it and the children that it waited for */

  uint32_t programs;              /* that it has been, with ring files, and
                                     sessions of these */
  uint32_t restarts;              /* of tracing, by one program */
  uint32_t too_short;             /* sessions that ended before they were read */
  struct followed rings;          /* of its present one */
  struct sessions *sessions;
  char why[512];                  /* its ring file cannot be opened; "": there was
                                     none so far, or the last one was opened */
  enum status status;             /* STATUS_CANNOT_WRITE: a recording failed */
};

/* Set the categories or the size of the rings to the value of --categories or
   --ring.  A wrong value ends the program with the usage error of [command]. */
void set_traced_categories(struct traced *traced,
                           const struct command *command, const char *list);
void set_traced_ring(struct traced *traced, const struct command *command,
                     const char *number);

/* Sets the environment variable with the categories, and adds the size of the
   rings to OCAMLRUNPARAM, if they are given. */
void set_trace_options(const struct traced *traced);

/* Creates a folder in the folder [parent], which only its owner may use, and
   returns its path, which the caller frees.  On failure, prints a message that
   has [purpose] and ends the program with STATUS_CANNOT_WRITE. */
char *new_folder(const char *parent, const char *purpose);

/* Removes the ring files in [folder]: the file of process [pid], and the files
   of other processes that have ended.  Files of processes that still run are
   kept, and files that cannot be opened for lack of memory or descriptors.
   Returns the number of other processes that have ended, and adds the number of
   processes that still run to *running.  Returns 0 when the folder cannot be
   opened. */
unsigned remove_ring_files(const char *folder, pid_t pid, unsigned *running);

/* Forks; the child sets the environment variables that make a program trace,
   calls [prepare] with [state], and executes [program], a vector that ends with
   NULL.  Sets [pid] and [started_ns].  Returns 0, or the errno of fork or pipe.
   The caller calls exec_traced next, which sets [pidfd]. */
int fork_traced(struct traced *traced, char **program,
                void (*prepare)(void *state), void *state);

/* Waits until the child of fork_traced executes its program.  Returns 0, or the
   errno of execvp when the program cannot be executed, after the end of the
   child. */
int exec_traced(struct traced *traced);

/* Reads the events of the program until it ends, and then its last events and
   its exit status, which ends the zombie.  The last cursor, summary and
   recording stay open.  [exact]: a thread waits for the end of the program, so
   that [ended_ns] does not wait for the reading of events. */
void follow_traced(struct traced *traced, bool exact);

/* Closes the recording of the present ring file, if there is one; on failure
   prints a message and sets [status]. */
void end_traced_recording(struct traced *traced);

/* Closes the cursors and frees the summary; all are NULL then. */
void free_traced(struct traced *traced);

#endif /* TOOLS_TRACED_H */
