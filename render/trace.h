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

/* Traces: events in the formats of viewers.  trace.c finds the track of an event and
   its kind there; each format, in a file of its own, writes them.  The caller reads
   the events, of all processes in the order of time.

   Names are valid UTF-8 here, even if the file has other bytes.  The [form] of
   a class, field or track belongs to the format: text or data made once, so as
   not to make them again for each event; memory that free_trace frees. */

#ifndef RENDER_TRACE_H
#define RENDER_TRACE_H

#include "eventring_hash.h"
#include "eventring_reader.h"
#include "requests.h"
#include "samples.h"
#include "sink.h"
#include "spans.h"
#include "trace_stacks.h"

/* The fields of a class that have one description in the file: the fields at
   one place of all rounds, or all fields without a description. */
struct trace_field_kind {
  const struct eventring_field *is;  /* or NULL */
  bool named_values;              /* eventring_value knows some */
  char unit[16];
  char name[3 * 128 + 1];
  uint32_t last;                  /* number that made a name unique */
  struct trace_field_kind *next;
};

/* The room for the name of a field: of its kind, "_" and a number. */
#define TRACE_FIELD_NAME (3 * 128 + 1 + 11)

/* A field of the payload of events of a class. */
struct trace_field {
  uint32_t number;                /* of all fields of the trace, from 1 */
  const struct trace_field_kind *kind;
  bool written;                   /* for the use of the format */
  void *form;
  char name[];                    /* of its own in the class */
};

/* Events of one id in one process. */
struct trace_class {
  uint32_t number;                /* of all classes of the trace, from 1 */
  uint16_t id;
  const struct eventring_description *description;  /* or NULL */
  uint32_t category;              /* bit of the category; 32: none */
  bool user;                      /* the program's own */
  char name[3 * 128 + 1];
  char unit[3 * 16 + 1];
  struct trace_field **fields;    /* by word; NULL until it is needed */
  uint32_t field_count;
  struct trace_field_kind *kinds;
  struct trace_field **names;     /* the fields in a hash table, by name */
  uint32_t name_count, name_room;
  void *form;
  struct trace_class *before;     /* made before it in its process, or NULL */
};

/* The index in [classes] for reports of lost events, which have no id. */
#define TRACE_LOST_ID 65536
#define TRACE_CATEGORIES 33
/* The number of values, from 0, of a field that may have names. */
#define TRACE_VALUES 256

struct trace_process {
  uint32_t number;                /* of all processes, from 1 */
  uint32_t pid;                   /* unlike other processes' */
  struct trace *trace;
  struct eventring_cursor *cursor;
  struct eventring_info info;
  char name[3 * 256 + 1];         /* of the program */
  char categories[TRACE_CATEGORIES][3 * 128 + 1];
  struct trace_class **classes;   /* by id; NULL until the first event */
  struct trace_class *last_class; /* made last */
  struct spans *spans;
  struct requests *requests;
  struct symbols *symbols;        /* NULL until the first sample */
  struct trace_ring *rings;
  struct trace_track **tracks;
  uint32_t track_count, track_room;
  uint64_t seed;                  /* of the hash of names; odd */
  struct hash_table track_places; /* 1 + index in [tracks] */
  struct trace_track *stops;      /* for stop_the_world */
  int stop_id, run_id;
  struct samples *samples;        /* the kinds of the events */
};

struct trace_open;

/* A track: a thread of a domain; or those spans of one name in a thread that
   are not nested in the other spans of the thread; or the runs of requests in a
   thread; or the stop-the-world sections. */
struct trace_track {
  uint32_t number;                /* of all tracks, from 1 */
  struct trace_process *process;
  uint32_t domain;
  uint32_t thread;                /* the system's id of it */
  int32_t thread_id;
  bool first;                     /* of its domain */
  uint32_t tid;                   /* thread, or unlike all others' */
  struct trace_class *class;      /* of these spans or runs, else NULL */
  struct trace_track *thread_track;   /* then the one of their thread */
  char name[3 * 3 * 128 + 64];
  struct trace_open *open;        /* begun here and not ended */
  uint32_t open_count, open_room;
  int64_t last_since, last_ns;    /* the slice that ended last */
  uint64_t request;               /* on which its thread works; 0: none */
  void *form;
};

enum trace_what {
  TRACE_BEGIN, TRACE_END,         /* properly nested in their track */
  TRACE_COMPLETE,                 /* from [since] to [ns] */
  TRACE_COUNTER, TRACE_INSTANT,
  TRACE_FLOW_BEGIN, TRACE_FLOW_STEP, TRACE_FLOW_END,
  TRACE_REQUEST_BEGIN, TRACE_REQUEST_END,       /* in no track */
  TRACE_LOST
};

