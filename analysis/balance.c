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

/* The check looks at each ring by itself:

   - time never goes back;
   - each end has its begin, and each begin its end;
   - spans of the runtime end in the reverse order of their begins;
   - nothing took longer than there was time since tracing started;
   - the runtime knew the causes of its actions.

   A recorder that is switched on and off and that overwrites old events has
   ends without begins by nature: at the start of its events, and after a gap,
   which is a loss or a pause.  These are counted as cut off, like the spans in
   which the process ended.

   Spans of the runtime are on the stacks of spans.c, each with its thread: a
   span that one thread begins while another thread is inside of a span need not
   end before the other span.
   Spans of the program may begin in one thread and end in another, in another
   domain even; of them, only numbers are compared. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "balance.h"
#include "event_field.h"
#include "eventring_hash.h"
#include "memory.h"
#include "pair_map.h"
#include "spans.h"
#include "target.h"

#define IDS 65536                 /* an event's id has 16 bits */
#define DEPTH 64                  /* of the runtime's spans in each other */
#define CUT_MOST 65536            /* ids and threads kept of ends after a gap */

struct ring {
  bool started;                   /* [ticks] and [domain] are valid */
  uint64_t ticks;                 /* of the event before */
  uint32_t domain;
  /* The domain may have been inside of spans before its first event that we
     know, each span once in each thread: its id and thread are in [cut] when its
     end was seen. */
  bool cut_before;
  struct pair_map cut;
};

/* Spans of the program with one name, in one thread of one domain. */
struct user_spans {
  struct eventring_event begin;   /* the last one */
  int64_t open;                   /* begins less ends; negative when spans
                                     that began elsewhere ended here */
  bool cut;                       /* an end without begin was passed over */
  uint64_t born;                  /* how many events there were then */
  uint32_t lives[2];              /* indexes of its domain's and thread's */
};

#define USER_SPANS_BITS 13
#define USER_SPANS (1 << USER_SPANS_BITS)

/* The time at which a domain, or one of its threads, ended last.  Kept for each
   domain and thread that a struct user_spans has: at most two for each. */
struct life {
  uint32_t domain;
  uint64_t thread;                /* the OS id; WHOLE_DOMAIN: the domain */
  uint64_t ended;                 /* how many events there were then; 0: it
                                     has not */
};

#define WHOLE_DOMAIN UINT64_MAX

struct check {
  struct eventring_cursor *cursor;
  int64_t started_ns;
  void (*found)(void *state, const struct eventring_event *event,
                const char *what);
  void *state;
  struct ring **rings;            /* NULL before the first event */
  uint32_t ring_count;
  struct spans *spans;            /* of the runtime */
  uint32_t user_category;
  int exit_id, stop_id, pause_id, resume_id, spawn_id, terminate_id,
    thread_exit_id;
  struct user_spans users[USER_SPANS];
  struct life lives[2 * USER_SPANS];
  uint32_t user_count, life_count;
  /* 1 + the index in [users] and in [lives] */
  struct hash_table user_places, life_places;
  struct hash_place user_memory[2 * USER_SPANS], life_memory[4 * USER_SPANS];
  bool users_gap;                 /* a begin of any of them may be missing */
  int64_t user_open[IDS];         /* by id, in all threads */
  struct balance sum;
};

/* Adds 1 to the findings and passes [event] to the function [found] of the
   check, if there is one, with the reason formatted from [format] and cut to
   127 bytes.  The reason is valid during that call only. */
__attribute__((format(printf, 3, 4)))
static void find(struct check *c, const struct eventring_event *event,
                 const char *format, ...)
{
  char what[128];
  va_list arguments;
  c->sum.findings++;
  if (c->found == NULL) return;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  c->found(c->state, event, what);
}

static const char *name_of(struct check *c, uint16_t id)
{
  const struct eventring_description *d = eventring_describe(c->cursor, id);
  return d == NULL ? "" : d->name;
}

/* The tables of spans of the program, and of the lives of their threads */

static uint64_t spans_key(const struct eventring_event *event)
{
  return (uint64_t) event->id << 32 | event->thread;
}

static void set_user_place(struct check *c, const struct user_spans *spans,
                           uint32_t place)
{
  hash_set(&c->user_places, spans_key(&spans->begin), spans->begin.domain,
           place);
}

