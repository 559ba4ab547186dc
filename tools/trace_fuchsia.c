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

/* Fuchsia's trace format: records of 64-bit words.

   Strings and threads are registered in tables, by a record before the first
   event that refers to them; when a table is full, they stand in the event
   itself.  An event has at most 15 arguments: of longer ones, the last is a
   text with all that is left. */

#include <string.h>
#include "text.h"
#include "trace.h"

enum {
  INITIALIZATION = 1, STRING = 2, THREAD = 3, EVENT = 4, KERNEL_OBJECT = 7
};
enum {
  INSTANT = 0, COUNTER = 1, DURATION_BEGIN = 2, DURATION_END = 3,
  DURATION_COMPLETE = 4, FLOW_BEGIN = 8, FLOW_STEP = 9, FLOW_END = 10
};
enum { ARGUMENT_INT64 = 3, ARGUMENT_STRING = 6, ARGUMENT_KOID = 8 };
enum { OBJECT_PROCESS = 1, OBJECT_THREAD = 2 };
#define MAGIC UINT64_C(0x0016547846040010)
#define MOST_STRINGS 0x7FFF
#define MOST_THREADS 0xFF
#define MOST_ARGUMENTS 15
#define INLINE_STRING 0x8000

/* A record that is being made; it has 4095 words at most. */
struct record {
  size_t words;
  uint64_t word[4096];
};

/* A string as it is referred to: 0 for the empty one, a number in the table,
   or INLINE_STRING with its length. */
struct reference {
  uint32_t number;
  const char *text;
};

struct state {
  uint32_t strings, threads;      /* how many are registered */
  struct reference *categories;   /* by process and bit */
  struct record record;
  char text[12000];               /* of an argument: a payload is shorter, even
                                     when each byte takes three */
};

static void add_word(struct record *r, uint64_t word)
{
  r->word[r->words++] = word;
}

static void add_bytes(struct record *r, const char *bytes, size_t length)
{
  if (length == 0) return;
  r->word[r->words + (length - 1) / 8] = 0;
  memcpy(&r->word[r->words], bytes, length);
  r->words += (length + 7) / 8;
}

/* The bytes of a string that is not in the table. */
static void add_inline(struct record *r, struct reference reference)
{
  if (reference.number & INLINE_STRING)
    add_bytes(r, reference.text, reference.number & ~INLINE_STRING);
}

static void write_record(struct trace *t, struct record *r)
{
  r->word[0] |= (uint64_t) r->words << 4;
  sink_write(t->sink, r->word, r->words * sizeof *r->word);
}

/* Tables */

static struct reference inline_reference(const char *text)
{
  size_t length = strlen(text);
  return (struct reference) {
    .number = length == 0 ? 0 : INLINE_STRING | (uint32_t) length,
    .text = text
  };
}

/* Registers a string while there is room.  [text] must stay. */
static struct reference new_reference(struct trace *t, const char *text)
{
  struct state *s = t->form;
  size_t length = strlen(text);
  if (length == 0 || s->strings == MOST_STRINGS) return inline_reference(text);
  struct record r = { .words = 0 };
  add_word(&r, STRING | (uint64_t) ++s->strings << 16
               | (uint64_t) length << 32);
  add_bytes(&r, text, length);
  write_record(t, &r);
  return (struct reference) { .number = s->strings, .text = text };
}

static struct reference kept_reference(struct trace *t, void **form,
                                       const char *text)
{
  if (*form == NULL) {
    struct reference *new = allocate(1, sizeof *new);
    *new = new_reference(t, text);
    *form = new;
  }
  return *(struct reference *) *form;
}

static struct reference category_of(struct trace *t,
                                    const struct trace_event *e)
{
  const struct trace_process *p = e->track->process;
  const char *name = p->categories[e->class->category];
  struct reference *category =
    &((struct state *) t->form)->categories[
      (p->number - 1) * TRACE_CATEGORIES + e->class->category];
  if (category->number == 0) *category = new_reference(t, name);
  return *category;
}

/* The number of a thread in the table; 0 when there is no room. */
static uint32_t thread_of(struct trace *t, struct trace_track *track)
{
  struct state *s = t->form;
  if (track->form == NULL && s->threads < MOST_THREADS) {
    uint32_t *number = track->form = allocate(1, sizeof *number);
    *number = ++s->threads;
    struct record r = { .words = 0 };
    add_word(&r, THREAD | *number << 16);
    add_word(&r, track->process->pid);
    add_word(&r, track->tid);
    write_record(t, &r);
  }
  return track->form == NULL ? 0 : *(uint32_t *) track->form;
}

/* Arguments */

static void add_argument(struct record *r, struct reference name,
                         uint64_t type, uint32_t value, const char *text,
                         uint64_t word)
{
  size_t header = r->words;
  add_word(r, type | (uint64_t) name.number << 16 | (uint64_t) value << 32);
  add_inline(r, name);
  if (type == ARGUMENT_STRING)
    add_bytes(r, text, value & ~INLINE_STRING);
  else
    add_word(r, word);
  r->word[header] |= (uint64_t) (r->words - header) << 4;
}

/* The text in state->text, which ends at [end]. */
static void add_text(struct state *s, struct reference name, const char *end)
{
  uint32_t length = (uint32_t) (end - s->text);
  add_argument(&s->record, name, ARGUMENT_STRING,
               length == 0 ? 0 : INLINE_STRING | length, s->text, 0);
}

