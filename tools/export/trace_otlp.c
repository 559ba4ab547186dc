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

/* OpenTelemetry's format: the spans of the program and its requests, as an
   ExportTraceServiceRequest in protocol buffers, see otlp.h.

   A request is a trace: its own span, and the spans of the threads that work on
   it.  A span without a request around it begins a trace of its own.  Spans are
   written at their end; what has not ended is left out.  Ids are made from the
   process and a number, so that the same file gives the same trace. */

#include <stdlib.h>
#include <string.h>
#include "otlp.h"
#include "otlp_send.h"
#include "trace_formats.h"

/* Field numbers, by message. */
enum { REQUEST_RESOURCE_SPANS = 1 };
enum { RESOURCE_SCOPE_SPANS = 2 };
enum { SCOPE_SPANS = 2 };
enum {
  SPAN_TRACE_ID = 1, SPAN_ID = 2, SPAN_PARENT = 4, SPAN_NAME = 5, SPAN_KIND = 6,
  SPAN_START = 7, SPAN_END = 8, SPAN_ATTRIBUTES = 9
};
enum { INTERNAL = 1, SERVER = 2 };

/* The spans that are written together, with the facts about their process. */
#define BATCH 512

/* How long spans wait for others when a process is followed. */
#define WAIT_NS 1000000000

/* The bit of the numbers of requests, unlike those of spans. */
#define OF_REQUEST ((uint64_t) 1 << 63)

struct open_span {
  int64_t since;
  uint64_t number;
  uint64_t root;                  /* the number of its trace */
  uint64_t parent;                /* 0: none */
  struct message attributes;      /* of its begin */
};

/* The form of a track: its open spans, each inside of the one before. */
struct form {
  struct open_span *open;
  uint32_t count, room;
};

struct process {
  uint64_t seed;                  /* of its ids */
  uint64_t last;                  /* number of a span */
  struct message spans;           /* ScopeSpans */
  uint32_t count;                 /* of spans in it */
};

struct state {
  struct process *processes;
  struct message span;            /* being made */
  int64_t sent_ns;                /* when spans were sent last */
};

static struct process *process_of(struct trace *t,
                                  const struct trace_process *p)
{
  return &((struct state *) t->form)->processes[p->number - 1];
}

/* Ids */

/* Returns another number for each number, with all bits mixed: the finalizer of
   SplitMix64. */
static uint64_t mix(uint64_t n)
{
  n = (n ^ n >> 30) * 0xBF58476D1CE4E5B9;
  n = (n ^ n >> 27) * 0x94D049BB133111EB;
  return n ^ n >> 31;
}

static void add_span_id(struct message *span, uint32_t field,
                        const struct process *p, uint64_t number)
{
  uint64_t id = mix(p->seed + number);
  if (id == 0) id = 1;            /* 0 is no id */
  add_bytes(span, field, &id, sizeof id);
}

static void add_trace_id(struct message *span, const struct process *p,
                         uint64_t root)
{
  uint64_t id[] = { mix(p->seed ^ 0x5452414345), mix(p->seed + root) };
  if (id[1] == 0) id[1] = 1;
  add_bytes(span, SPAN_TRACE_ID, id, sizeof id);
}

/* Spans */

/* Sends a request with [count] spans.  A collector may come back while a process
   is followed. */
static void send_batch(struct trace *t, const struct message *request,
                       uint32_t count)
{
  char why[512];
  if (send_otlp(t->url, "/v1/traces", request, why, sizeof why)) return;
  if (t->unsent == 0 || !t->follow) complain("%s", why);
  t->unsent += count;
  if (!t->follow) t->failed = true;
}

/* Writes the spans of [process] that wait. */
static void write_batch(struct trace *t, const struct trace_process *process)
{
  struct process *p = process_of(t, process);
  struct message resource = { NULL, NULL, NULL }, all = { NULL, NULL, NULL };
  if (p->count == 0) return;
  otlp_add_resource(&resource, &process->info);
  otlp_add_scope(&p->spans);
  move_message(&resource, RESOURCE_SCOPE_SPANS, &p->spans);
  add_message(&all, REQUEST_RESOURCE_SPANS, &resource);
  if (t->url != NULL) send_batch(t, &all, p->count);
  else sink_write(t->sink, all.bytes, message_size(&all));
  free_message(&resource);
  free_message(&all);
  p->count = 0;
}

static void add_arguments(struct message *m, const struct trace_event *e)
{
  uint32_t count = trace_arguments(e);
  for (uint32_t i = 0; i < count; i++) {
    struct trace_argument a = trace_argument(e, i);
    if (a.text == NULL)
      otlp_add_integer(m, SPAN_ATTRIBUTES, a.field->name, a.integer);
    else
      otlp_add_text(m, SPAN_ATTRIBUTES, a.field->name, a.text, a.length);
  }
}