static void set_life_place(struct check *c, const struct life *life,
                           uint32_t place)
{
  hash_set(&c->life_places, life->thread, life->domain, place);
}

/* Removes all spans of the program and all lives.  Visits only places in use,
   since many gaps may follow each other. */
static void forget_users(struct check *c)
{
  while (c->user_count > 0) set_user_place(c, &c->users[--c->user_count], 0);
  while (c->life_count > 0) set_life_place(c, &c->lives[--c->life_count], 0);
}

/* Gaps */

/* Called for each open span of the runtime whose end will not be found. */
static void count_cut_off(void *state, const struct eventring_event *begin)
{
  struct check *c = state;
  (void) begin;
  c->sum.cut_off++;
}

/* Closes all open spans of the runtime in ring [number] and counts them as cut
   off.  From here on, an end without a begin may be caused by a gap, once for
   each id and thread. */
static void cut_ring(struct check *c, uint32_t number)
{
  struct ring *ring = c->rings[number];
  forget_ring_spans(c->spans, number);
  ring->cut_before = true;
  free_pair_map(&ring->cut);
  ring->cut = new_pair_map();
}

/* Closes all open spans of the program and counts them as cut off: a gap may
   hide their ends.  From here on, an end without a begin may be caused by a
   gap. */
static void cut_users(struct check *c)
{
  for (uint32_t i = 0; i < c->user_count; i++) {
    int64_t *in_all = &c->user_open[c->users[i].begin.id];
    if (*in_all > 0) c->sum.cut_off += (uint64_t) *in_all;
    *in_all = 0;
  }
  forget_users(c);
  c->users_gap = true;
}

/* Closes all open spans of all rings and of the program, and counts them as cut
   off.  From here on, ends without a begin may be caused by a gap.  Called when
   recording was paused or resumed, or its mask of categories was changed. */
static void cut_all(struct check *c)
{
  for (uint32_t i = 0; i < c->ring_count; i++)
    if (c->rings[i] != NULL) cut_ring(c, i);
  cut_users(c);
}

/* Spans of the runtime */

/* Adds the span that [event] begins to the open spans, or removes the span that
   it ends. */
static void note_span(struct check *c, const struct eventring_event *event)
{
  int64_t since;
  span_ended(c->spans, event, &since);
}

static void runtime_begin(struct check *c, const struct eventring_event *event)
{
  if (span_depth(c->spans, event->ring) == DEPTH) {
    find(c, event, "inside of %d spans", DEPTH);
    cut_ring(c, event->ring);
  }
  note_span(c, event);
}

/* Reports the open spans inside of the span with the begin [begin] that are of
   the same thread, as spans without an end, and closes them.  Spans of other
   threads may stay open. */
static void no_end_inside(struct check *c, const struct eventring_event *begin)
{
  const struct eventring_event *open = innermost_span(c->spans, begin->ring);
  while (open != begin) {
    const struct eventring_event *outer = next_outer_span(c->spans, open);
    if (open->thread == begin->thread) {
      find(c, open, "no end");
      forget_span(c->spans, open);
    }
    open = outer;
  }
}

/* Returns whether a span with the id [id] may be inside of another with this id:
   a slice that waits for other domains does more slices. */
static bool nests(struct check *c, uint16_t id)
{
  return strcmp(name_of(c, id), "major_slice") == 0;
}

/* Closes the open span that [event] ends, and reports the spans inside of it.
   Reports [event] itself when it has no begin, unless a gap explains this. */
static void runtime_end(struct check *c, struct ring *ring,
                        const struct eventring_event *event)
{
  const struct eventring_event *begin = begin_of(c->spans, event);
  if (begin != NULL) {
    no_end_inside(c, begin);
    note_span(c, event);
    c->sum.spans++;
    return;
  }
  bool first = ring->cut.count == CUT_MOST;
  if (ring->cut_before && !first)
    number_of_pair(&ring->cut, event->id, event->thread, &first);
  if (ring->cut_before && (first || nests(c, event->id))) c->sum.cut_off++;
  else find(c, event, "no begin");
}

/* Returns whether the program's own code may run inside of spans with the id
   [id], so that the program may end while such a span is open. */
