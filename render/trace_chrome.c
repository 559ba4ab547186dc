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

/* Chrome's trace event format: JSON, an object an event.

   Spans are B and E, complete events and runs of requests X, counters C,
   instants i, flows s, t and f, requests b and e, names of processes and
   threads M. "pid" is the process, "tid" the thread; times are microseconds
   since tracing started, with three decimals.

   A sample is an instant, with its stack "sf", and an element of "samples",
   after all events, with its processor time as weight; "stackFrames" has the
   stacks, each with its innermost function and the stack that called it. */

#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "text.h"
#include "trace.h"

/* The text that is the same in each event of a class, field or track. */
struct form {
  size_t length;
  char bytes[];
};

/* The room for an event without its arguments, and the room for an argument
   without its text.  Names are at most 6 times as long as in the file, where a
   byte of a long name takes \u0000. */
#define EVENT_ROOM 8192
_Static_assert(EVENT_ROOM + 6 * TRACE_TEXT <= SINK_SIZE,
               "the longest argument fits into the buffer of the sink");

/* Copies [text] without its NUL to [out] and returns the end of the copy. */
static char *put(char *out, const char *text)
{
  size_t length = strlen(text);
  memcpy(out, text, length);
  return out + length;
}

static char *put_form(char *out, const struct form *form)
{
  memcpy(out, form->bytes, form->length);
  return out + form->length;
}

/* Writes [length] bytes of [text] as the inside of a JSON string at [out] and
   returns the end of the string.  Bytes that are not UTF-8 become U+FFFD.
   Takes up to 6 bytes for each byte of [text]. */
static char *put_escaped(char *out, const char *text, size_t length)
{
  static const char hex[] = "0123456789abcdef";
  const unsigned char *s = (const unsigned char *) text;
  for (size_t i = 0, n; i < length; i += n) {
    uint32_t code;
    n = utf8_char(s + i, length - i, &code);
    if (n == 0) {
      out = put(out, "\\ufffd");
      n = 1;
    } else if (code < 0x20 || code == 0x7F) {
      out = put(out, "\\u00");
      *out++ = hex[code >> 4];
      *out++ = hex[code & 15];
    } else {
      if (code == '"' || code == '\\') *out++ = '\\';
      memcpy(out, s + i, n);
      out += n;
    }
  }
  return out;
}

/* Writes [text] as a JSON string, with its quotes, at [out] and returns its
   end. */
static char *put_string(char *out, const char *text)
{
  *out++ = '"';
  out = put_escaped(out, text, strlen(text));
  *out++ = '"';
  return out;
}

/* Returns a copy of the bytes from [bytes] up to [end] in new memory. */
static struct form *new_form(const char *bytes, const char *end)
{
  size_t length = (size_t) (end - bytes);
  struct form *form = allocate(1, sizeof *form + length);
  form->length = length;
  memcpy(form->bytes, bytes, length);
  return form;
}

/* Returns the members for the name and category of the class of [e]; makes them
   at the first call. */
static const struct form *class_form(const struct trace_event *e)
{
  struct trace_class *class = e->class;
  if (class->form == NULL) {
    char bytes[EVENT_ROOM];
    char *out = put(bytes, ",\"name\":");
    out = put_string(out, class->name);
    out = put(out, ",\"cat\":");
    out = put_string(out, e->track->process->categories[class->category]);
    class->form = new_form(bytes, out);
  }
  return class->form;
}

/* Returns the name of [field] as the key of a JSON member; makes it at the
   first call. */
static const struct form *field_form(struct trace_field *field)
{
  if (field->form == NULL) {
    char bytes[EVENT_ROOM];
    char *out = put_string(bytes, field->name);
    *out++ = ':';
    field->form = new_form(bytes, out);
  }
  return field->form;
}

/* Returns the members for the process and thread of [track], after the quote
   that ends the value of "ph"; makes them at the first call. */
static const struct form *track_form(struct trace_track *track)
{
  if (track->form == NULL) {
    char bytes[64];
    char *out = put(bytes, "\",\"pid\":");
    out = put_decimal(out, track->process->pid);
    out = put(out, ",\"tid\":");
    out = put_decimal(out, track->tid);
    track->form = new_form(bytes, out);
  }
  return track->form;
}

