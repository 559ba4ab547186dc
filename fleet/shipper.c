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

/* See shipper.h. */

#define _GNU_SOURCE
#include <inttypes.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "background.h"
#include "eventring_reader.h"
#include "explain.h"
#include "memory.h"
#include "shipper.h"
#include "target.h"

#define MS INT64_C(1000000)

/* Parts that are sent at a time; the transfer after them sends reports. */
#define SENDERS 4
#define TRANSFERS TRANSPORT_SLOTS
#define REPORT SENDERS
_Static_assert(REPORT < TRANSFERS, "the last slot sends reports");

#define REPORT_NS (1000 * MS)

/* The waits after a failure. */
#define SHORTEST_NS (100 * MS)
#define LONGEST_NS (10000 * MS)

/* How long a hub may fail until a line says so. */
#define PATIENCE_NS (3000 * MS)

/* The most lines on the failures of a row, each with another reason. */
#define MOST_TOLD 4

struct transfer {
  bool sent;                      /* its message has not ended */
  struct spool_job job;
  char *body;                     /* SPOOL_PIECE bytes, or a report */
  int64_t began_ns;
};

struct shipper {
  struct spool *spool;
  const struct membership *membership;
  void (*say)(const char *line);
  pthread_t thread, settler;
  sem_t leaving;                  /* posted while parts leave the spool */
  struct transport *transport;
  atomic_bool ending, settled;
  _Atomic int64_t deadline_ns;    /* when [ending] */
  struct transfer transfers[TRANSFERS];
  uint64_t random;
  int64_t try_ns, wait_ns;        /* the next time to try, and the last wait */
  int64_t failing_ns;             /* the first failure of a row; 0: none */
  unsigned told;                /* reasons of failures of a row that were told... */
  char reason[512];             /* ...and the last of them */
  bool parts_fail;                /* the last part sent was not taken */
  bool report_fails;              /* no part was sent since a report failed */
  int64_t report_ns;              /* the next one */
  bool last_report;               /* it is the last one */
  bool has_clock;                 /* the hub's clock, by the last report */
  int64_t offset_ns, bound_ns;
  char boot[40];
  json_int_t time_namespace;      /* of this process; 0: not known */
};

/* The hub answers, or not */

__attribute__((format(printf, 2, 3)))
static void tell(struct shipper *s, const char *format, ...)
{
  char text[900];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  say_line(s->say, "hub %s:%s %s", s->membership->hub.host,
           s->membership->hub.port, text);
}

static void succeeded(struct shipper *s)
{
  if (s->told > 0) tell(s, "answers again");
  s->told = 0;
  s->reason[0] = '\0';
  s->failing_ns = s->wait_ns = s->try_ns = 0;
}

/* Doubles the wait of the failure before.  A random half of the wait keeps
   agents from coming all at once. */
static void failed(struct shipper *s, const char *why)
{
  int64_t now = monotonic_ns();
  if (s->failing_ns == 0) s->failing_ns = now;
  /* A hub that refuses may end the connection before it has read all, and say why at
     the next attempt. */
  if (s->told < MOST_TOLD && now - s->failing_ns >= PATIENCE_NS
      && strcmp(why, s->reason) != 0) {
    s->told++;
    snprintf(s->reason, sizeof s->reason, "%s", why);
    tell(s, "cannot be used, and the events wait: %s", why);
  }
  /* Transfers that began together fail together. */
  if (now < s->try_ns) return;
  s->wait_ns = s->wait_ns == 0 ? SHORTEST_NS : 2 * s->wait_ns;
  if (s->wait_ns > LONGEST_NS) s->wait_ns = LONGEST_NS;
  s->random = s->random * UINT64_C(6364136223846793005) + 1442695040888963407;
  s->try_ns = now + s->wait_ns / 2
              + (int64_t) ((s->random >> 33) % (uint64_t) s->wait_ns) / 2;
}

/* Sends a message with [length] bytes of t->body; of the part of [job], or a
   report if that is NULL. */
static void begin(struct shipper *s, struct transfer *t,
                  const struct spool_job *job, size_t length)
{
  t->sent = true;
  t->began_ns = monotonic_ns();
  s->transport->begin(s->transport, (unsigned) (t - s->transfers), job, t->body,
                      length);
}

/* Parts */

/* Begins to send the next bytes of a part.  Returns false if there are none. */
static bool send_part(struct shipper *s, struct transfer *t)
{
  if (t->body == NULL) t->body = allocate(SPOOL_PIECE, 1);
  if (!next_job(s->spool, &t->job, t->body)) return false;
  if (t->job.length > s->transport->piece) {
    t->job.length = s->transport->piece;
    t->job.last = false;
  }
  begin(s, t, &t->job, t->job.length);
  return true;
}

/* Returns whether the answer of a hub to a PUT has a possible size: of the bytes
   sent, or at 409 another one than they begin at. */
static bool is_size(const struct spool_job *job, long status, const json_t *size)
{
  const json_int_t n = json_integer_value(size);
  return json_is_integer(size) && n >= 0
         && (status == 200 ? (uint64_t) n >= job->offset + job->length
                           : (uint64_t) n != job->offset);
}

