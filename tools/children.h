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

/* The other processes of the tree of a program that was started with tracing on:
   all that have a ring file in the folder of its ring file, each read from its
   first event to its end.

     new_children -> read_children, again and again -> end_children
                  -> free_children

   inotify reports a ring file when it appears.  It stays when its process ends,
   since the environment of the program says so (OCAML_EVENTRING_KEEP), and is
   read once more then.  Each ring file is a session of its own, also the file of
   a program that was executed in the process. */

#ifndef TOOLS_CHILDREN_H
#define TOOLS_CHILDREN_H

#include <sys/types.h>
#include "followed.h"
#include "parts.h"
#include "tree_summary.h"

struct children;

/* Begins to watch [folder], the real path of the folder of the ring files, before
   the program is started.  [own]: nobody else puts files there, and a file is
   removed when it was read to its end.  Recordings are parts of [output], which
   may be NULL; [force], [status]: as in struct parts.  [json]: the summary will
   be printed as JSON.  Never returns NULL.  When the folder cannot be watched,
   it is searched again and again. */
struct children *new_children(const char *folder, bool own, const char *output,
                              bool force, bool json, enum status *status);

/* Returns a descriptor that can be read when a file has appeared in the folder;
   -1 when there is none. */
int children_descriptor(const struct children *c);

/* Reads the rings of the processes that are due to be read; the caller reads the
   rings of process [program], the program itself.  Returns when to call
   again at the latest, CLOCK_MONOTONIC in nanoseconds. */
int64_t read_children(struct children *c, pid_t program);

/* Reads all rings after the end of the program.  Processes that still run get
   a moment to end, so that processes which end with the program are read to their
   end; later events of the others are not read. */
void end_children(struct children *c, pid_t program);

/* Return the recordings, and the summary of the tree, to which the caller adds
   the sessions of the program itself. */
struct parts *children_parts(struct children *c);
struct tree_summary *children_tree(struct children *c);

/* Returns the summary of the only process that was read, if it is the only line
   of the tree; else NULL. */
struct summary *only_child(struct children *c);

/* The ring files of the tree that were not read. */
struct missed {
  size_t gone;                    /* before they could be read, or never whole: of
                                     programs that were killed as they began, or
                                     executed another one within milliseconds */
  size_t unopened;                /* which the system did not open */
  bool lacked;                    /* one of them for lack of descriptors or
                                     memory: it is sound, and must be kept */
  const char *why;                /* the message for the last of these */
  size_t unsure;                  /* processes that are in the tree, but had ended
                                     when their files were opened: in a folder to
                                     which others have written, perhaps theirs */
};

/* Returns what was missed.  Call when all lines are in the tree.  [why] is valid
   as long as [c]. */
struct missed missed_files(const struct children *c);

void free_children(struct children *c);

#endif /* TOOLS_CHILDREN_H */
