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


/* The data of a spool: spool_streams.c has the list of streams and the limits,
   spool_files.c the files, spool_jobs.c sends.  Functions are called with the
   mutex locked unless they say otherwise. */

#ifndef FLEET_SPOOL_INTERNAL_H
#define FLEET_SPOOL_INTERNAL_H

#include <pthread.h>
#include "locks.h"
#include "spool.h"
#include "stored.h"

struct part {
  uint32_t number;
  bool ended;
  bool busy;                      /* bytes of it are being sent or counted */
  bool left;                      /* by an earlier agent */
  bool refused;                   /* the hub will never take it */
  bool leaving;                   /* nothing of it is to be sent any more: its
                                     events are to be counted, and the file
                                     removed */
  bool cut;                       /* dropped but for the bytes that the hub has
                                     or may have */
  uint64_t size, confirmed;
  uint64_t tried;                 /* bytes that may be at the hub: a request had
                                     no answer */
  uint64_t events;                /* recorded by this agent; 0: not known */
  int64_t ended_ns;               /* since 1970 */
};

struct spool_stream {
  struct spool_stream *next;
  struct spool_stream *next_ready;
  struct spool_facts facts;
  int held;
  bool busy;
  bool ready;                     /* it is in the queue of the spool */
  bool ended;
  bool buried;                    /* a tombstone has its final counts */
  bool reported, reporting;       /* its last state; on the way to the hub */
  char state[16];
  uint64_t searches;              /* of the spool when the stream ended */
  uint64_t written;               /* events the agent knows of */
  uint64_t lost;                  /* as reported last */
  uint64_t dropped;               /* parts */
  uint32_t next_part, reserved;
  uint32_t counted;               /* parts up to this number are in [stored] */
  struct stored stored;           /* events in parts that have left */
  char *tombstone;                    /* the tombstone, or NULL */
  int64_t tombstone_ns;               /* its time, since 1970 */
  struct part *parts;             /* in the order of their numbers */
  size_t count, room;
};

struct message {
  struct message *next;
  char *text;
};

struct spool {
  pthread_mutex_t mutex;
  char *dir;
  int lock;
  struct spool_limits limits;
  void (*say)(const char *line);
  struct message *messages, **messages_end; /* to be said without the mutex */
  bool all_held;
  uint64_t searches;              /* that found all */
  struct spool_stream *streams;
  struct spool_stream *ready, **ready_end; /* may have a job, the next first */
  size_t stream_count, held_count;
  struct spool_totals totals;     /* but streams, parts, bytes, waiting */
  uint64_t bytes;                 /* of all parts */
  size_t leaving;                 /* parts that leave */
  bool told;                      /* that parts were dropped */
};

/* Lock and unlock the mutex.  unlock then says the lines of tell. */
void lock_spool(struct spool *spool) ACQUIRE(spool->mutex);
void unlock_spool(struct spool *spool) RELEASE(spool->mutex);

/* Keeps a line for unlock_spool. */
__attribute__((format(printf, 2, 3)))
void tell_later(struct spool *spool, const char *format, ...);

/* Files */

/* Returns a formatted text, which the caller frees. */
__attribute__((format(printf, 1, 2)))
char *text_of(const char *format, ...);

/* Returns the path of part [number], which the caller frees. */
char *part_path(const struct spool *spool, const struct spool_stream *stream,
                uint32_t number);

/* Returns the size of the file of a part, and sets *changed_ns; -1, with errno,
   when there is none. */
int64_t file_size(const struct spool *spool, const struct spool_stream *stream,
                  uint32_t number, int64_t *changed_ns);

/* Makes an empty file at [path].  Returns false, with errno, when that
   fails. */
bool make_part_file(const char *path);

/* Makes the file of the part shorter.  Returns false, with errno, when that
   fails. */
bool cut_part_file(const struct spool *spool, const struct spool_stream *stream,
                   uint32_t number, uint64_t size);

/* Replaces the file of the state.  Returns false, with errno, when it cannot be
   written; the earlier one is then still there. */
bool write_state(const struct spool *spool, const struct spool_stream *stream);
void read_state(const struct spool *spool, struct spool_stream *stream);

/* Removes the folder of the stream, which has no parts. */
void remove_folder(const struct spool *spool,
                   const struct spool_stream *stream);

/* Parts */

/* Adds an element for part [number] of the stream, which has a higher number
   than the others, and returns it. */
struct part *add_part(struct spool_stream *stream, uint32_t number);

/* Forgets part [i] of the stream, and removes its file. */
void remove_part(struct spool *spool, struct spool_stream *stream, size_t i);

/* Drops part [i], which has ended and is not being sent: removes the bytes that
   the hub has not confirmed, and lets the part leave.  Counts it as dropped,
   unless the hub has all of it and only was not told that it has ended. */
void drop_part(struct spool *spool, struct spool_stream *stream, size_t i);

/* Drops part [i] but for the bytes that the hub may have, which are sent
   again: so their events are not counted as lost. */
void cut_part(struct spool *spool, struct spool_stream *stream, size_t i);

void set_part_size(struct spool *spool, struct part *part, uint64_t size);

/* Puts the stream in the queue of streams that may have a job. */
void make_ready(struct spool *spool, struct spool_stream *stream);

#endif /* FLEET_SPOOL_INTERNAL_H */
