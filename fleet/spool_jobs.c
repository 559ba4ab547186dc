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


/* See spool.h: the parts of a spool on their way to the hub. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "spool_internal.h"

/* Returns the first part of the stream that has bytes to send or an end to
   tell, or NULL. */
static struct part *to_send(const struct spool_stream *t)
{
  for (size_t i = 0; i < t->count; i++) {
    struct part *p = &t->parts[i];
    if (!p->refused && !p->leaving && (p->ended || p->confirmed < p->size))
      return p;
  }
  return NULL;
}

void make_ready(struct spool *s, struct spool_stream *t)
{
  if (t->ready) return;
  t->ready = true;
  t->next_ready = NULL;
  *s->ready_end = t;
  s->ready_end = &t->next_ready;
}

/* Takes the first stream out of the queue; returns NULL when it is empty. */
static struct spool_stream *take_ready(struct spool *s)
{
  struct spool_stream *t = s->ready;
  if (t == NULL) return NULL;
  s->ready = t->next_ready;
  if (s->ready == NULL) s->ready_end = &s->ready;
  t->ready = false;
  return t;
}

/* Why nothing was read: the file is not there; or another reason, which may
   pass, such as too many open files. */
enum { GONE = -1, NOT_NOW = -2 };

/* Reads up to [length] bytes of the file from [offset] on.  Returns their
   number, or GONE or NOT_NOW. */
static int64_t read_file(const char *path, uint64_t offset, size_t length,
                         char *to)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  size_t done = 0;
  bool failed = false;
  if (fd < 0) return errno == ENOENT ? GONE : NOT_NOW;
  while (done < length) {
    ssize_t n = pread(fd, to + done, length - done, (off_t) (offset + done));
    if (n < 0 && errno == EINTR) continue;
    failed = n < 0;
    if (n <= 0) break;
    done += (size_t) n;
  }
  close(fd);
  return failed ? NOT_NOW : (int64_t) done;
}

/* Sets *job to the next bytes of part [p], which is then busy. */
static void make_job(struct spool_stream *t, struct part *p,
                     struct spool_job *job)
{
  uint64_t left = p->size > p->confirmed ? p->size - p->confirmed : 0;
  *job = (struct spool_job) {
    .stream = t, .part = p->number, .offset = p->confirmed,
    .length = left < SPOOL_PIECE ? (size_t) left : SPOOL_PIECE
  };
  strcpy(job->name, t->facts.name);
  job->last = p->ended && left == job->length;
  p->busy = t->busy = true;
}

/* Returns the index of the part of the job in its stream. */
static size_t index_of(const struct spool_job *job)
{
  size_t i = 0;
  while (job->stream->parts[i].number != job->part) i++;
  return i;
}

/* Finds the next job, and sets *path to the file of its part, which the caller
   frees.  Returns false when there is none. */
static bool find_job(struct spool *s, struct spool_job *job, char **path)
{
  struct spool_stream *t;
  struct part *p = NULL;
  lock_spool(s);
  while (p == NULL && (t = take_ready(s)) != NULL)
    /* A busy stream comes back when its job ends. */
    p = t->busy ? NULL : to_send(t);
  if (p != NULL) {
    make_job(t, p, job);
    *path = part_path(s, t, p->number);
  }
  unlock_spool(s);
  return p != NULL;
}

/* Ends the work on part [i] of the stream. */
static void not_busy(struct spool *s, struct spool_stream *t, size_t i)
{
  t->parts[i].busy = t->busy = false;
  make_ready(s, t);
}

bool next_job(struct spool *s, struct spool_job *job, char *to)
{
  char *path;
  while (find_job(s, job, &path)) {
    /* Without the mutex: the disk may be slow. */
    int64_t n = read_file(path, job->offset, job->length, to);
    free(path);
    if (n == (int64_t) job->length) return true;
    lock_spool(s);
    size_t i = index_of(job);
    struct part *p = &job->stream->parts[i];
    not_busy(s, job->stream, i);
    /* A failed write has cut the file, or somebody has removed it. */
    if (n == GONE && p->ended) drop_part(s, job->stream, i);
    else if (n >= 0) set_part_size(s, p, job->offset + (uint64_t) n);
    unlock_spool(s);
    if (n < 0) return false;
  }
  return false;
}

