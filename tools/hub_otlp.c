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

/* See hub_otlp.h.  Each process is a request of its own, so that one process is in
   memory at a time. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "follow.h"
#include "hub_metrics.h"
#include "hub_otlp.h"
#include "late_curl.h"
#include "memory.h"
#include "otlp.h"
#include "otlp_send.h"
#include "target.h"

/* A thread sleeps for so many times as long as it works, at least. */
#define REST 3

/* A thread prints so many messages about processes each time, at most. */
#define MESSAGES 8

/* A process that was sent. */
struct sent {
  char *node, *stream;
  int64_t parts, bytes;           /* of its recording then */
  struct metrics *metrics;
  enum status told;               /* of the last message since it was sent */
  bool listed;
};

struct sender {
  const struct hub_sending *to;
  struct sent *list;
  size_t count, room, found;      /* [found]: the one found last */
  const struct hub_stream *stream; /* being read */
  struct sent *of;                /* of [stream] */
  enum otlp_answer answer;        /* to the last request */
  size_t first;                   /* the stream to begin with */
  unsigned messages;              /* about processes in this round */
  bool failed;                    /* the hub or the collector, in this round */
  char why[512];
  char told[512];                 /* the last [why] of hub or collector, until a
                                     round without one */
};

/* Returns whether the sending is to end. */
static bool is_over(const struct sender *s)
{
  return s->to->stop != NULL ? atomic_load(s->to->stop) : interrupted_by() != 0;
}

/* Prints that [stream] could not be sent or, with NULL, that nothing could, with
   the reason s->why. */
static void complain_of(const struct sender *s, const struct hub_stream *stream)
{
  if (stream == NULL) complain("%s", s->why);
  else complain("%s/%s: %s", stream->node, stream->stream, s->why);
}

/* Prints a fault of the hub or the collector; a thread prints it once.  [stream] is
   the one that was not sent, or NULL. */
static void tell(struct sender *s, const struct hub_stream *stream)
{
  const bool thread = s->to->stop != NULL;
  s->failed = true;
  if (thread && (is_over(s) || strcmp(s->told, s->why) == 0)) return;
  snprintf(s->told, sizeof s->told, "%s", s->why);
  complain_of(s, stream);
}

/* Prints a fault of s->stream alone; a thread prints one of [kind] once, until the
   stream is sent. */
static void tell_of_stream(struct sender *s, enum status kind)
{
  if (s->to->stop != NULL
      && (is_over(s) || s->of->told == kind || s->messages >= MESSAGES))
    return;
  s->messages++;
  s->of->told = kind;
  complain_of(s, s->stream);
}

/* Returns the process of [stream], which is made the first time.  Processes
   are mostly looked for in their order. */
static struct sent *find_sent(struct sender *s, const struct hub_stream *stream)
{
  for (size_t i = 0; i < s->count; i++) {
    const size_t at = (s->found + 1 + i) % s->count;
    if (strcmp(s->list[at].stream, stream->stream) != 0
        || strcmp(s->list[at].node, stream->node) != 0)
      continue;
    s->found = at;
    return &s->list[at];
  }
  s->list = with_room(s->list, s->count, &s->room, sizeof *s->list);
  s->list[s->count] = (struct sent) { .node = copy_of(stream->node),
                                      .stream = copy_of(stream->stream) };
  return &s->list[s->count++];
}

/* Forgets the processes that are not in [streams]. */
static void forget_unlisted(struct sender *s, const struct hub_streams *streams)
{
  size_t left = 0;
  for (size_t i = 0; i < s->count; i++) s->list[i].listed = false;
  for (size_t i = 0; i < streams->count; i++)
    find_sent(s, &streams->list[i])->listed = true;
  for (size_t i = 0; i < s->count; i++) {
    struct sent *of = &s->list[i];
    if (of->listed) {
      s->list[left++] = *of;
      continue;
    }
    if (of->metrics != NULL) free_metrics(of->metrics);
    free(of->node);
    free(of->stream);
  }
  s->count = left;
}

/* Sends [request], and empties it.  Sets s->answer, and the reason. */
static void send_request(struct sender *s, struct message *request)
{
  s->answer = message_size(request) == 0 ? OTLP_ACCEPTED
              : send_otlp_until(s->to->url, "/v1/metrics", request,
                                s->to->stop, s->why, sizeof s->why);
  free_message(request);
}

static void send_summary(void *state, struct summary *summary)
{
  struct sender *s = state;
  struct message request = { NULL, NULL, NULL };
  if (s->of->metrics == NULL) s->of->metrics = new_metrics(summary);
  else renew_metrics(s->of->metrics, summary);
  add_otlp_stream(&request, s->stream, s->of->metrics, summary);
  send_request(s, &request);
}

/* Sends the metrics of [stream], if it has new events.  A refused request is not
   sent again without new events. */
