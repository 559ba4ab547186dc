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

/* The recordings of several programs that are to become one:

     begin_parts -> new_part for each further program -> join_parts
                 -> remove_parts

   The first program may be recorded at the path of the output itself, the others
   are parts: files in a folder beside it.  join_parts puts all of them in a new
   file, which then takes the place of the output.  Of more programs than a
   recording can have, the rest is in further files (numbered_path). */

#ifndef TOOLS_PARTS_H
#define TOOLS_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "command.h"

struct parts {
  const char *output;             /* NULL: nothing is recorded */
  bool force;                     /* replaces files that exist */
  bool is_file;                   /* the output is a regular file, or will be;
                                     a device or FIFO has no parts */
  bool first;                     /* the output has the first program */
  enum status *status;            /* as in struct followed */
  char *folder;                   /* of the parts; NULL: there are none yet */
  char **paths;
  size_t count, room;
  size_t left_out;                /* programs that have no part, since the output
                                     is no regular file */
};

/* Returns the path of the file that [output] names, which the caller frees: where
   the symbolic links lead if it names a regular file or none yet, else [output].
   The parts are then on the file system of that file. */
char *real_output(const char *output);

/* Prepares the parts of the recording at [output], a result of real_output or
   NULL.  Writes nothing. */
void begin_parts(struct parts *p, const char *output, bool force,
                 enum status *status);

/* Returns the path of a new part, which the caller frees.  Returns NULL when no
   part is to be recorded: there is no output, it is no regular file, or the
   recording has failed, perhaps just now, with a message. */
char *new_part(struct parts *p);

/* Returns the number of files that the output and the parts become. */
uint32_t joined_files(const struct parts *p);

/* Joins the output, if it has the first program, and the parts.  All must be
   closed.  Returns STATUS_OK, or the status of a failure, with a message: the
   parts are still there then.  Uses the options of the command line (optind), and
   may end the program. */
enum status join_parts(const struct parts *p);

/* Removes the incomplete file of a join_parts that a signal has ended. */
void drop_joined(const struct parts *p);

/* Removes the parts and their folder.  Failures are not reported. */
void remove_parts(const struct parts *p);

#endif /* TOOLS_PARTS_H */
