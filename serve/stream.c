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

#define _GNU_SOURCE               /* pthread_cond_clockwait */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "locks.h"
#include "memory.h"
#include "stream.h"

/* A text that several queues hold. */
struct text {
  atomic_uint holders;
  size_t length;
  char bytes[];
};

struct stream {
  bool has_process;
  uint64_t process;
  struct text *texts[STREAM_TEXTS];       /* a ring */
  uint64_t first, end;            /* numbers of texts */
  size_t bytes;                   /* of all of them */
  size_t sent;                    /* of the first */
  uint64_t lost;                  /* ticks since the last that was queued */
};

/* Guards all streams; [news] tells that one has a text, or that they end. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static struct stream *streams[STREAMS] GUARDED_BY(lock);
static bool ended GUARDED_BY(lock);

/* A client that hears nothing for so long gets a comment, so that both sides
   notice a broken connection. */
#define COMMENT_SECONDS 5

/* Texts */

static struct text *new_text(const char *name, const char *data)
{
  const size_t room = strlen(name) + strlen(data) + 32;
  struct text *text = allocate(1, sizeof *text + room);
  text->holders = 1;
  text->length = (size_t) snprintf(text->bytes, room,
                                   "event: %s\ndata: %s\n\n", name, data);
  return text;
}

static void drop_text(struct text *text)
{
  if (atomic_fetch_sub(&text->holders, 1) == 1) free(text);
}

/* Queues; the caller holds the lock. */

static bool append(struct stream *s, struct text *text)
{
  if (s->end - s->first == STREAM_TEXTS
      || (s->bytes > 0 && s->bytes + text->length > STREAM_BYTES))
    return false;
  s->texts[s->end++ % STREAM_TEXTS] = text;
  s->bytes += text->length;
  atomic_fetch_add(&text->holders, 1);
  return true;
}

static void remove_first(struct stream *s)
{
  struct text *text = s->texts[s->first++ % STREAM_TEXTS];
  s->bytes -= text->length;
  s->sent = 0;
  drop_text(text);
}

/* Tells the client of [s] how many ticks it has lost, if there is room. */
static void tell_lost(struct stream *s)
{
  char data[64];
  if (s->lost == 0) return;
  snprintf(data, sizeof data, "{\"ticks\":%" PRIu64 "}", s->lost);
  struct text *text = new_text("lost", data);
  if (append(s, text)) s->lost = 0;
  drop_text(text);
}

static bool is_for(const struct stream *s, const uint64_t *process)
{
  return s != NULL
         && (process == NULL || (s->has_process && s->process == *process));
}

/* Streams */

struct stream *open_stream(bool has_process, uint64_t process)
{
  struct stream *stream = NULL;
  pthread_mutex_lock(&lock);
  int place = 0;
  while (place < STREAMS && streams[place] != NULL) place++;
  if (place < STREAMS && !ended) {
    stream = streams[place] = allocate(1, sizeof *stream);
    *stream = (struct stream) { .has_process = has_process,
                                .process = process };
  }
  pthread_mutex_unlock(&lock);
  return stream;
}

void close_stream(struct stream *stream)
{
  pthread_mutex_lock(&lock);
  for (int i = 0; i < STREAMS; i++)
    if (streams[i] == stream) streams[i] = NULL;
  while (stream->first < stream->end) remove_first(stream);
  pthread_mutex_unlock(&lock);
  free(stream);
}

/* Waits until [s] has a text or the streams end, COMMENT_SECONDS at most. */
REQUIRES(lock)
static void wait_for_text(const struct stream *s)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += COMMENT_SECONDS;
  while (s->first == s->end && !ended)
    if (pthread_cond_clockwait(&news, &lock, CLOCK_MONOTONIC, &until) != 0)
      break;
}

ssize_t read_stream(struct stream *stream, char *buffer, size_t max)
{
  static const char comment[] = ":\n\n";
  ssize_t n = MHD_CONTENT_READER_END_OF_STREAM;
  pthread_mutex_lock(&lock);
  wait_for_text(stream);
  if (stream->first < stream->end) {
    const struct text *text = stream->texts[stream->first % STREAM_TEXTS];
    size_t left = text->length - stream->sent;
    if (left > max) left = max;
    memcpy(buffer, text->bytes + stream->sent, left);
    stream->sent += left;
    n = (ssize_t) left;
    if (stream->sent == text->length) remove_first(stream);
  } else if (!ended && max >= sizeof comment - 1) {
    memcpy(buffer, comment, sizeof comment - 1);
    n = sizeof comment - 1;
  }
  pthread_mutex_unlock(&lock);
  return n;
}

void send_event(const uint64_t *process, const char *name, const char *data,
                bool counted)
{
  struct text *text = new_text(name, data);
  pthread_mutex_lock(&lock);
  for (int i = 0; i < STREAMS; i++) {
    struct stream *s = streams[i];
    if (!is_for(s, process)) continue;
    tell_lost(s);
    if (!append(s, text) && counted) s->lost++;
  }
  pthread_cond_broadcast(&news);
  pthread_mutex_unlock(&lock);
  drop_text(text);
}

bool is_streamed(const uint64_t *process)
{
  bool any = false;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < STREAMS; i++) any |= is_for(streams[i], process);
  pthread_mutex_unlock(&lock);
  return any;
}

void end_streams(void)
{
  pthread_mutex_lock(&lock);
  ended = true;
  pthread_cond_broadcast(&news);
  pthread_mutex_unlock(&lock);
}
