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

/* Follows all traced processes of the machine that this user may read, and
   records each session to parts in a spool.

     search --> ring files --> a recorder for each --> spool

   A file is known by its device and inode.  It is opened, recorded until its
   process has ended or has stopped its tracing, and remembered until it is
   removed.  A file that cannot be read costs one line and nothing else.

   No function waits; all are for one thread. */

#ifndef FLEET_FOLLOWER_H
#define FLEET_FOLLOWER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "eventring_reader.h"
#include "spool.h"

struct follower;

struct follower_options {
  struct spool *spool;
  const char *dir;                /* NULL: all processes; else only those with
                                     their ring file there, and files that are
                                     left there */
  const char *empty;              /* a folder without ring files */
  int64_t flush_ns;               /* the longest time until copied events are in
                                     the spool */
  int64_t part_ns;                /* the age at which a part ends that the hub
                                     does not confirm */
  int64_t age_ns;                 /* the age at which a tombstone is removed */
  /* Returns the manifest of a recording, which the caller frees. */
  char *(*manifest)(struct eventring_cursor *cursor);
  const char *node;               /* for eventring_record_node */
  void (*say)(const char *line);
  void (*grown)(void *state);     /* called when the spool has more bytes... */
  void *state;                    /* ...with this */
};

/* Begins to follow.  Returns NULL, with the reason in [why]. */
struct follower *begin_following(const struct follower_options *options,
                                 char *why, size_t size);

/* Takes processes that were found, and copies the new events of the processes
   that are due.  Returns the nanoseconds until the next call, at most 10 ms. */
int64_t follow_once(struct follower *follower);

/* A process that is being recorded. */
struct followed_process {
  char path[4096];                /* of its ring file */
  dev_t device;
  ino_t inode;
  int32_t pid;
};

/* Sets *process to the process that [name] names, a pid or a stream.  Returns
   the number of processes that are being recorded with this name: several may
   have the same pid, in different namespaces. */
size_t find_followed(const struct follower *follower, const char *name,
                     struct followed_process *process);

struct follower_totals {
  uint64_t sessions, events, lost; /* since the beginning */
};

/* Ends all recordings in order, sets *totals, and frees the follower.  The
   processes run on; another agent continues their streams. */
void end_following(struct follower *follower, struct follower_totals *totals);

#endif /* FLEET_FOLLOWER_H */