/* Writes [span], which [e] ends, of the kind [kind]. */
static void write_span(struct trace *t, const struct trace_event *e,
                       const struct open_span *span, uint64_t kind)
{
  struct message *m = &((struct state *) t->form)->span;
  const struct trace_track *track = e->track;
  struct process *p = process_of(t, track->process);
  clear_message(m);
  add_trace_id(m, p, span->root);
  add_span_id(m, SPAN_ID, p, span->number);
  if (span->parent != 0) add_span_id(m, SPAN_PARENT, p, span->parent);
  add_text(m, SPAN_NAME, e->class->name);
  add_number(m, SPAN_KIND, kind);
  add_fixed(m, SPAN_START, otlp_time(&track->process->info, span->since));
  add_fixed(m, SPAN_END, otlp_time(&track->process->info, e->ns));
  append_bytes(m, span->attributes.bytes, message_size(&span->attributes));
  add_arguments(m, e);
  otlp_add_integer(m, SPAN_ATTRIBUTES, "thread.id", track->thread);
  otlp_add_text(m, SPAN_ATTRIBUTES, "thread.name", track->name,
                strlen(track->name));
  if (e->request != NULL && e->request->runs_known) {
    otlp_add_integer(m, SPAN_ATTRIBUTES, "eventring.running_ns",
                     (int64_t) e->request->running_ns);
    otlp_add_integer(m, SPAN_ATTRIBUTES, "eventring.waiting_ns",
                     (int64_t) e->request->waiting_ns);
  }
  move_message(&p->spans, SCOPE_SPANS, m);
  if (++p->count == BATCH) write_batch(t, track->process);
}

static struct form *form_of(struct trace_track *track)
{
  if (track->form == NULL) track->form = allocate(1, sizeof(struct form));
  return track->form;
}

/* Returns a new span of [track] that begins at [since].  It belongs to the
   request that the thread works on, if there is one, and is inside of the
   innermost open span, unless that does not belong to the request. */
static struct open_span new_span(struct trace *t, struct trace_track *track,
                                 int64_t since)
{
  struct form *form = form_of(track);
  const struct trace_track *thread = track->class != NULL ? track->thread_track
                                                          : track;
  const struct open_span *around =
    form->count > 0 ? &form->open[form->count - 1] : NULL;
  struct open_span span = {
    .since = since, .number = ++process_of(t, track->process)->last
  };
  span.root = span.number;
  if (thread != NULL && thread->request != 0)
    span.parent = span.root = thread->request | OF_REQUEST;
  if (around != NULL && (span.parent == 0 || around->root == span.root)) {
    span.parent = around->number;
    span.root = around->root;
  }
  return span;
}

static void begin_span(struct trace *t, const struct trace_event *e)
{
  struct open_span span = new_span(t, e->track, e->ns);
  struct form *form = form_of(e->track);
  add_arguments(&span.attributes, e);
  if (form->count == form->room) {
    form->room = form->room == 0 ? 8 : 2 * form->room;
    form->open = reallocate(form->open, form->room, sizeof *form->open);
  }
  form->open[form->count++] = span;
}

static void end_span(struct trace *t, const struct trace_event *e)
{
  struct form *form = form_of(e->track);
  if (form->count == 0) return;   /* its begin was before its class was known */
  struct open_span *span = &form->open[--form->count];
  write_span(t, e, span, INTERNAL);
  free_message(&span->attributes);
}

/* Writes the request that [e] ends. */
static void end_request(struct trace *t, const struct trace_event *e)
{
  uint64_t number = e->event->payload[0] | OF_REQUEST;
  write_span(t, e, &(struct open_span) {
    .since = e->request->begin_ns, .number = number, .root = number
  }, SERVER);
}

/* The functions of the format */

static void start(struct trace *t)
{
  struct state *s = allocate(1, sizeof *s);
  s->processes = allocate((size_t) t->process_count, sizeof *s->processes);
  for (int i = 0; i < t->process_count; i++) {
    const struct eventring_info *info = &t->processes[i].info;
    s->processes[i].seed = mix((uint64_t) info->started_realtime_ns
                               ^ mix((uint64_t) info->pid));
  }
  t->form = s;
}

static void write_track(struct trace *t, struct trace_track *track)
{
  (void) t;
  (void) track;
}

static void write_event(struct trace *t, const struct trace_event *e)
{
  if (!e->class->user) return;
  switch (e->what) {
  case TRACE_BEGIN: begin_span(t, e); break;
  case TRACE_END: end_span(t, e); break;
  case TRACE_REQUEST_END: end_request(t, e); break;
  default: break;
  }
}

static void write_sample(struct trace *t, const struct trace_event *e)
{
  (void) t;
  (void) e;
}

static void idle(struct trace *t)
{
  struct state *s = t->form;
  int64_t now = monotonic_ns();
  if (t->url == NULL || now - s->sent_ns < WAIT_NS) return;
  s->sent_ns = now;
  for (int i = 0; i < t->process_count; i++) write_batch(t, &t->processes[i]);
}

static void finish(struct trace *t)
{
  for (int i = 0; i < t->process_count; i++) write_batch(t, &t->processes[i]);
}

const struct trace_format trace_otlp = {
  .name = "otlp", .endings = { ".otlp" }, .start = start, .track = write_track,
  .event = write_event, .idle = idle, .sample = write_sample, .finish = finish
};