/* All arguments from [first] on as one text, as far as there is room. */
static void add_rest(struct state *s, const struct trace_event *e,
                     uint32_t first, uint32_t count)
{
  char *out = s->text;
  for (uint32_t i = first; i < count; i++) {
    struct trace_argument a = trace_argument(e, i);
    size_t longest = strlen(a.field->name) + 3 * a.length + 32;
    if (longest > sizeof s->text - (size_t) (out - s->text)) break;
    if (out > s->text) *out++ = ' ';
    out = stpcpy(out, a.field->name);
    *out++ = '=';
    if (a.text == NULL)
      out = put_integer(out, a.integer);
    else
      out += copy_as_utf8(out, a.text, a.length);
  }
  add_text(s, inline_reference("more"), out);
}

static void add_arguments(struct trace *t, const struct trace_event *e,
                          uint32_t count)
{
  struct state *s = t->form;
  for (uint32_t i = 0; i < count; i++) {
    if (i == MOST_ARGUMENTS - 1 && count > MOST_ARGUMENTS) {
      add_rest(s, e, i, count);
      return;
    }
    struct trace_argument a = trace_argument(e, i);
    struct reference name = kept_reference(t, &a.field->form, a.field->name);
    if (a.text == NULL)
      add_argument(&s->record, name, ARGUMENT_INT64, 0, NULL,
                   (uint64_t) a.integer);
    else
      add_text(s, name, s->text + copy_as_utf8(s->text, a.text, a.length));
  }
}

/* Events */

/* Those of the program are one for all domains. */
static uint64_t counter_id(const struct trace_event *e)
{
  return e->class->user ? 0 : (uint64_t) e->track->domain + 1;
}

static void add_event(struct trace *t, const struct trace_event *e,
                      uint64_t type, struct reference name)
{
  struct state *s = t->form;
  struct record *r = &s->record;
  uint32_t arguments = trace_arguments(e);
  struct reference category = category_of(t, e);
  uint64_t thread = thread_of(t, e->track);
  uint64_t names = category.number | (uint64_t) name.number << 16;
  r->words = 0;
  add_word(r, EVENT | type << 16
              | (uint64_t) (arguments < MOST_ARGUMENTS ? arguments
                                                       : MOST_ARGUMENTS) << 20
              | thread << 24 | names << 32);
  add_word(r, (uint64_t) (e->what == TRACE_COMPLETE ? e->since : e->ns));
  if (thread == 0) {
    add_word(r, e->track->process->pid);
    add_word(r, e->track->tid);
  }
  add_inline(r, category);
  add_inline(r, name);
  add_arguments(t, e, arguments);
  switch (e->what) {
  case TRACE_COMPLETE: add_word(r, (uint64_t) e->ns); break;
  case TRACE_COUNTER: add_word(r, counter_id(e)); break;
  case TRACE_FLOW_BEGIN:
  case TRACE_FLOW_STEP:
  case TRACE_FLOW_END: add_word(r, trace_flow(e)); break;
  default: break;
  }
  write_record(t, r);
}

static void write_event(struct trace *t, const struct trace_event *e)
{
  static const uint8_t types[] = {
    [TRACE_BEGIN] = DURATION_BEGIN, [TRACE_END] = DURATION_END,
    [TRACE_COMPLETE] = DURATION_COMPLETE, [TRACE_COUNTER] = COUNTER,
    [TRACE_INSTANT] = INSTANT, [TRACE_FLOW_BEGIN] = FLOW_BEGIN,
    [TRACE_FLOW_STEP] = FLOW_STEP, [TRACE_FLOW_END] = FLOW_END,
    [TRACE_LOST] = INSTANT
  };
  if (e->what != TRACE_LOST) {
    add_event(t, e, types[e->what],
              kept_reference(t, &e->class->form, e->class->name));
    return;
  }
  char name[64] = "lost ";
  char *end = put_decimal(strchr(name, '\0'),
                          e->words > 0 ? e->event->payload[0] : 0);
  strcpy(end, " events");
  add_event(t, e, INSTANT, inline_reference(name));
}

/* Names */

static void write_object(struct trace *t, uint64_t type, uint64_t koid,
                         const char *text, const struct trace_process *process)
{
  struct record *r = &((struct state *) t->form)->record;
  struct reference name = inline_reference(text);
  r->words = 0;
  add_word(r, KERNEL_OBJECT | type << 16 | (uint64_t) name.number << 24
              | (uint64_t) (process != NULL) << 40);
  add_word(r, koid);
  add_inline(r, name);
  if (process != NULL)
    add_argument(r, inline_reference("process"), ARGUMENT_KOID, 0, NULL,
                 process->pid);
  write_record(t, r);
}

static void write_track(struct trace *t, struct trace_track *track)
{
  write_object(t, OBJECT_THREAD, track->tid, track->name, track->process);
}

/* A tick is a nanosecond of CLOCK_MONOTONIC. */
static void start(struct trace *t)
{
  struct state *s = allocate(1, sizeof *s);
  t->form = s;
  s->categories = allocate(1, (size_t) t->process_count * TRACE_CATEGORIES
                                 * sizeof *s->categories);
  const uint64_t words[] = { MAGIC, INITIALIZATION | 2 << 4, 1000000000 };
  sink_write(t->sink, words, sizeof words);
  for (int i = 0; i < t->process_count; i++)
    write_object(t, OBJECT_PROCESS, t->processes[i].pid, t->processes[i].name,
                 NULL);
}

static void finish(struct trace *t)
{
  (void) t;                       /* what was written is whole */
}

const struct trace_format trace_fuchsia = {
  .name = "fuchsia", .endings = { ".fxt" }, .start = start,
  .track = write_track, .event = write_event, .finish = finish
};