static bool runs_program(struct check *c, uint16_t id)
{
  return strncmp(name_of(c, id), "explicit_gc_", 12) == 0
         || strcmp(name_of(c, id), "domain_condition_wait") == 0;
}

/* Reports the open spans of ring [number] as spans without an end, and closes
   them.  The domain of the ring has ended, or, if [program] is true, the program has;
   the program may end inside of spans for which runs_program is true, which
   stay open. */
static void no_end(struct check *c, uint32_t number, bool program)
{
  const struct eventring_event *open = innermost_span(c->spans, number);
  while (open != NULL) {
    const struct eventring_event *outer = next_outer_span(c->spans, open);
    if (!program || !runs_program(c, open->id)) {
      find(c, open, "no end");
      forget_span(c->spans, open);
    }
    open = outer;
  }
}

/* Spans of the program */

/* Returns the index of the life of the thread [thread] of domain [domain], or
   of the domain itself if [thread] is WHOLE_DOMAIN; a new one if necessary. */
static uint32_t life_of(struct check *c, uint32_t domain, uint64_t thread)
{
  uint32_t place = hash_get(&c->life_places, thread, domain);
  if (place != 0) return place - 1;
  struct life *life = &c->lives[c->life_count];
  *life = (struct life) { .domain = domain, .thread = thread };
  set_life_place(c, life, c->life_count + 1);
  return c->life_count++;
}

/* Adds a copy of [spans], with the lives of its domain and thread, and returns
   it. */
static struct user_spans *add_spans(struct check *c,
                                    const struct user_spans *spans)
{
  struct user_spans *added = &c->users[c->user_count];
  *added = *spans;
  added->lives[0] = life_of(c, spans->begin.domain, WHOLE_DOMAIN);
  added->lives[1] = life_of(c, spans->begin.domain, spans->begin.thread);
  set_user_place(c, added, ++c->user_count);
  return added;
}

/* Returns whether the domain or the thread of [spans] has ended since the spans
   were added. */
static bool is_gone(const struct check *c, const struct user_spans *spans)
{
  return c->lives[spans->lives[0]].ended > spans->born
         || c->lives[spans->lives[1]].ended > spans->born;
}

/* Removes the spans of the program that have as many ends as begins. */
static void make_room(struct check *c)
{
  struct check *old = allocate(1, sizeof *old);
  *old = *c;
  forget_users(c);
  for (uint32_t i = 0; i < old->user_count; i++) {
    const struct user_spans *spans = &old->users[i];
    if (spans->open == 0) continue;
    const struct user_spans *kept = add_spans(c, spans);
    for (int k = 0; k < 2; k++)
      c->lives[kept->lives[k]].ended = old->lives[spans->lives[k]].ended;
  }
  free(old);
}

/* Returns the place of the spans with the id, thread and domain of [event].  If
   they have no place, takes one for them, with [event] as their begin and none
   of them open; this may move all other spans.  Returns NULL when too many
   spans are open, and then sets [user_spans_left_out], after which spans of the
   program are not checked any more. */
static struct user_spans *spans_of(struct check *c,
                                   const struct eventring_event *event)
{
  uint32_t place = hash_get(&c->user_places, spans_key(event), event->domain);
  if (place != 0) return &c->users[place - 1];
  if (c->user_count == USER_SPANS) {
    make_room(c);
    /* To make a little room again and again would take for ever. */
    if (c->user_count >= USER_SPANS / 2) {
      c->sum.user_spans_left_out = true;
      return NULL;
    }
  }
  return add_spans(c, &(struct user_spans) { .begin = *event,
                                             .born = c->sum.events });
}

static void user_begin(struct check *c, const struct eventring_event *event)
{
  struct user_spans *spans = spans_of(c, event);
  if (spans == NULL) return;
  spans->begin = *event;
  spans->open++;
  c->user_open[event->id]++;
}

/* Counts the end [event] of a span of the program, which may have begun in any
   thread: [open] of the thread of [event] becomes negative if another thread
   began the span.  If no span with its id is open in any thread, reports the
   event, or counts it as cut off if a gap explains this; a gap of [ring] alone
   explains one end for each id, thread and domain. */