/* Writes [ns], which may be negative, in microseconds, with three decimals, at
   [out] and returns the end of the number. */
static char *put_us(char *out, int64_t ns)
{
  uint64_t n = ns < 0 ? -(uint64_t) ns : (uint64_t) ns;
  unsigned rest = (unsigned) (n % 1000);
  if (ns < 0) *out++ = '-';
  out = put_decimal(out, n / 1000);
  *out++ = '.';
  *out++ = (char) ('0' + rest / 100);
  *out++ = (char) ('0' + rest / 10 % 10);
  *out++ = (char) ('0' + rest % 10);
  return out;
}

/* Writes the member for the time [ns], counted from the start of tracing, at
   [out] and returns its end. */
static char *put_time(char *out, const struct trace *t, int64_t ns)
{
  out = put(out, ",\"ts\":");
  return put_us(out, (int64_t) ((uint64_t) ns - (uint64_t) t->base_ns));
}

static void write_text(struct trace *t, const char *text)
{
  sink_write(t->sink, text, strlen(text));
}

/* Writes the argument numbered [i] of [e] to the sink, with a comma before it
   unless it is the first. */
static void write_argument(struct trace *t, const struct trace_event *e,
                           uint32_t i)
{
  struct trace_argument a = trace_argument(e, i);
  char *out = sink_room(t->sink, EVENT_ROOM + 6 * a.length);
  if (i > 0) *out++ = ',';
  out = put_form(out, field_form(a.field));
  if (a.text == NULL)
    out = put_integer(out, a.integer);
  else {
    *out++ = '"';
    out = put_escaped(out, a.text, a.length);
    *out++ = '"';
  }
  sink_filled(t->sink, out);
}

/* Writes the arguments of [e], if it has any, at [out], the end of the bytes
   written to the room of the sink.  Returns the new end, for which sink_filled
   was not called; the sink may have been flushed. */
static char *put_arguments(struct trace *t, const struct trace_event *e,
                           char *out)
{
  uint32_t count = trace_arguments(e);
  if (count == 0) return out;
  out = put(out, ",\"args\":{");
  sink_filled(t->sink, out);
  for (uint32_t i = 0; i < count; i++) write_argument(t, e, i);
  out = sink_room(t->sink, EVENT_ROOM);
  *out++ = '}';
  return out;
}

/* Writes the part of a counter event that depends on its value at [out], and
   returns the end of this part.  The series is named by the unit of the
   counter.  Each domain has counters of the runtime of its own; a counter of
   the program is the same for all domains. */
static char *put_counter(const struct trace_event *e, char *out)
{
  if (!e->class->user) {
    out = put(out, ",\"id\":\"domain ");
    out = put_decimal(out, e->track->domain);
    *out++ = '"';
  }
  out = put(out, ",\"args\":{");
  out = put_form(out, field_form(trace_argument(e, 0).field));
  out = put_integer(out, (int64_t) e->event->payload[0]);
  *out++ = '}';
  return out;
}

/* Writes [n] in hexadecimal digits, without zeros in front, at [out] and
   returns their end. */
static char *put_hex(char *out, uint64_t n)
{
  char digits[17];
  int at = sizeof digits;
  do digits[--at] = "0123456789abcdef"[n & 15]; while ((n >>= 4) != 0);
  memcpy(out, digits + at, sizeof digits - (size_t) at);
  return out + sizeof digits - at;
}

/* Writes the members for the flow of [e] at [out] and returns their end. */
static char *put_flow(const struct trace_event *e, char *out)
{
  out = put(out, ",\"id\":\"0x");
  out = put_hex(out, trace_flow(e));
  return put(out, e->what == TRACE_FLOW_END ? "\",\"bp\":\"e\"" : "\"");
}