/* The longest text of an event, in bytes, and its length as UTF-8. */
#define TRACE_TEXT (EVENTRING_MAX_EVENT_WORDS * sizeof(uint64_t))
#define TRACE_UTF8 (3 * TRACE_TEXT)

struct trace_event {
  enum trace_what what;
  bool continued;                 /* a begin: goes on after a span around it,
                                     which was not around all of it, ended */
  int64_t ns, since;              /* not negative */
  struct trace_track *track;
  struct trace_class *class;
  const struct eventring_event *event;
  uint32_t words;                 /* of its payload that count here */
  uint32_t stack;                 /* of a sample: its number in the stacks of
                                     the trace; 0: none */
  const char *text;               /* that it carries instead, or NULL */
  size_t length;
  const struct ended_request *request;  /* of the end of a request */
};

/* An argument of an event. */
struct trace_argument {
  struct trace_field *field;
  const char *text;               /* any bytes; or NULL: [integer] counts */
  size_t length;
  int64_t integer;
};

struct trace {
  struct sink *sink;              /* NULL for a format with a folder, or with
                                     [url] */
  const char *url;                /* of a collector, for OTLP; or NULL */
  bool follow;
  const char *folder;
  struct trace_process *processes;
  int process_count;
  /* NULL, or called with a message for each file without symbols or lines. */
  void (*say)(void *state, const char *message);
  int64_t base_ns;                /* when tracing started, in the first one */
  uint32_t tracks, classes, fields;
  uint8_t *tids;                  /* a bit for each that is taken */
  struct trace_field *continued;  /* says so of a begin */
  struct trace_stacks *stacks;    /* of all samples; NULL for a raw format */
  uint64_t events, dropped, closed, cut;
  uint64_t unsent;                /* spans that the collector did not accept */
  bool failed;                    /* could not be written */
  const struct trace_format *format;
  void *form;
};

#define TRACE_ENDINGS 2
struct trace_format {
  const char *name;
  const char *endings[TRACE_ENDINGS];  /* of the file's name */
  bool folder;
  bool raw;                       /* wants begins and ends as they are, and no
                                     tracks */
  void (*start)(struct trace *trace);
  /* When it is first seen, and when its name has changed. */
  void (*track)(struct trace *trace, struct trace_track *track);
  void (*event)(struct trace *trace, const struct trace_event *event);
  /* When there are no events at present; may be NULL. */
  void (*idle)(struct trace *trace);
  /* A sample that has a stack, after [event] had it as an instant. */
  void (*sample)(struct trace *trace, const struct trace_event *event);
  void (*finish)(struct trace *trace);
  /* Free the form of a class, and of the trace; NULL: it is one block of memory. */
  void (*free_class)(struct trace_class *class);
  void (*free)(struct trace *trace);
};

extern const struct trace_format trace_chrome, trace_perfetto;

/* Begins a trace of the [count] processes of [cursors], at least 1, which must stay
   open.  The caller has set the format of [trace], its sink, folder or url,
   [follow] and [say], and all other fields to 0. */
void begin_trace(struct trace *trace, struct eventring_cursor *const *cursors,
                 int count);

/* The function [event] of a struct reading with [changes] and [open_spans];
   [process] is one of [trace->processes]. */
void trace_event(void *process, const struct eventring_event *event);

/* The function [pass] of a struct reading; [trace] is the trace.  Flushes the sink
   when there are no events at present; returns false when writing has failed. */
bool trace_pass(void *trace, bool idle);

/* Ends the trace, except for flushing and closing the sink; the counts in [trace]
   are then set.  If writing failed, [trace->failed] or the sink's error is set. */
void end_trace(struct trace *trace);

/* Frees the memory of a trace of Chrome's or Perfetto's format that has ended, but not
   [trace]. */
void free_trace(struct trace *trace);

/* Return the number of arguments of [event], and the argument numbered [i],
   from 0: a text, or a word of the payload, with the name of its value as text
   if there is one.  A begin that continues a span has only the argument
   "continued".  The text is valid as long as the event. */
uint32_t trace_arguments(const struct trace_event *event);
struct trace_argument trace_argument(const struct trace_event *event,
                                     uint32_t i);

/* Returns the id of the flow or request to which [event] belongs.  All events
   of a flow, and no other events of its class, have this id. */
uint64_t trace_flow(const struct trace_event *event);

/* Write [n] in decimal digits (at most 20 bytes, with a minus sign if it is
   negative) at [out], without a NUL, and return the end of the digits. */
char *put_decimal(char *out, uint64_t n);
char *put_integer(char *out, int64_t n);

#endif /* RENDER_TRACE_H */