/* Lets a part leave that has ended: its size counts no more. */
static void leave(struct spool *s, struct part *p)
{
  if (p->leaving) return;
  p->leaving = true;
  s->leaving++;
  set_part_size(s, p, 0);
}

/* Takes the number of bytes that the hub has of the part of the job. */
static void confirm(struct spool *s, struct part *p,
                    const struct spool_job *job, uint64_t durable)
{
  if (durable > p->size) durable = p->size;
  if (durable > p->confirmed) s->totals.sent += durable - p->confirmed;
  p->confirmed = durable;
  if (job->last && p->ended && durable >= job->offset + job->length)
    leave(s, p);
}

void end_job(struct spool *s, const struct spool_job *job,
             enum job_result result, uint64_t durable, const char *reason)
{
  lock_spool(s);
  size_t i = index_of(job);
  struct part *p = &job->stream->parts[i];
  not_busy(s, job->stream, i);
  if (result == JOB_CONFIRMED) {
    confirm(s, p, job, durable);
  } else if (result == JOB_REFUSED) {
    tell_later(s, "the hub refuses part %" PRIu32 " of process %" PRId32
               ", which is dropped: %s", job->part, job->stream->facts.pid,
               reason);
    p->refused = true;
  } else if (result == JOB_UNANSWERED
             && job->offset + job->length > p->tried) {
    p->tried = job->offset + job->length;
  }
  unlock_spool(s);
}

/* Parts that leave */

/* Counts part [i] of the stream as dropped, with [bytes] of it. */
static void count_dropped(struct spool *s, struct spool_stream *t, size_t i,
                          uint64_t bytes)
{
  s->totals.dropped_bytes += bytes;
  if (t->parts[i].cut) return;
  s->totals.dropped_parts++;
  t->dropped++;
  t->reported = false;
}

void drop_part(struct spool *s, struct spool_stream *t, size_t i)
{
  struct part *p = &t->parts[i];
  if (!p->refused && p->confirmed >= p->size) {
    leave(s, p);
    return;
  }
  count_dropped(s, t, i, p->size - (p->refused ? 0 : p->confirmed));
  if (!p->refused && p->confirmed > 0
      && cut_part_file(s, t, p->number, p->confirmed))
    leave(s, p);
  else
    remove_part(s, t, i);
  write_state(s, t);
}

void cut_part(struct spool *s, struct spool_stream *t, size_t i)
{
  struct part *p = &t->parts[i];
  const uint64_t kept = p->tried > p->confirmed ? p->tried : p->confirmed;
  if (kept == 0 || !cut_part_file(s, t, p->number, kept)) {
    drop_part(s, t, i);
    return;
  }
  count_dropped(s, t, i, p->size - kept);
  set_part_size(s, p, kept);
  p->cut = true;
  write_state(s, t);
}

/* Finds the first part that leaves. */
static bool find_leaving(struct spool *s, struct spool_stream **stream,
                         size_t *index)
{
  if (s->leaving == 0) return false;
  for (struct spool_stream *t = s->streams; t != NULL; t = t->next)
    for (size_t i = 0; i < t->count && !t->busy; i++)
      if (t->parts[i].leaving) {
        *stream = t;
        *index = i;
        return true;
      }
  return false;
}

bool parts_leave(struct spool *s)
{
  lock_spool(s);
  const bool leave = s->leaving > 0;
  unlock_spool(s);
  return leave;
}

void settle_parts(struct spool *s)
{
  struct spool_stream *t;
  size_t i;
  lock_spool(s);
  while (find_leaving(s, &t, &i)) {
    const uint32_t number = t->parts[i].number;
    char *path = part_path(s, t, number);
    struct stored stored = copy_stored(&t->stored);
    t->parts[i].busy = t->busy = true;
    unlock_spool(s);
    /* Without the mutex: this takes some milliseconds for each MiB. */
    count_part(&stored, path);
    free(path);
    lock_spool(s);
    for (i = 0; t->parts[i].number != number;) i++;
    not_busy(s, t, i);
    free(t->stored.ends);
    t->stored = stored;
    if (number > t->counted) t->counted = number;
    s->leaving--;
    /* The count before the file goes; when the disk is full, after. */
    bool written = write_state(s, t);
    remove_part(s, t, i);
    if (!written) write_state(s, t);
  }
  unlock_spool(s);
}