/* Takes the answer to a part. */
static void take_part_reply(struct shipper *s, struct transfer *t,
                            struct hub_reply *reply)
{
  const struct spool_job *job = &t->job;
  json_t *json = reply->json;
  const long status = reply->status;
  const json_t *member = json_object_get(json, "size");
  const char *error = json_string_value(json_object_get(json, "error"));
  uint64_t size = (uint64_t) json_integer_value(member);
  enum job_result result = reply->may_have ? JOB_UNANSWERED : JOB_FAILED;
  if (status == 413) {
    result = JOB_REFUSED;
  } else if (json != NULL && status == 409
             && (json_is_true(json_object_get(json, "differs"))
                 || (json_is_true(json_object_get(json, "ended"))
                     && size != job->offset + job->length))) {
    result = JOB_REFUSED;
    explain(reply->why, sizeof reply->why, "%s",
            error != NULL ? error : "it differs");
  } else if (json != NULL && is_size(job, status, member)) {
    result = JOB_CONFIRMED;
  } else if (json != NULL) {
    explain(reply->why, sizeof reply->why,
            "an answer without a possible size");
  }
  end_job(s->spool, job, result, size, reply->why);
  s->parts_fail = result == JOB_FAILED || result == JOB_UNANSWERED;
  s->report_fails = false;
  if (s->parts_fail) failed(s, reply->why);
  else succeeded(s);
}

/* Reports */

static void add_stream(void *state, const struct stream_report *r)
{
  json_t *one = json_pack(
    "{s:s, s:i, s:s?, s:s, s:I, s:I, s:I}", "stream", r->facts.name, "pid",
    (int) r->facts.pid, "program", r->facts.program, "state", r->state,
    "events", (json_int_t) r->events, "lost", (json_int_t) r->lost,
    "parts_dropped", (json_int_t) r->dropped_parts);
  /* A name that is not UTF-8 is only in the recording. */
  if (one == NULL)
    one = json_pack("{s:s, s:i, s:s, s:s, s:I, s:I, s:I}", "stream",
                    r->facts.name, "pid", (int) r->facts.pid, "program", "?",
                    "state", r->state, "events", (json_int_t) r->events,
                    "lost", (json_int_t) r->lost, "parts_dropped",
                    (json_int_t) r->dropped_parts);
  if (one == NULL) out_of_memory();
  json_array_append_new(state, one);
}

/* Returns the text of a report, which the caller frees. */
static char *new_report(struct shipper *s)
{
  struct spool_totals totals = spool_totals(s->spool);
  json_t *streams = json_array();
  const unsigned most = s->transport->streams;
  const size_t count = visit_streams(s->spool, most, add_stream, streams);
  const size_t reports = (count + most - 1) / most;
  json_t *report = json_pack(
    "{s:s, s:s*, s:s, s:I, s:I, s:I, s:I, s:{s:I, s:I}, s:{s:I, s:I}, s:o}",
    "version", eventring_reader_version(), "control", s->transport->control,
    "boot_id", s->boot, "time_namespace", s->time_namespace, "monotonic_ns",
    (json_int_t) monotonic_ns(), "realtime_ns", (json_int_t) realtime_ns(),
    "reports_in_turn", (json_int_t) reports, "dropped", "parts",
    (json_int_t) totals.dropped_parts, "bytes",
    (json_int_t) totals.dropped_bytes, "spool", "bytes",
    (json_int_t) totals.bytes, "waiting", (json_int_t) totals.waiting,
    "streams", streams);
  if (report != NULL && s->has_clock)
    json_object_set_new(report, "clock", json_pack(
                          "{s:I, s:I}", "offset_ns", (json_int_t) s->offset_ns,
                          "bound_ns", (json_int_t) s->bound_ns));
  char *text = report == NULL ? NULL : json_dumps(report, JSON_COMPACT);
  if (text == NULL) out_of_memory();
  json_decref(report);
  return text;
}

static void send_report(struct shipper *s)
{
  struct transfer *t = &s->transfers[REPORT];
  free(t->body);
  t->body = new_report(s);
  begin(s, t, NULL, strlen(t->body));
  s->report_ns = t->began_ns + REPORT_NS;
}

/* Takes the hub's clock from its answer: it was read between the times of the
   request and of the answer. */
static void take_report_reply(struct shipper *s, const struct transfer *t,
                              const struct hub_reply *reply)
{
  const int64_t ended_ns = monotonic_ns();
  const json_t *clock = json_object_get(reply->json, "monotonic_ns");
  s->report_fails = !json_is_integer(clock);
  if (s->report_fails) {
    failed(s, reply->json == NULL ? reply->why
                                  : "an answer without the clock of a hub");
    return;
  }
  reports_arrived(s->spool);
  s->has_clock = true;
  s->bound_ns = (ended_ns - t->began_ns) / 2;
  s->offset_ns = time_since(json_integer_value(clock),
                            t->began_ns + s->bound_ns);
  /* A hub may take reports and no parts, such as one with a full store. */
  if (!s->parts_fail || spool_totals(s->spool).parts == 0) succeeded(s);
}

