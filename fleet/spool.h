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

/* The spool of an agent: recordings on disk that a hub has not confirmed yet.

     SPOOL/lock                  locked while an agent uses the spool
     SPOOL/STREAM/state          facts that must outlive the agent, see below
     SPOOL/STREAM/1.evr, 2.evr   parts: recordings, each readable by itself

   A stream is one session of one process.  At most one part of a stream, the
   last one, is being written; all others have ended.  A part is removed when it
   has ended and the hub has confirmed all of its bytes, or when the spool has
   reached its limits: then the oldest part that has ended is dropped, whole,
   and counted.  The bytes of a dropped part that the hub may have already are
   sent all the same, so that it is known which events are lost.

   Every function leaves the folder so that an agent that is killed at any
   moment loses nothing: the number of the next part is in the state before the
   part exists, so no number is used twice, and the parts that are left by a
   killed agent count as ended.  The state is replaced by a rename.

   All functions may be called by several threads at a time. */

#ifndef FLEET_SPOOL_H
#define FLEET_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "stream_name.h"

/* The most bytes of a part that are sent at once. */
#define SPOOL_PIECE ((size_t) 1 << 20)

struct spool;
struct spool_stream;

struct spool_limits {
  uint64_t bytes;                 /* of all parts */
  int64_t age_ns;                 /* since a part has ended */
};

/* Opens the spool in the folder [dir], which is created if necessary, and takes
   its lock.  [say] gets one line for each fault that costs events.  Returns
   NULL, with the reason in [why], when another agent uses the spool or the
   folder cannot be read.  The caller closes the spool; its parts stay. */
struct spool *open_spool(const char *dir, const struct spool_limits *limits,
                         void (*say)(const char *line), char *why,
                         size_t size);
void close_spool(struct spool *spool);

/* Streams, for the writer of the parts. */

struct spool_facts {
  char name[STREAM_NAME_SIZE];    /* [0-9a-z-] only */
  int32_t pid;
  char program[256];
};

/* Returns the stream with the name in [facts], which is created if the spool
   has no such stream, and holds it: it stays valid until release_stream.
   Returns NULL, with the reason in [why], when its folder cannot be made. */
struct spool_stream *hold_stream(struct spool *spool,
                                 const struct spool_facts *facts, char *why,
                                 size_t size);
void release_stream(struct spool *spool, struct spool_stream *stream);

/* Returns whether the stream has ended, perhaps with an earlier agent: it has
   no further events. */
bool stream_has_ended(struct spool *spool, struct spool_stream *stream);

/* reserve_part returns the path for the next part of the stream, which the
   caller creates and frees; NULL, with the reason in [why], when the state of
   the stream cannot be written.  begin_part ends the part before, which the
   caller has written whole, and makes the new part the present one. */
char *reserve_part(struct spool *spool, struct spool_stream *stream, char *why,
                   size_t size);
void begin_part(struct spool *spool, struct spool_stream *stream);

/* Sets the numbers of bytes and events that the present part of the stream has
   by now. */
void part_has(struct spool *spool, struct spool_stream *stream,
              uint64_t bytes, uint64_t events);

/* Ends the present part of the stream, if there is one. */
void end_part(struct spool *spool, struct spool_stream *stream);

/* Returns how many bytes of the present part the hub has confirmed. */
uint64_t part_confirmed(struct spool *spool, struct spool_stream *stream);

/* Sets the number of events that the process has written, unless a greater one
   is known.  [state] is "running"; or "ended", "replaced", "killed" or "unknown",
   after which the stream gets no more parts. */
void set_stream(struct spool *spool, struct spool_stream *stream,
                const char *state, uint64_t written);

/* A tombstone: what a process has left that has removed its ring file. */
struct tombstone {
  const char *path;
  int64_t changed_ns;             /* since 1970 */
  uint64_t events;                /* that the process has written */
  const char *state;              /* "ended" or "replaced" */
};

/* Takes the final counts of a stream from its tombstone, which is removed when
   the hub has the report of them, or when it is older than the limit of the
   spool.  The stream is created if the spool has no such stream.  Returns false,
   with the reason in [why], when the stream cannot be written; the caller tries
   again. */
bool bury_stream(struct spool *spool, const struct spool_facts *facts,
                 const struct tombstone *tombstone, char *why, size_t size);

/* Sets whether the writer holds all streams of which it has a ring file, and has
   buried those of which it has a tombstone; true after each search that has
   found all and has begun after the call before.  Only while it does, the spool
   forgets streams that have nothing more to send and are not held: it would take
   their files for new ones. */
void set_all_held(struct spool *spool, bool all);

/* Returns the most bytes that a part should have, so that the limit of the
   spool is kept by dropping parts that have ended. */
uint64_t part_limit(struct spool *spool);

/* Parts, for their sender. */

struct spool_job {
  struct spool_stream *stream;
  char name[STREAM_NAME_SIZE];
  uint32_t part;
  uint64_t offset;                /* of the first byte to send... */
  size_t length;                  /* ...and their number, perhaps 0 */
  bool last;                      /* the part ends with them */
};

/* Finds the next bytes to send, of a stream of which none are being sent, and
   sets *job.  The bytes of all parts of a stream come in their order; the
   oldest come first.  Copies the bytes to [to], of SPOOL_PIECE bytes.  Returns
   false when there are none. */
bool next_job(struct spool *spool, struct spool_job *job, char *to);

enum job_result {
  JOB_FAILED,                     /* to be tried again */
  JOB_UNANSWERED,                 /* likewise; the hub may have the bytes */
  JOB_CONFIRMED,                  /* the hub has bytes of the part, durably */
  JOB_REFUSED                     /* the hub will never take this part */
};

/* Ends a job of next_job.  [durable] is the number of bytes of the part that
   the hub has;  [reason] is only for JOB_REFUSED.  A part that has ended and is
   confirmed whole leaves the spool by settle_parts. */
void end_job(struct spool *spool, const struct spool_job *job,
             enum job_result result, uint64_t durable, const char *reason);

/* Returns whether parts wait for settle_parts. */
bool parts_leave(struct spool *spool);

/* Counts the events of the parts that leave, and removes these parts.  Takes some
   milliseconds for each MiB: for a thread that sends nothing. */
void settle_parts(struct spool *spool);

/* Limits and reports */

/* Drops parts until the limits are kept, and forgets streams that have nothing
   more to send.  For the thread that calls next_job. */
void keep_limits(struct spool *spool);

struct spool_totals {
  uint64_t streams;               /* that the spool has */
  uint64_t parts, bytes;          /* in the spool... */
  uint64_t waiting;               /* ...bytes that are not confirmed */
  uint64_t sent;                  /* bytes confirmed since it was opened */
  uint64_t dropped_parts;         /* since it was opened, or refused */
  uint64_t dropped_bytes;
};
struct spool_totals spool_totals(struct spool *spool);

struct stream_report {
  struct spool_facts facts;
  const char *state;
  uint64_t events, lost, dropped_parts;
};

/* Calls [visit] with [state] for each stream that still runs or that has ended
   and was not reported whole, at most [most] of them, and remembers these until
   reports_arrived, which the caller calls when the hub has the report: what has
   ended and has nothing more to send is not reported again.  The next call
   begins after them.  Returns the number of all such streams. */
size_t visit_streams(struct spool *spool, size_t most,
                     void (*visit)(void *state, const struct stream_report *r),
                     void *state);
void reports_arrived(struct spool *spool);

#endif /* FLEET_SPOOL_H */