static enum status send_stream(struct sender *s,
                               const struct hub_stream *stream)
{
  struct sent *of = find_sent(s, stream);
  if (stream->bytes <= 0
      || (of->bytes == stream->bytes && of->parts == stream->parts))
    return STATUS_OK;
  /* The hub has removed old parts: the totals begin anew. */
  if (stream->bytes < of->bytes && of->metrics != NULL) {
    free_metrics(of->metrics);
    of->metrics = NULL;
  }
  s->stream = stream;
  s->of = of;
  s->answer = OTLP_ACCEPTED;
  if (!read_hub_summary(s->to->hub, stream, s->to->stop, send_summary, s,
                        s->why, sizeof s->why)) {
    tell_of_stream(s, STATUS_CANNOT_READ);
    return STATUS_CANNOT_READ;
  }
  if (s->answer == OTLP_UNAVAILABLE) {
    tell(s, stream);
    return STATUS_CANNOT_WRITE;
  }
  of->parts = stream->parts;
  of->bytes = stream->bytes;
  if (s->answer == OTLP_REFUSED) {
    tell_of_stream(s, STATUS_CANNOT_WRITE);
    return STATUS_CANNOT_WRITE;
  }
  of->told = STATUS_OK;
  return STATUS_OK;
}

/* Sends the metrics of the streams that have new events.  A collector that is not
   available is tried with one request; the next round begins with the stream after
   it, because that stream may be the reason. */
static enum status send_streams(struct sender *s,
                                const struct hub_streams *streams)
{
  enum status status = STATUS_OK;
  const size_t first = streams->count != 0 ? s->first % streams->count : 0;
  s->first = 0;
  for (size_t i = 0; i < streams->count && (s->to->stop == NULL || !is_over(s)); i++) {
    const size_t at = (first + i) % streams->count;
    enum status one = send_stream(s, &streams->list[at]);
    if (one != STATUS_OK) status = one;
    if (s->answer != OTLP_UNAVAILABLE) continue;
    s->first = at + 1;
    break;
  }
  return status;
}

static enum status send_all(struct sender *s)
{
  const struct hub_sending *to = s->to;
  struct hub_streams streams;
  struct message agents = { NULL, NULL, NULL };
  enum status status = STATUS_OK, rest = STATUS_OK;
  s->messages = 0;
  s->failed = false;
  if (!add_otlp_agents(&agents, to->hub, to->nodes, to->count, s->why,
                       sizeof s->why)
      || !get_hub_streams(to->hub, to->nodes, to->count, &streams, s->why,
                          sizeof s->why)) {
    free_message(&agents);
    tell(s, NULL);
    return STATUS_CANNOT_READ;
  }
  forget_unlisted(s, &streams);
  send_request(s, &agents);
  if (s->answer != OTLP_ACCEPTED) {
    tell(s, NULL);
    status = STATUS_CANNOT_WRITE;
  }
  if (s->answer != OTLP_UNAVAILABLE) rest = send_streams(s, &streams);
  if (!s->failed) s->told[0] = '\0';
  free_hub_streams(&streams);
  return rest != STATUS_OK ? rest : status;
}

/* Sleeps until [ns], by CLOCK_MONOTONIC, or until the sending is to end. */
static void sleep_until(const struct sender *s, int64_t ns)
{
  while (!is_over(s) && monotonic_ns() < ns)
    nanosleep(&(struct timespec) { .tv_nsec = 50000000 }, NULL);
}

enum status send_hub_metrics(const struct hub_sending *sending)
{
  struct sender s = { .to = sending };
  enum status status;
  int64_t next_ns = monotonic_ns();
  if (sending->interval_ns > 0 && sending->stop == NULL) catch_interrupts();
  do {
    const int64_t began = monotonic_ns();
    next_ns += sending->interval_ns;
    status = send_all(&s);
    /* A thread leaves the processor to the hub for most of the time. */
    const int64_t now = monotonic_ns(), rest = REST * (now - began);
    if (sending->stop != NULL && next_ns < now + rest) next_ns = now + rest;
    if (sending->interval_ns > 0) sleep_until(&s, next_ns);
    if (next_ns < monotonic_ns()) next_ns = monotonic_ns();
  } while (sending->interval_ns > 0 && !is_over(&s));
  forget_unlisted(&s, &(struct hub_streams) { .count = 0 });
  free(s.list);
  return status;
}

/* The thread of a hub */

struct hub_sender {
  struct hub_url hub;
  struct hub_sending sending;
  atomic_bool stop;
  pthread_t thread;
};

static void *send_until_stopped(void *state)
{
  const struct hub_sender *sender = state;
  send_hub_metrics(&sender->sending);
  return NULL;
}

struct hub_sender *start_hub_sender(const struct hub_url *hub, const char *url,
                                    int64_t interval_ns)
{
  struct hub_sender *s = allocate(1, sizeof *s);
  s->hub = *hub;
  atomic_init(&s->stop, false);
  s->sending = (struct hub_sending) {
    .hub = &s->hub, .url = url, .interval_ns = interval_ns, .stop = &s->stop };
  /* Before another thread may use libcurl. */
  curl_global_init(CURL_GLOBAL_DEFAULT);
  if (pthread_create(&s->thread, NULL, send_until_stopped, s) == 0) return s;
  free(s);
  return NULL;
}

void end_hub_sender(struct hub_sender *sender)
{
  if (sender == NULL) return;
  atomic_store(&sender->stop, true);
  pthread_join(sender->thread, NULL);
  free(sender);
}