/* Returns whether [e] has the id of a flow or a request. */
static bool has_id(const struct trace_event *e)
{
  return e->what == TRACE_FLOW_BEGIN || e->what == TRACE_FLOW_STEP
         || e->what == TRACE_FLOW_END || e->what == TRACE_REQUEST_BEGIN
         || e->what == TRACE_REQUEST_END;
}

/* Writes the name of a report of lost events, with their number, at [out] and
   returns its end. */
static char *put_lost(const struct trace_event *e, char *out)
{
  out = put(out, ",\"name\":\"lost ");
  out = put_decimal(out, e->words > 0 ? e->event->payload[0] : 0);
  return put(out, " events\"");
}

/* The function [event] of the format. */
static void write_event(struct trace *t, const struct trace_event *e)
{
  static const char phases[] = {
    [TRACE_BEGIN] = 'B', [TRACE_END] = 'E', [TRACE_COMPLETE] = 'X',
    [TRACE_COUNTER] = 'C', [TRACE_INSTANT] = 'i', [TRACE_FLOW_BEGIN] = 's',
    [TRACE_FLOW_STEP] = 't', [TRACE_FLOW_END] = 'f',
    [TRACE_REQUEST_BEGIN] = 'b', [TRACE_REQUEST_END] = 'e', [TRACE_LOST] = 'i'
  };
  char *out = sink_room(t->sink, EVENT_ROOM);
  out = put(out, ",\n{\"ph\":\"");
  *out++ = phases[e->what];
  out = put_form(out, track_form(e->track));
  out = put_time(out, t, e->what == TRACE_COMPLETE ? e->since : e->ns);
  if (e->what == TRACE_COMPLETE) {
    out = put(out, ",\"dur\":");
    out = put_us(out, e->ns - e->since);
  }
  out = e->what == TRACE_LOST ? put_lost(e, out)
                              : put_form(out, class_form(e));
  if (phases[e->what] == 'i') out = put(out, ",\"s\":\"t\"");
  if (e->what == TRACE_COUNTER)
    out = put_counter(e, out);
  else {
    if (has_id(e)) out = put_flow(e, out);
    if (e->stack != 0) out = put_decimal(put(out, ",\"sf\":"), e->stack);
    out = put_arguments(t, e, out);
  }
  *out++ = '}';
  sink_filled(t->sink, out);
}

/* Samples */

/* The state of the format: the samples so far. */
struct samples {
  struct sample {
    int64_t ns;
    uint64_t weight;
    uint32_t pid, tid, stack;
  } *list;
  size_t count, room;
};

/* The function [sample] of the format. */
static void keep_sample(struct trace *t, const struct trace_event *e)
{
  struct samples *s = t->form;
  s->list = with_room(s->list, s->count, &s->room, sizeof *s->list);
  s->list[s->count++] = (struct sample) {
    e->ns, e->event->payload[SAMPLE_WEIGHT], e->track->process->pid,
    e->track->tid, e->stack
  };
}

static void write_sample(struct trace *t, const struct sample *sample)
{
  char *out = sink_room(t->sink, EVENT_ROOM);
  out = put(out, "{\"name\":\"cpu_sample\",\"pid\":");
  out = put_decimal(out, sample->pid);
  out = put(out, ",\"tid\":");
  out = put_decimal(out, sample->tid);
  out = put_time(out, t, sample->ns);
  out = put(out, ",\"sf\":");
  out = put_decimal(out, sample->stack);
  out = put(out, ",\"weight\":");
  out = put_decimal(out, sample->weight);
  *out++ = '}';
  sink_filled(t->sink, out);
}

/* Writes the member [key] with the text [text], cut to TRACE_TEXT bytes. */
static void write_member(struct trace *t, const char *key, const char *text)
{
  size_t length = strnlen(text, TRACE_TEXT);
  char *out = sink_room(t->sink, EVENT_ROOM + 6 * length);
  out = put(put(put(out, ",\""), key), "\":\"");
  out = put_escaped(out, text, length);
  *out++ = '"';
  sink_filled(t->sink, out);
}