static void user_end(struct check *c, const struct ring *ring,
                     const struct eventring_event *event)
{
  struct user_spans *spans = spans_of(c, event);
  if (spans == NULL) return;
  if (c->user_open[event->id] > 0) {
    spans->open--;
    c->user_open[event->id]--;
    c->sum.spans++;
  } else if (c->users_gap || (ring->cut_before && !spans->cut)) {
    spans->cut = true;
    c->sum.cut_off++;
  } else
    find(c, event, "no begin");
}

/* Records the end of the thread of [event], or of its whole domain if
   [whole_domain] is true, for is_gone.  Does nothing when the thread or the
   domain has no place, so that no spans of the program belong to it. */
static void users_gone(struct check *c, const struct eventring_event *event,
                       bool whole_domain)
{
  uint32_t place = hash_get(&c->life_places,
                            whole_domain ? WHOLE_DOMAIN : event->thread,
                            event->domain);
  if (place != 0) c->lives[place - 1].ended = c->sum.events;
}

/* Counts the spans of the program that are still open as cut off, since the
   process ended inside of them.  But if the process ended in order, which
   [in_order] tells, a span of a thread that had ended before cannot contain the
   end of the process, and is reported as a span without an end.  Another open
   span of the same name may still contain it, if one thread began this span and
   another thread ended the span of the thread that is gone; so spans of threads
   that still ran count first.  Changes [user_open]: to be called once. */
static void users_at_end(struct check *c, bool in_order)
{
  for (int gone = 0; gone <= 1; gone++)
    for (uint32_t i = 0; i < c->user_count; i++) {
      struct user_spans *spans = &c->users[i];
      int64_t *in_all = &c->user_open[spans->begin.id];
      if (spans->open <= 0 || *in_all <= 0
          || is_gone(c, spans) != gone)
        continue;
      if (in_order && gone)
        find(c, &spans->begin, "no end");
      else
        c->sum.cut_off += (uint64_t) (spans->open < *in_all ? spans->open
                                                        : *in_all);
      *in_all -= spans->open;
    }
}

/* Events */

/* Reports [event] if it is a complete event with a duration, the first word of
   its payload, that exceeds the time since tracing started by more than 0.1 %
   and a microsecond: neither time is exact.  Leaves out events from before the
   start. */
static void check_duration(struct check *c,
                           const struct eventring_event *event,
                           const struct eventring_description *description)
{
  if (description->kind != EVENTRING_KIND_COMPLETE || event->words == 0)
    return;
  uint64_t took = event->payload[0];
  uint64_t there_was = (uint64_t) event->ns - (uint64_t) c->started_ns;
  /* Both are right to 0.1 %, each in its own way. */
  if (event->ns >= c->started_ns
      && took > there_was + there_was / 1000 + 1000)
    find(c, event, "took longer than there was since tracing started");
}

/* Reports each field of [event] that is 0 and has a unit with the name
   "unknown" for 0, except the kind of a file, which the program may have closed.
   Looks only at events with a packed payload. */
static void check_causes(struct check *c, const struct eventring_event *event,
                         const struct eventring_description *description)
{
  if (description->payload != EVENTRING_PAYLOAD_PACKED) return;
  for (uint32_t i = 0; i < event->words; i++) {
    if (event->payload[i] != 0) continue;
    const struct eventring_field *field = event_field(c->cursor, event, i);
    if (field == NULL) continue;
    const char *name = eventring_value(c->cursor, field->unit, 0);
    if (name != NULL && strcmp(name, "unknown") == 0
        && strcmp(field->unit, "file_kind") != 0)
      find(c, event, "%s unknown", field->unit);
  }
}

/* Checks the begin or the end of a span, of the runtime or of the program.
   Does nothing for other events, and nothing for spans of the program once
   [user_spans_left_out] is set. */
static void check_span(struct check *c, struct ring *ring,
                       const struct eventring_event *event,
                       const struct eventring_description *description)
{
  bool begins = event->form == EVENTRING_EV_BEGIN;
  if (description->kind != EVENTRING_KIND_SPAN
      || (!begins && event->form != EVENTRING_EV_END))
    return;
  if (description->category != c->user_category)
    begins ? runtime_begin(c, event) : runtime_end(c, ring, event);
  else if (c->sum.user_spans_left_out)
    return;
  else if (begins)
    user_begin(c, event);
  else
    user_end(c, ring, event);
}

