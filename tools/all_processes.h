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

/* The processes that a command shows with --all: all processes of the files on
   the command line, or all that are traced on this machine.  Each has a label,
   its node among it, the machine on which it ran. */

#ifndef TOOLS_ALL_PROCESSES_H
#define TOOLS_ALL_PROCESSES_H

#include <jansson.h>
#include "follow.h"
#include "manifest.h"

struct process_label {
  int32_t pid;
  uint32_t process;               /* its number in its file, from 0 */
  char program[256];              /* without its folder; "" when not known */
  char node[HOST_SIZE];           /* "" when not known */
  char *columns;                  /* the node, if there are several, and the
                                     process, for a line of text: escaped, and
                                     of one width */
  char *name;                     /* the path and the process, for messages */
};

struct all_processes {
  int count;                      /* at least 1 */
  struct source *sources;
  struct process_label *labels;   /* NULL: not --all, so there is one process */
  bool several_nodes;
  int64_t started_ns;             /* the earliest start of tracing, on the clock
                                     of all sources */
  enum status status;             /* STATUS_CANNOT_READ when there are processes
                                     that cannot be opened */
};

/* Opens the processes that the command line names after its options: if [all] is
   false, the process that open_target opens; else, all processes of the files
   and the processes that open_targets opens or, without operands, the running
   processes that find_processes finds in [dir].  A running process that cannot
   be opened gets a message and is left out.  If a named process cannot be
   opened, there is none, or with [all] an operand is a stream, prints a message
   and ends the program.  The caller frees the result with close_processes. */
struct all_processes open_processes(const struct command *command, int argc,
                                    char **argv, const char *dir, bool all);
void close_processes(struct all_processes *all);

/* Fills [label] but for its columns and its name, which are NULL, and its number,
   which is 0, for the process of [cursor]. */
void describe_process(struct process_label *label,
                      struct eventring_cursor *cursor);

/* Sets the members "pid", "program" and "node" of [object]; those that are not
   known are null.  Does nothing if [label] is NULL. */
void json_label(json_t *object, const struct process_label *label);

/* Prints an empty line, unless [first], and a line with the node, if there are
   several.  Does nothing without labels. */
void print_section(const struct all_processes *all, int which, bool first);

/* Prints a note for each process of which events were lost, with their
   number. */
void note_lost(const struct all_processes *all);

/* The functions by which a command shows each process by itself. */
struct each {
  void *command;                  /* given to [begin] and [end] */
  bool open_spans;                /* as in struct reading */
  /* Returns the state for process number [which] of [all], from 0. */
  void *(*begin)(void *command, const struct all_processes *all, int which);
  void (*event)(void *state, const struct eventring_event *event);
  void (*quiet)(void *state);     /* as in struct reading */
  /* Prints the process and frees its state. */
  enum status (*end)(void *command, const struct all_processes *all, int which,
                     void *state);
};

/* Reads the events of each process and shows it by the functions of [each].
   Without [follow], reads one process after the other, and closes its cursor, so
   that only one takes memory; with [follow], reads all until all have ended or a
   signal arrives.  The processes of [all] cannot be read afterwards.  Returns
   STATUS_OK, or the status of a failure: of writing, of reading, or of
   open_processes. */
enum status read_each(struct all_processes *all, const struct each *each,
                      bool follow);

#endif /* TOOLS_ALL_PROCESSES_H */