/* The thread */

/* Begins all requests that can begin now. */
static void begin_requests(struct shipper *s)
{
  const int64_t now = monotonic_ns();
  bool failing = s->failing_ns != 0, busy = false;
  if (now < s->try_ns) return;
  for (int i = 0; i < TRANSFERS; i++) busy |= s->transfers[i].sent;
  /* One request finds out whether the hub is back. */
  if (failing && busy) return;
  /* A hub may take parts and no reports. */
  if (failing && s->report_fails && send_part(s, &s->transfers[0])) return;
  if (now >= s->report_ns && !s->transfers[REPORT].sent) {
    send_report(s);
    if (failing) return;
  }
  for (int i = 0; i < SENDERS; i++)
    if (!s->transfers[i].sent
        && (!send_part(s, &s->transfers[i]) || failing))
      return;
}

/* Takes the answers that have arrived. */
static void take_replies(struct shipper *s)
{
  struct hub_reply reply;
  while (s->transport->next(s->transport, &reply)) {
    struct transfer *t = &s->transfers[reply.slot];
    if (reply.slot == REPORT) take_report_reply(s, t, &reply);
    else take_part_reply(s, t, &reply);
    json_decref(reply.json);
    t->sent = false;
  }
}

/* Returns the milliseconds that the thread may sleep. */
static int sleep_ms(const struct shipper *s)
{
  int64_t now = monotonic_ns(), until = s->report_ns;
  if (s->failing_ns != 0) until = s->try_ns;
  return until <= now + MS ? 1
         : until - now > 1000 * MS ? 1000 : (int) ((until - now) / MS);
}

/* Returns whether the thread is to end: all has arrived or the time is over. */
static bool is_over(struct shipper *s)
{
  if (!s->ending) return false;
  if (monotonic_ns() >= s->deadline_ns) return true;
  if (spool_totals(s->spool).parts > 0) return false;
  if (!s->last_report) {
    /* Once more, with the last numbers. */
    s->last_report = true;
    s->report_ns = 0;
    return false;
  }
  return s->report_ns != 0 && !s->transfers[REPORT].sent;
}

static void *ship(void *state)
{
  struct shipper *s = state;
  while (!is_over(s)) {
    keep_limits(s->spool);
    begin_requests(s);
    take_replies(s);
    if (parts_leave(s->spool)) sem_post(&s->leaving);
    s->transport->wait(s->transport, s->ending ? 10 : sleep_ms(s));
  }
  return NULL;
}

/* Counts the parts that leave: the other thread sends meanwhile. */
static void *settle(void *state)
{
  struct shipper *s = state;
  while (!s->settled) {
    settle_parts(s->spool);
    sem_wait(&s->leaving);
  }
  return NULL;
}

static void end_settling(struct shipper *s)
{
  s->settled = true;
  sem_post(&s->leaving);
  pthread_join(s->settler, NULL);
}

/* Begins both threads.  Returns false, with the reason in [why]. */
static bool begin_threads(struct shipper *s, char *why, size_t size)
{
  if (!begin_thread(&s->settler, settle, s, "count parts", why, size))
    return false;
  if (begin_thread(&s->thread, ship, s, "send", why, size)) return true;
  end_settling(s);
  return false;
}

/* Sets the boot id of this machine, and the time namespace. */
static void read_boot(struct shipper *s)
{
  struct stat st;
  if (stat("/proc/self/ns/time", &st) == 0)
    s->time_namespace = (json_int_t) st.st_ino;
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
  if (file == NULL || fscanf(file, "%36[0-9a-f-]", s->boot) != 1)
    strcpy(s->boot, "unknown");
  if (file != NULL) fclose(file);
}

struct shipper *begin_shipping(struct spool *spool,
                               const struct membership *membership,
                               struct transport *transport,
                               void (*say)(const char *line), char *why,
                               size_t size)
{
  struct shipper *s = allocate(1, sizeof *s);
  s->spool = spool;
  s->membership = membership;
  s->say = say;
  s->random = (uint64_t) getpid() << 32 ^ (uint64_t) monotonic_ns();
  read_boot(s);
  s->transport = transport;
  sem_init(&s->leaving, 0, 0);
  if (begin_threads(s, why, size)) return s;
  sem_destroy(&s->leaving);
  transport->close(transport);
  free(s);
  return NULL;
}

void wake_shipper(struct shipper *s)
{
  s->transport->wake(s->transport);
}

bool end_shipping(struct shipper *s, int ms)
{
  if (s == NULL) return true;
  s->deadline_ns = monotonic_ns() + ms * MS;
  s->ending = true;
  wake_shipper(s);
  pthread_join(s->thread, NULL);
  end_settling(s);
  sem_destroy(&s->leaving);
  s->transport->close(s->transport);
  for (int i = 0; i < TRANSFERS; i++) {
    struct transfer *t = &s->transfers[i];
    if (t->sent && i != REPORT)
      end_job(s->spool, &t->job, JOB_UNANSWERED, 0, "");
    free(t->body);
  }
  bool all = spool_totals(s->spool).parts == 0;
  free(s);
  return all;
}
