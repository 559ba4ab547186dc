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

/* The store of a hub: recordings in parts, as agents sent them.

     STORE/hub/                  key and certificate, see hub_keys.h
     STORE/hub/address           the address of the hub
     STORE/hub/tokens/SUM        a join token that has not been used, by its
                                 SHA-256
     STORE/hub/read.token        the token of readers
     STORE/hub/nats.secret       the secret behind the credentials for NATS
     STORE/hub/merge-N/          a recording is made here of links to parts
     STORE/nodes/NODE/node.key   the SHA-256 of the public key of its agent
     STORE/nodes/NODE/node.json  the last report of the agent
     STORE/nodes/NODE/STREAM/N.evr        part N; read-only when it is complete
     STORE/nodes/NODE/STREAM/N.differs    bytes that differ from N.evr
     STORE/nodes/NODE/STREAM/stream.json  the last state of the process

   The folder of a stream goes with its last part.  The state of a process that
   the agent still reports is in its last report.

   A part only grows.  Names come from the network: they are checked before they
   become names of files, and no link is followed.  Functions may be called from
   several threads.  Errors are returned as one line of text. */

#ifndef FLEET_HUB_STORE_H
#define FLEET_HUB_STORE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hub_keys.h"
#include "stream_name.h"
#include "turns.h"

/* The most bytes of a part. */
#define PART_MAX_BYTES ((uint64_t) 256 << 20)

/* How long a join token can be used. */
#define JOIN_TOKEN_SECONDS 86400

#define HUB_LOCKS 64

/* Recordings that are made at a time: each may take the memory of a segment. */
#define HUB_MERGES 4

/* How the names of folders begin in which recordings are made. */
#define MERGE_PREFIX "merge-"

struct hub_store {
  char path[4000];
  int hub, tokens, nodes;         /* the folders */
  int locked;                     /* the file that keeps other hubs out, or -1 */
  int64_t max_age_ns;             /* INT64_MAX: any age */
  uint64_t max_bytes;             /* UINT64_MAX: any size */
  _Atomic uint64_t bytes;         /* that the parts take up */
  _Atomic uint64_t removed_parts, removed_bytes; /* since the start */
  _Atomic int64_t cleaned_ns;     /* the last search for parts to remove */
  struct turns merges;            /* of recordings that are made */
  _Atomic unsigned merged;        /* numbers their folders */
  pthread_mutex_t locks[HUB_LOCKS]; /* of streams, by the hash of their names */
  pthread_mutex_t node_locks[HUB_LOCKS];
};

/* Why there is nothing in the store at a path. */
#define NO_HUB_YET "no hub has used the store %.3900s yet"

/* Opens the store in the folder [path].  [serve]: the caller is a hub, which
   must be the only one; the folder is made if needed, for the user only.
   Returns false with the reason; the caller calls close_hub_store in any case. */
bool open_hub_store(struct hub_store *store, const char *path, bool serve,
                    char *why, size_t size);
void close_hub_store(struct hub_store *store);

/* A part: of which node and stream, and its number.  The names are valid. */
struct hub_part {
  const char *node, *stream;
  uint32_t number;
};

enum append_result {
  PART_STORED,
  PART_GAP,                       /* bytes before [offset] are missing */
  PART_DIFFERS,                   /* from the bytes that are there */
  PART_COMPLETE,                  /* it takes no more bytes */
  PART_TOO_LARGE,
  PART_FULL,                      /* the disk, or the store */
  PART_FAILED
};

/* Adds [count] [bytes], which begin at [offset] of the part.  Bytes that are
   there already must be the same; others are kept in a file of their own, and
   the part does not change.  [last]: the part is complete then.  Sets *stored to
   the bytes of the part that are durable.  [why] gets the reason of results
   other than PART_STORED. */
enum append_result append_to_part(struct hub_store *store,
                                  const struct hub_part *part, uint64_t offset,
                                  const void *bytes, size_t count, bool last,
                                  uint64_t *stored, char *why, size_t size);

/* Removes the parts that are too old, and the oldest parts, but not the last
   part of a stream if it is incomplete, until the store has [room] bytes of
   max_bytes left; and the folders of streams without a part.  Returns whether
   there is room. */
bool clean_hub_store(struct hub_store *store, uint64_t room);

/* Returns a descriptor of the folder of a node, or of its [stream] if that is
   not NULL, which the caller closes; -1 with errno. */
int open_hub_folder(struct hub_store *store, const char *node,
                    const char *stream);

/* Removes the folder [name] of the folder hub, where a recording was made. */
void remove_merge_folder(struct hub_store *store, const char *name);

/* The lock of a stream, which is held while its files change or are listed. */
pthread_mutex_t *lock_of_stream(struct hub_store *store, const char *node,
                                const char *stream);

/* The lock of a node, which is held while its name is given or its report is
   kept.  Locks of streams may be taken after it. */
pthread_mutex_t *lock_of_node(struct hub_store *store, const char *node);

/* The parts of a stream, in order of their numbers. */
struct part_file {
  uint32_t number;
  bool complete;
  uint64_t bytes;
  int64_t changed_ns;             /* CLOCK_REALTIME */
};

/* Sets *parts to the parts in [folder], which the caller frees, and *count to
   their number.  Returns false when there is no memory or the folder cannot be
   read. */
bool list_parts(int folder, struct part_file **parts, size_t *count);

/* Sets [name] to the name of the file of a part that ends with [end]: .evr or
   .differs. */
#define PART_NAME_SIZE 32
void name_part_file(char name[PART_NAME_SIZE], uint32_t number,
                    const char *end);

/* Bytes on the disk for each part: for its file, and for bytes kept apart. */
#define PART_COST 8192

/* The name of the file with the state of a process. */
#define STREAM_FILE "stream.json"

/* Calls [stream] with [state] for each stream of the store. */
void visit_hub_streams(struct hub_store *store,
                       void (*stream)(struct hub_store *store, const char *node,
                                      const char *name, void *state),
                       void *state);

/* Calls [visit] with [state] for each name in [folder] that [wanted] accepts.
   Returns false with errno when the folder cannot be read. */
bool visit_names(int folder, bool (*wanted)(const char *name),
                 void (*visit)(void *state, const char *name), void *state);

/* Removes the files of [folder] with the names that [wanted] accepts. */
void remove_names(int folder, bool (*wanted)(const char *name));

/* Returns CLOCK_REALTIME and CLOCK_MONOTONIC in nanoseconds. */
int64_t hub_realtime_ns(void);
int64_t hub_monotonic_ns(void);

#endif /* FLEET_HUB_STORE_H */