/* Acts on an instant that ends the program, ends a domain or a thread, begins a
   domain, or begins or ends a pause of the recording: reports or cuts off open
   spans, or records the end for is_gone; from the begin of a domain on, each
   end in [ring] needs a begin.  Does nothing for other events. */
static void check_life(struct check *c, struct ring *ring,
                       const struct eventring_event *event)
{
  if (event->form != EVENTRING_EV_INSTANT) return;
  if (event->id == c->pause_id || event->id == c->resume_id)
    cut_all(c);
  else if (event->id == c->exit_id || event->id == c->stop_id)
    no_end(c, event->ring, true);
  else if (event->id == c->spawn_id)
    ring->cut_before = false;
  else if (event->id == c->terminate_id) {
    no_end(c, event->ring, false);
    users_gone(c, event, true);
  } else if (event->id == c->thread_exit_id)
    users_gone(c, event, false);
}

void check_event(struct check *c, const struct eventring_event *event)
{
  if (event->form == EVENTRING_EV_CONTROL_CHANGED) {
    cut_all(c);
    return;
  }
  if (event->ring >= c->ring_count) return;
  if (c->rings[event->ring] == NULL)
    c->rings[event->ring] = allocate(1, sizeof(struct ring));
  struct ring *ring = c->rings[event->ring];

  if (event->form == EVENTRING_EV_LOST) {
    cut_ring(c, event->ring);
    cut_users(c);
    return;
  }
  c->sum.events++;
  if (ring->started && event->ticks < ring->ticks)
    find(c, event, "earlier than the event before it");
  if (!ring->started || ring->domain != event->domain)
    cut_ring(c, event->ring);
  ring->started = true;
  ring->ticks = event->ticks;
  ring->domain = event->domain;

  const struct eventring_description *description =
    eventring_describe(c->cursor, event->id);
  if (description == NULL) return;
  check_duration(c, event, description);
  check_causes(c, event, description);
  check_span(c, ring, event, description);
  check_life(c, ring, event);
}

/* The check */

/* Returns the id of the event of the runtime called [name]; -1 when there is
   none, or when the event with this name belongs to the program. */
static int runtime_event(struct check *c, const char *name)
{
  int id = eventring_find(c->cursor, name);
  return id >= 0 && eventring_describe(c->cursor, (uint32_t) id)->category
                    != c->user_category ? id : -1;
}

struct check *new_check(struct eventring_cursor *cursor,
                        void (*found)(void *state,
                                      const struct eventring_event *event,
                                      const char *what),
                        void *state)
{
  struct check *c = allocate(1, sizeof *c);
  struct eventring_info info = target_info(cursor);
  c->cursor = cursor;
  c->started_ns = info.traced_since_ns;
  c->found = found;
  c->state = state;
  hash_init(&c->user_places, USER_SPANS_BITS + 1, c->user_memory);
  hash_init(&c->life_places, USER_SPANS_BITS + 2, c->life_memory);
  c->ring_count = info.rings;
  c->rings = allocate(c->ring_count, sizeof *c->rings);
  c->spans = new_spans(cursor);
  watch_given_up(c->spans, count_cut_off, c);
  c->user_category = UINT32_MAX;
  for (uint32_t bit = 0; bit < 32; bit++) {
    const char *name = eventring_category(cursor, bit);
    if (name != NULL && strcmp(name, "user") == 0) c->user_category = bit;
  }
  c->exit_id = runtime_event(c, "exit");
  c->stop_id = runtime_event(c, "ring_stop");
  c->pause_id = runtime_event(c, "ring_pause");
  c->resume_id = runtime_event(c, "ring_resume");
  c->spawn_id = runtime_event(c, "domain_spawn");
  c->terminate_id = runtime_event(c, "domain_terminate");
  c->thread_exit_id = runtime_event(c, "thread_exit");
  return c;
}

void free_check(struct check *c)
{
  for (uint32_t i = 0; i < c->ring_count; i++) {
    if (c->rings[i] == NULL) continue;
    free_pair_map(&c->rings[i]->cut);
    free(c->rings[i]);
  }
  free(c->rings);
  free_spans(c->spans);
  free(c);
}

struct balance check_end(struct check *c)
{
  forget_spans(c->spans);
  if (!c->sum.user_spans_left_out)
    users_at_end(c, eventring_state(c->cursor) == EVENTRING_STATE_ENDED);
  return c->sum;
}