/* Writes the member for the stack numbered [number], without a comma. */
static void write_stack(struct trace *t, uint32_t number)
{
  const struct trace_stack *stack = &t->stacks->stacks[number];
  const struct frame *frame = &t->stacks->places[stack->place].frame;
  char *out = sink_room(t->sink, EVENT_ROOM);
  *out++ = '"';
  out = put_decimal(out, number);
  out = put(out, "\":{\"line\":\"");
  out = put_decimal(out, frame->line);
  *out++ = '"';
  if (stack->parent != 0) {
    out = put(out, ",\"parent\":");
    out = put_decimal(out, stack->parent);
  }
  sink_filled(t->sink, out);
  write_member(t, "name", frame->function);
  write_member(t, "category", frame->file == NULL ? "" : frame->file);
  write_text(t, "}");
}

/* Writes all samples and stacks, if there are any, as the last members of the
   file's object. */
static void write_samples(struct trace *t)
{
  const struct samples *s = t->form;
  if (s->count == 0) return;
  write_text(t, ",\n\"samples\":[\n");
  for (size_t i = 0; i < s->count; i++) {
    if (i > 0) write_text(t, ",\n");
    write_sample(t, &s->list[i]);
  }
  write_text(t, "\n],\n\"stackFrames\":{\n");
  for (uint32_t i = 1; i <= t->stacks->stacks_count; i++) {
    if (i > 1) write_text(t, ",\n");
    write_stack(t, i);
  }
  write_text(t, "\n}");
}

/* Names */

/* Writes a metadata event that sets [what], such as "thread_name", of the
   process [pid] and the thread [tid].  Its argument [key] is [name], or
   [number] if [name] is NULL.  The caller writes the comma before it. */
static void write_metadata(struct trace *t, const char *what, const char *key,
                           uint32_t pid, uint32_t tid, const char *name,
                           uint32_t number)
{
  char *out = sink_room(t->sink, EVENT_ROOM);
  out = put(out, "{\"ph\":\"M\",\"pid\":");
  out = put_decimal(out, pid);
  out = put(out, ",\"tid\":");
  out = put_decimal(out, tid);
  out = put(out, ",\"name\":\"");
  out = put(out, what);
  out = put(out, "\",\"args\":{\"");
  out = put(out, key);
  out = put(out, "\":");
  out = name != NULL ? put_string(out, name) : put_decimal(out, number);
  out = put(out, "}}");
  sink_filled(t->sink, out);
}

/* The function [track] of the format: writes the name of the track, and its
   domain as the place in the order of tracks. */
static void write_track(struct trace *t, struct trace_track *track)
{
  uint32_t pid = track->process->pid;
  write_text(t, ",\n");
  write_metadata(t, "thread_name", "name", pid, track->tid, track->name, 0);
  write_text(t, ",\n");
  write_metadata(t, "thread_sort_index", "sort_index", pid, track->tid, NULL,
                 track->domain);
}

/* The function [start] of the format: sets [t->form], and writes the begin of
   the file and the names of the processes. */
static void start(struct trace *t)
{
  t->form = allocate(1, sizeof(struct samples));
  write_text(t, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
  for (int i = 0; i < t->process_count; i++) {
    const struct trace_process *p = &t->processes[i];
    if (i > 0) write_text(t, ",\n");
    write_metadata(t, "process_name", "name", p->pid, p->pid, p->name, 0);
  }
}

/* The function [finish] of the format: writes the end of the file, with the
   samples and the wall-clock time of the start of tracing, which is in no
   event. */
static void finish(struct trace *t)
{
  char bytes[128];
  char *out = put(bytes, "\n],\"otherData\":{\"started_realtime_ns\":\"");
  out = put_integer(out, t->processes[0].info.started_realtime_ns);
  out = put(out, "\"}");
  sink_write(t->sink, bytes, (size_t) (out - bytes));
  write_samples(t);
  write_text(t, "}\n");
}

/* The function [free] of the format. */
static void free_state(struct trace *t)
{
  free(((struct samples *) t->form)->list);
  free(t->form);
}

const struct trace_format trace_chrome = {
  .name = "chrome", .endings = { ".json" }, .start = start,
  .track = write_track, .event = write_event, .sample = keep_sample,
  .finish = finish, .free = free_state
};
