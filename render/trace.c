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

/* Events of all processes are merged by time.  Each goes to the track of the
   thread that wrote it; stop_the_world, which the last domain writes for all of
   them, goes to a track of its own.

   Viewers want the spans of a track to lie inside of each other, and each end
   to have its begin.  Spans of the runtime in one thread are like that, spans
   of the program need not be.  So an end without a begin is dropped; a begin
   without an end is closed with the last event of its ring; and when a
   span ends inside of which others of its thread are still open, these are
   ended too and go on in other tracks, one for each name, so that the time of
   each name is right.  There they stay: the spans of one name in one thread lie
   inside of each other, since an end belongs to the latest begin.  So each span
   is cut once at most, and the trace grows with the events.  How long a
   complete event took and when other events were is each a little wrong in its
   own way: where such an event seems to have begun before the span around it,
   or inside of the one before it, it is shortened. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "target.h"
#include "text.h"
#include "trace.h"

/* Tools for formats */

char *put_decimal(char *out, uint64_t n)
{
  static const char pairs[] =
    "00010203040506070809101112131415161718192021222324"
    "25262728293031323334353637383940414243444546474849"
    "50515253545556575859606162636465666768697071727374"
    "75767778798081828384858687888990919293949596979899";
  char digits[20];
  int at = sizeof digits;
  for (; n >= 100; n /= 100) memcpy(digits + (at -= 2), pairs + n % 100 * 2, 2);
  if (n >= 10)
    memcpy(digits + (at -= 2), pairs + n * 2, 2);
  else
    digits[--at] = (char) ('0' + n);
  memcpy(out, digits + at, sizeof digits - (size_t) at);
  return out + sizeof digits - at;
}

char *put_integer(char *out, int64_t n)
{
  if (n >= 0) return put_decimal(out, (uint64_t) n);
  *out++ = '-';
  return put_decimal(out, -(uint64_t) n);
}

uint64_t trace_flow(const struct trace_event *e)
{
  return e->event->payload[0] + ((uint64_t) e->class->number << 40);
}

/* Classes and their fields */

/* Copies [name] as valid UTF-8, with a NUL, to [out], which must have room for
   three times its length and the NUL. */
static void copy_name(char *out, const char *name)
{
  out[copy_as_utf8(out, name, strlen(name))] = '\0';
}

/* Makes the class of events with the id [id], or of reports of lost events for
   TRACE_LOST_ID.  The name of an id without a name is "#" and the id. */
static struct trace_class *new_class(struct trace_process *p, uint32_t id)
{
  struct trace_class *class = allocate(1, sizeof *class);
  class->before = p->last_class;
  p->last_class = class;
  class->number = ++p->trace->classes;
  class->id = (uint16_t) id;
  class->category = TRACE_CATEGORIES - 1;
  if (id == TRACE_LOST_ID) {
    strcpy(class->name, "lost");
    return class;
  }
  class->description = eventring_describe(p->cursor, id);
  if (class->description != NULL) {
    if (class->description->category < TRACE_CATEGORIES - 1)
      class->category = class->description->category;
    copy_name(class->name, class->description->name);
    copy_name(class->unit, class->description->unit);
  }
  class->user = strcmp(p->categories[class->category], "user") == 0;
  if (class->name[0] == '\0')
    snprintf(class->name, sizeof class->name, "#%u", class->id);
  return class;
}

/* Returns the class of events with the id [id]; makes it if necessary, and a
   new one when the id has got a description since.  Classes live as long as the
   trace. */
static struct trace_class *class_of(struct trace_process *p, uint32_t id)
{
  struct trace_class **class = &p->classes[id];
  /* A name may come later than the first event that bears it. */
  if (*class == NULL
      || ((*class)->description == NULL && id != TRACE_LOST_ID
          && eventring_describe(p->cursor, id) != NULL))
    *class = new_class(p, id);
  return *class;
}

/* Returns the place in the hash table for the field of [class] with the name
   [name]: the place of this field, or a free place if there is no such field.
   At least one place must be free. */
static struct trace_field **name_place(const struct trace_process *p,
                                       const struct trace_class *class,
                                       const char *name)
{
  uint64_t hash = 0;
  for (const char *c = name; *c != '\0'; c++)
    hash = (hash + (unsigned char) *c) * p->seed;
  uint32_t at = (uint32_t) (hash >> 32);
  for (;; at++) {
    struct trace_field **place = &class->names[at & (class->name_room - 1)];
    if (*place == NULL || strcmp((*place)->name, name) == 0) return place;
  }
}

/* Doubles the room of the hash table of names of [class], from 0 to 16 at
   first. */
static void more_names(const struct trace_process *p, struct trace_class *class)
{
  struct trace_field **old = class->names;
  uint32_t room = class->name_room;
  class->name_room = room == 0 ? 16 : room * 2;
  class->names = allocate(class->name_room, sizeof *class->names);
  for (uint32_t i = 0; i < room; i++)
    if (old[i] != NULL) *name_place(p, class, old[i]->name) = old[i];
  free(old);
}

/* Writes the name of a new field of [class] of the kind [kind], with a NUL, to
   [name]: the name of its kind, or, if another field has that, with a number
   after it.  Returns the free place for the field in the hash table.  Numbers of
   a kind only grow, so that the search takes the same time however many fields
   the class has. */
static struct trace_field **new_name(const struct trace_process *p,
                                     struct trace_class *class,
                                     struct trace_field_kind *kind,
                                     char name[TRACE_FIELD_NAME])
{
  struct trace_field **place;
  if (class->name_count >= class->name_room / 2) more_names(p, class);
  do {
    if (kind->last++ == 0) strcpy(name, kind->name);
    else snprintf(name, TRACE_FIELD_NAME, "%s_%" PRIu32, kind->name,
                  kind->last);
    place = name_place(p, class, name);
  } while (*place != NULL);
  class->name_count++;
  return place;
}

/* Sets the name, unit and [named_values] of the kind [kind] of fields of
   [class], of which the description in the file is [kind->is]. */
static void describe_kind(const struct trace_process *p,
                          const struct trace_class *class,
                          struct trace_field_kind *kind)
{
  uint8_t payload = class->description == NULL ? EVENTRING_PAYLOAD_NONE
                                               : class->description->payload;
  strcpy(kind->name, "value");
  if (class == p->classes[TRACE_LOST_ID])
    strcpy(kind->name, "events");
  else if (kind->is != NULL) {
    copy_name(kind->name, kind->is->name);
    memcpy(kind->unit, kind->is->unit, sizeof kind->unit);
    for (uint64_t value = 0; value < TRACE_VALUES; value++)
      if (eventring_value(p->cursor, kind->unit, value) != NULL)
        kind->named_values = true;
  } else if (payload == EVENTRING_PAYLOAD_TEXT
             || payload == EVENTRING_PAYLOAD_BYTES)
    strcpy(kind->name, "text");
  else if (class->description != NULL
           && (class->description->kind == EVENTRING_KIND_FLOW
               || class->description->kind == EVENTRING_KIND_REQUEST))
    strcpy(kind->name, "id");
  else if (class->unit[0] != '\0')
    copy_name(kind->name, class->unit);
}

/* Returns the kind of the field in word [word] of the payload of events of
   [class]; makes it if necessary.  Words that repeat have the same kind, so a
   class has few of them. */
static struct trace_field_kind *kind_of(const struct trace_process *p,
                                        struct trace_class *class,
                                        uint32_t word)
{
  const struct eventring_field *is = eventring_field(p->cursor, class->id,
                                                     word);
  struct trace_field_kind *kind = class->kinds;
  while (kind != NULL && kind->is != is) kind = kind->next;
  if (kind == NULL) {
    kind = allocate(1, sizeof *kind);
    kind->is = is;
    describe_kind(p, class, kind);
    kind->next = class->kinds;
    class->kinds = kind;
  }
  return kind;
}

/* Makes a field of the kind [kind] with the name [name]. */
static struct trace_field *make_field(struct trace *t,
                                      const struct trace_field_kind *kind,
                                      const char *name)
{
  struct trace_field *field = allocate(1, sizeof *field + strlen(name) + 1);
  field->number = ++t->fields;
  field->kind = kind;
  strcpy(field->name, name);
  return field;
}

/* Makes the field for word [word] of the payload of events of [class].  Its
   name differs from the names of the fields before it: a repeated name gets a
   number. */
static struct trace_field *new_field(struct trace_process *p,
                                     struct trace_class *class, uint32_t word)
{
  struct trace_field_kind *kind = kind_of(p, class, word);
  char name[TRACE_FIELD_NAME];
  struct trace_field **place = new_name(p, class, kind, name);
  *place = make_field(p->trace, kind, name);
  return *place;
}

/* Returns the field in word [word] of the payload of events of [class], word 0
   for a text; makes it if necessary.  Fields live as long as the trace. */
static struct trace_field *field_of(struct trace_process *p,
                                    struct trace_class *class, uint32_t word)
{
  if (word >= class->field_count) {
    uint32_t count = word < 8 ? 8 : 2 * word;
    struct trace_field **fields = allocate(count, sizeof *fields);
    if (class->field_count > 0)
      memcpy(fields, class->fields, class->field_count * sizeof *fields);
    free(class->fields);
    class->fields = fields;
    class->field_count = count;
  }
  if (class->fields[word] == NULL)
    class->fields[word] = new_field(p, class, word);
  return class->fields[word];
}

/* Arguments: a text, or an integer a word. */

uint32_t trace_arguments(const struct trace_event *e)
{
  return e->continued || e->text != NULL ? 1 : e->words;
}

struct trace_argument trace_argument(const struct trace_event *e, uint32_t i)
{
  struct trace_process *p = e->track->process;
  if (e->continued)
    return (struct trace_argument) { .field = p->trace->continued,
                                     .integer = 1 };
  struct trace_argument a = { .field = field_of(p, e->class, i) };
  if (e->text != NULL) {
    a.text = e->text;
    a.length = e->length;
    return a;
  }
  a.integer = (int64_t) e->event->payload[i];
  const struct trace_field_kind *kind = a.field->kind;
  if (kind->named_values) {
    a.text = eventring_value(p->cursor, kind->unit, (uint64_t) a.integer);
    if (a.text != NULL) a.length = strlen(a.text);
  } else if (a.integer > INT32_MAX && strcmp(kind->unit, "thread") == 0)
    a.integer = -1;               /* not a thread of the threads library */
  return a;
}

/* Tracks */

struct trace_ring {
  bool used;
  uint32_t domain;                /* that used it last */
  struct trace_track *track;      /* of the last event */
  int64_t last_ns;                /* its time */
};

#define TIDS (1u << 23)

/* Returns the number of a new track for viewers that number threads, and marks
   the number as taken: the system's id [thread], unless it is 0 or TIDS or more,
   or another track has this number, for a thread that has ended or of another
   machine.  Then returns a number that no thread has. */
static uint32_t unique_tid(struct trace *t, uint32_t thread)
{
  if (thread > 0 && thread < TIDS && !(t->tids[thread / 8] >> thread % 8 & 1)) {
    t->tids[thread / 8] |= (uint8_t) (1 << thread % 8);
    return thread;
  }
  return 1000000000 + t->tracks;
}

/* Makes a track with a number and a tid of its own for the thread [thread] of
   domain [domain].  It has no name, is not in the hash table, and is not
   written. */
static struct trace_track *new_track(struct trace_process *p, uint32_t domain,
                                     uint32_t thread)
{
  struct trace *t = p->trace;
  struct trace_track *track = allocate(1, sizeof *track);
  track->number = ++t->tracks;
  track->process = p;
  track->domain = domain;
  track->thread = thread;
  track->thread_id = -1;
  track->tid = unique_tid(t, thread);
  return track;
}

/* The domain of samples of a thread that has none. */
#define NO_DOMAIN UINT32_MAX

/* Sets the name of [track] from the present names of its domain, thread and
   class.  Returns whether the name has changed. */
static bool name_track(struct trace_track *track)
{
  struct trace_process *p = track->process;
  char name[sizeof track->name] = "stop_the_world";
  if (track->class != NULL) {
    char *end = stpcpy(stpcpy(name, track->thread_track->name), ": ");
    strcpy(end, track->class->name);
  } else if (track != p->stops && track->domain == NO_DOMAIN) {
    *put_decimal(stpcpy(name, "thread "), track->thread) = '\0';
  } else if (track != p->stops) {
    const char *domain = eventring_domain_name(p->cursor, track->domain);
    char *end = put_decimal(stpcpy(name, "domain "), track->domain);
    *end = '\0';
    if (domain != NULL) {
      *end++ = ' ';
      copy_name(end, domain);
      end = strchr(end, '\0');
    }
    const char *thread = eventring_thread_name(p->cursor, track->domain,
                                               track->thread,
                                               track->thread_id);
    if (thread != NULL && (domain == NULL || strcmp(domain, thread) != 0))
      copy_name(stpcpy(end, ": "), thread);
    else if (!track->first)
      *put_decimal(stpcpy(end, ": thread "), track->thread) = '\0';
  }
  if (strcmp(name, track->name) == 0) return false;
  strcpy(track->name, name);
  return true;
}

/* Sets the name of [track] and, if it has changed, writes the track to the
   trace, unless the format takes events as they are. */
static void tell_track(struct trace_track *track)
{
  struct trace *t = track->process->trace;
  if (name_track(track) && !t->format->raw) t->format->track(t, track);
}

/* Returns the second half of the key of a track in the table of tracks: [class]
   is NULL for the track of all spans of a thread, or the class of spans that
   continue in a track of their own. */
static uint64_t class_key(const struct trace_class *class)
{
  return class == NULL ? 0 : class->number;
}

static uint64_t thread_key(uint32_t domain, uint32_t thread)
{
  return (uint64_t) domain << 32 | thread;
}

/* Returns the track of the thread [thread] of domain [domain] and of [class], a
   class or NULL.  Returns NULL when there is no such track. */
static struct trace_track *find_track(const struct trace_process *p,
                                      uint32_t domain, uint32_t thread,
                                      const struct trace_class *class)
{
  if (p->track_count == 0) return NULL;
  uint32_t at = hash_get(&p->track_places, thread_key(domain, thread),
                         class_key(class));
  return at == 0 ? NULL : p->tracks[at - 1];
}

/* Doubles the room for tracks, from 0 to 1 << TRACKS_FIRST_BITS at first. */
#define TRACKS_FIRST_BITS 6
static void more_tracks(struct trace_process *p)
{
  struct hash_table old = p->track_places;
  int bits = p->track_room == 0 ? TRACKS_FIRST_BITS
                                : __builtin_ctz(p->track_room) + 1;
  p->track_room = UINT32_C(1) << bits;
  p->tracks = reallocate(p->tracks, p->track_room, sizeof *p->tracks);
  hash_init(&p->track_places, bits + 1,
            allocate((size_t) 2 << bits, sizeof *old.places));
  hash_copy(&p->track_places, &old);
  free(old.places);
}

/* Adds a new track of the thread [thread] of domain [domain] and of [class], a
   class or NULL, and returns it. */
static struct trace_track *add_track(struct trace_process *p, uint32_t domain,
                                     uint32_t thread,
                                     struct trace_class *class)
{
  struct trace_track *track = new_track(p, domain, thread);
  track->class = class;
  if (p->track_count == p->track_room) more_tracks(p);
  p->tracks[p->track_count] = track;
  hash_set(&p->track_places, thread_key(domain, thread), class_key(class),
           ++p->track_count);
  return track;
}

/* Returns the track of the thread that wrote [event]; makes and writes it if
   necessary.  Writes it again when the event is the first with the thread's id
   in the threads library. */
static struct trace_track *track_of(struct trace_process *p,
                                    const struct eventring_event *event)
{
  struct trace_ring *ring = &p->rings[event->ring];
  struct trace_track *track = ring->track;
  if (track == NULL || track->thread != event->thread
      || track->domain != event->domain) {
    track = find_track(p, event->domain, event->thread, NULL);
    if (track == NULL) {
      track = add_track(p, event->domain, event->thread, NULL);
      track->first = !ring->used || ring->domain != event->domain;
    }
    ring->track = track;
    ring->used = true;
    ring->domain = event->domain;
  }
  if (track->name[0] == '\0'
      || (track->thread_id < 0 && event->thread_id >= 0)) {
    track->thread_id = event->thread_id;
    tell_track(track);
  }
  return track;
}

/* Returns the track for events with the id [id] of the thread [thread] of
   domain [domain] that are not nested in the spans of the thread, which has a
   track; makes the track if there is none. */
static struct trace_track *side_track(struct trace_process *p, uint32_t domain,
                                      uint32_t thread, uint16_t id)
{
  struct trace_class *class = class_of(p, id);
  struct trace_track *track = find_track(p, domain, thread, class);
  if (track == NULL) {
    track = add_track(p, domain, thread, class);
    track->thread_track = find_track(p, domain, thread, NULL);
    track->tid = unique_tid(p->trace, 0);
    tell_track(track);
  }
  return track;
}

/* Returns the track for spans with the name and thread of [begin] that are not
   nested in the other spans of the thread; makes the track if there is none. */
static struct trace_track *side_track_of(struct trace_process *p,
                                         const struct eventring_event *begin)
{
  return side_track(p, begin->domain, begin->thread, begin->id);
}

/* Returns the track for stop-the-world sections; makes it if necessary. */
static struct trace_track *stops_of(struct trace_process *p)
{
  if (p->stops == NULL) {
    p->stops = new_track(p, UINT32_MAX, 0);
    tell_track(p->stops);
  }
  return p->stops;
}

/* Events */

/* Sets [words], [text] and [length] of [e] from its event, and writes it in the
   format of the trace.  All other fields are set by the caller. */
static void write_event(struct trace *t, struct trace_event *e)
{
  const struct eventring_description *d = e->class->description;
  e->words = e->event->words;
  if (d != NULL && d->payload == EVENTRING_PAYLOAD_PACKED
      && e->what == TRACE_BEGIN)
    e->words = 0;                 /* only the end of a span has fields */
  if (d != NULL && e->words > 0 && (d->payload == EVENTRING_PAYLOAD_TEXT
                                    || d->payload == EVENTRING_PAYLOAD_BYTES))
    e->text = eventring_event_bytes(e->event, &e->length);
  t->format->event(t, e);
}

/* Writes an event that is not in the file to [track]: an end of the span with
   the begin [begin], or a begin that repeats it, at the time [ns].  [what] is
   TRACE_END or TRACE_BEGIN. */
static void write_made_up(struct trace_process *p, struct trace_track *track,
                          enum trace_what what,
                          const struct eventring_event *begin, int64_t ns)
{
  struct eventring_event event = *begin;
  event.words = 0;
  write_event(p->trace, &(struct trace_event) {
    .what = what, .continued = what == TRACE_BEGIN, .ns = ns, .track = track,
    .class = class_of(p, begin->id), .event = &event
  });
}

/* Spans that are open in their thread's track, and have not been cut. */

struct trace_open {
  uint64_t number;                /* span_number */
  struct eventring_event begin;
};

/* Adds the span with the number [number] and the begin [begin] to the open
   spans of [track]. */
static void push(struct trace_track *track, uint64_t number,
                 const struct eventring_event *begin)
{
  if (track->open_count == track->open_room) {
    uint32_t room = track->open_room == 0 ? 8 : track->open_room * 2;
    struct trace_open *open = allocate(room, sizeof *open);
    if (track->open_count > 0)
      memcpy(open, track->open, track->open_count * sizeof *open);
    free(track->open);
    track->open = open;
    track->open_room = room;
  }
  track->open[track->open_count++] = (struct trace_open) { number, *begin };
}

/* Ends the open span with the begin [begin] in its track: with the event [e],
   with its track set here, or with an event that is made up if [e] is NULL; at
   [ns] in both cases.  Spans that began after it in the track end with it,
   continue in tracks of their own, and are counted as cut.  A span that was cut
   before ends in its own track. */
static void close_span(struct trace_process *p,
                       const struct eventring_event *begin,
                       struct trace_event *e, int64_t ns)
{
  struct trace_track *track = find_track(p, begin->domain, begin->thread,
                                         NULL);
  uint64_t number = span_number(begin);
  uint32_t count = track->open_count, outer = count;
  while (outer > 0 && track->open[outer - 1].number > number) outer--;
  bool is_there = outer > 0 && track->open[outer - 1].number == number;
  if (!is_there) {
    outer = count;
    track = side_track_of(p, begin);
  }
  for (uint32_t i = count; i > outer; i--)
    write_made_up(p, track, TRACE_END, &track->open[i - 1].begin, ns);
  if (e != NULL) {
    e->track = track;
    write_event(p->trace, e);
  } else {
    write_made_up(p, track, TRACE_END, begin, ns);
  }
  track->last_since = begin->ns;
  track->last_ns = ns;
  if (!is_there) return;
  for (uint32_t i = outer; i < count; i++) {
    const struct eventring_event *inner = &track->open[i].begin;
    write_made_up(p, side_track_of(p, inner), TRACE_BEGIN, inner, ns);
    p->trace->cut++;
  }
  track->open_count = outer - 1;
}

/* The function that spans.h calls for each span with an end that will not be
   found; [state] is the process.  Closes the span with the begin [begin] at the
   last time of its ring, and counts it as closed. */
static void given_up(void *state, const struct eventring_event *begin)
{
  struct trace_process *p = state;
  p->trace->closed++;
  close_span(p, begin, NULL, p->rings[begin->ring].last_ns);
}

/* Writes the end [e] of a span, or counts it as dropped if its begin is not
   known.  To be called before span_ended for the event. */
static void end_span(struct trace_process *p, struct trace_event *e)
{
  const struct eventring_event *begin = begin_of(p->spans, e->event);
  if (begin != NULL) close_span(p, begin, e, e->ns);
  else p->trace->dropped++;
}

/* Returns the kind of [event] of the class [class] in the trace.  An event
   without the payload that its kind needs is an instant. */
static enum trace_what what_is(const struct eventring_event *event,
                               const struct trace_class *class)
{
  uint8_t kind = class->description == NULL ? 0 : class->description->kind;
  bool flow = kind == EVENTRING_KIND_FLOW;
  bool request = kind == EVENTRING_KIND_REQUEST;
  if ((flow || request) && event->words == 0) return TRACE_INSTANT;
  if (request && event->form <= EVENTRING_EV_END)
    return event->form == EVENTRING_EV_BEGIN ? TRACE_REQUEST_BEGIN
                                             : TRACE_REQUEST_END;
  switch (event->form) {
  case EVENTRING_EV_OPEN: return TRACE_BEGIN;
  case EVENTRING_EV_BEGIN: return flow ? TRACE_FLOW_BEGIN : TRACE_BEGIN;
  case EVENTRING_EV_END: return flow ? TRACE_FLOW_END : TRACE_END;
  case EVENTRING_EV_COUNTER:
    return event->words > 0 ? TRACE_COUNTER : TRACE_INSTANT;
  case EVENTRING_EV_LOST: return TRACE_LOST;
  default:
    return flow ? TRACE_FLOW_STEP
           : kind == EVENTRING_KIND_COMPLETE && event->words > 0
             ? TRACE_COMPLETE : TRACE_INSTANT;
  }
}

/* Writes the complete event [e] as a slice of its track, or of the track for
   stops, from [e->since] to [e->ns].  Moves [e->since] forward if the slice
   would not be nested in the other slices. */
static void write_complete(struct trace_process *p, struct trace_event *e)
{
  struct trace_track *track = e->track;
  if (e->event->id == p->stop_id) {
    e->track = track = stops_of(p);
  } else if (track->open_count > 0) {
    int64_t begun = track->open[track->open_count - 1].begin.ns;
    if (e->since < begun) e->since = begun;
  }
  if (e->since > track->last_since && e->since < track->last_ns)
    e->since = track->last_ns;
  if (e->since < 0) e->since = 0;
  if (e->since > e->ns) e->since = e->ns;
  track->last_since = e->since;
  track->last_ns = e->ns;
  write_event(p->trace, e);
}

/* Writes [run] as a slice of the track for runs of its thread.  The slice has
   the name of the request and its number. */
static void write_run(void *state, const struct ended_run *run)
{
  struct trace_process *p = state;
  uint16_t run_id = (uint16_t) p->run_id;
  struct eventring_event event = {
    .ns = run->end_ns, .payload = &run->number, .words = 1,
    .domain = run->domain, .thread = run->thread,
    .id = run->id != 0 ? run->id : run_id
  };
  struct trace_event e = {
    .what = TRACE_COMPLETE, .class = class_of(p, event.id), .event = &event,
    .track = side_track(p, run->domain, run->thread, run_id),
    .since = run->begin_ns > 0 ? run->begin_ns : 0,
    .ns = run->end_ns > 0 ? run->end_ns : 0
  };
  write_event(p->trace, &e);
}

/* Writes the event [e] of a request.  Its runs are written where they end, in
   place of the events that say so; an end without a known begin counts as
   dropped. */
static void write_request(struct trace_process *p, struct trace_event *e)
{
  struct ended_request ended;
  bool known = request_ended(p->requests, e->event, &ended);
  if (known) e->request = &ended;
  if (e->what == TRACE_INSTANT)
    e->track->request = e->event->words > 0 ? e->event->payload[0] : 0;
  if (e->what == TRACE_REQUEST_END && !known) p->trace->dropped++;
  else if (e->what != TRACE_INSTANT) write_event(p->trace, e);
  e->request = NULL;
}

/* Writes the sample [e]: an instant without the frames, and a sample with its
   stack. */
static void write_sample(struct trace_process *p, const struct trace_event *e)
{
  struct trace *t = p->trace;
  struct eventring_event event = *e->event;
  struct trace_event sample = *e;
  if (p->symbols == NULL) p->symbols = new_symbols(p->cursor, t->say, NULL);
  sample.stack = trace_stack_of(t->stacks, p->cursor, p->symbols, e->event);
  event.words = SAMPLE_FIRST_FRAME;
  sample.event = &event;
  write_event(t, &sample);
  if (sample.stack != 0) t->format->sample(t, &sample);
}

/* Copies the sample [event] of [kind] without its frames to [copy] and returns
   [copy]: viewers would show each frame as a field of its own. */
static const struct eventring_event *without_frames(
  struct eventring_event *copy, const struct eventring_event *event,
  enum sample_kind kind)
{
  *copy = *event;
  copy->words = first_frame(kind);
  return copy;
}

void trace_event(void *state, const struct eventring_event *event)
{
  struct trace_process *p = state;
  struct trace *t = p->trace;
  struct eventring_event short_event;
  if (event->form == EVENTRING_EV_CONTROL_CHANGED) {
    forget_spans(p->spans);
    forget_runs(p->requests);
    return;
  }
  if (event->ring >= p->info.rings) return;
  const enum sample_kind kind = sample_kind(p->samples, event);
  if (kind != CPU_SAMPLE && first_frame(kind) > 0 && !t->format->raw)
    event = without_frames(&short_event, event, kind);
  struct trace_ring *ring = &p->rings[event->ring];
  bool lost = event->form == EVENTRING_EV_LOST;
  struct trace_event e = {
    .class = class_of(p, lost ? TRACE_LOST_ID : event->id), .event = event,
    .track = track_of(p, event),
    /* Time does not go back, even in a damaged file. */
    .ns = event->ns > ring->last_ns ? event->ns : ring->last_ns
  };
  e.what = what_is(event, e.class);
  if (!lost) t->events++;

  if (t->format->raw)
    write_event(t, &e);
  else if (e.what == TRACE_REQUEST_BEGIN || e.what == TRACE_REQUEST_END
           || (e.what == TRACE_INSTANT && event->id == p->run_id))
    write_request(p, &e);
  else if (e.what == TRACE_INSTANT && kind == CPU_SAMPLE)
    write_sample(p, &e);
  else if (e.what == TRACE_END) {
    end_span(p, &e);
    span_ended(p->spans, event, &e.since);
  } else {
    struct ended_request ended;
    if (!span_ended(p->spans, event, &e.since)) e.since = e.ns;
    request_ended(p->requests, event, &ended);
    if (e.what == TRACE_BEGIN) {
      const struct eventring_event *begin = innermost_span(p->spans,
                                                           event->ring);
      push(e.track, span_number(begin), begin);
    }
    if (e.what == TRACE_COMPLETE)
      write_complete(p, &e);
    else
      write_event(t, &e);
  }
  ring->last_ns = e.ns;
}

bool trace_pass(void *state, bool idle)
{
  struct trace *t = state;
  if (idle && t->sink != NULL) sink_flush(t->sink);
  if (idle && t->format->idle != NULL) t->format->idle(t);
  if (t->sink != NULL && t->sink->error != 0) t->failed = true;
  return !t->failed;
}

/* The processes */

/* Returns [pid], or a number above it that no other process of the trace
   has. */
static uint32_t unique_pid(struct trace *t, uint32_t pid)
{
  for (int i = 0; i < t->process_count; i++)
    if (t->processes[i].pid == pid) return unique_pid(t, pid + 10000000);
  return pid;
}

/* Returns the last part of [path]; all of [path] if it has no slash or ends
   with one. */
static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* Adds the process of [cursor] to the trace.  [t->processes] must have room. */
static void add_process(struct trace *t, struct eventring_cursor *cursor)
{
  struct trace_process *p = &t->processes[t->process_count];
  p->trace = t;
  p->cursor = cursor;
  p->info = target_info(cursor);
  p->pid = unique_pid(t, p->info.pid);
  p->number = (uint32_t) ++t->process_count;
  copy_name(p->name, base_name(p->info.program));
  if (p->name[0] == '\0')         /* stock OCaml's files do not say it */
    snprintf(p->name, sizeof p->name, "process %" PRIu32, p->pid);
  for (uint32_t bit = 0; bit < TRACE_CATEGORIES; bit++) {
    const char *name = bit < TRACE_CATEGORIES - 1
                       ? eventring_category(p->cursor, bit) : NULL;
    if (name != NULL) copy_name(p->categories[bit], name);
  }
  p->classes = allocate(TRACE_LOST_ID + 1, sizeof *p->classes);
  p->rings = allocate(p->info.rings, sizeof *p->rings);
  p->spans = new_spans(p->cursor);
  memcpy(&p->seed, (const void *) getauxval(AT_RANDOM), sizeof p->seed);
  p->seed |= 1;
  p->requests = new_requests(p->cursor);
  watch_given_up(p->spans, given_up, p);
  watch_runs(p->requests, write_run, p);
  p->run_id = eventring_find(p->cursor, "request_run");
  p->stop_id = eventring_find(p->cursor, "stop_the_world");
  p->samples = new_samples(p->cursor);
}

/* Writes all tracks in the hash table that have another name than when they
   were written. */
static void tell_new_names(struct trace_process *p)
{
  for (uint32_t i = 0; i < p->track_count; i++) tell_track(p->tracks[i]);
}

void begin_trace(struct trace *t, struct eventring_cursor *const *cursors,
                 int count)
{
  t->processes = allocate((size_t) count, sizeof *t->processes);
  t->tids = allocate(1, TIDS / 8);
  static const struct trace_field_kind no_kind = { .is = NULL };
  t->continued = make_field(t, &no_kind, "continued");
  if (!t->format->raw) t->stacks = new_trace_stacks();
  for (int i = 0; i < count; i++) add_process(t, cursors[i]);
  t->base_ns = t->processes[0].info.started_ns;
  t->format->start(t);
}

void end_trace(struct trace *t)
{
  for (int i = 0; i < t->process_count; i++) {
    if (!t->format->raw) forget_spans(t->processes[i].spans);
    tell_new_names(&t->processes[i]);
  }
  t->format->finish(t);
}

/* Memory */

static void free_field(struct trace_field *field)
{
  free(field->form);
  free(field);
}

static void free_class(const struct trace *t, struct trace_class *class)
{
  if (t->format->free_class != NULL && class->form != NULL)
    t->format->free_class(class);
  else
    free(class->form);
  for (uint32_t i = 0; i < class->name_room; i++)
    if (class->names[i] != NULL) free_field(class->names[i]);
  for (struct trace_field_kind *kind = class->kinds; kind != NULL; ) {
    struct trace_field_kind *next = kind->next;
    free(kind);
    kind = next;
  }
  free(class->names);
  free(class->fields);
  free(class);
}

static void free_track(struct trace_track *track)
{
  if (track == NULL) return;
  free(track->form);
  free(track->open);
  free(track);
}

static void free_process(struct trace_process *p)
{
  for (struct trace_class *class = p->last_class; class != NULL; ) {
    struct trace_class *before = class->before;
    free_class(p->trace, class);
    class = before;
  }
  for (uint32_t i = 0; i < p->track_count; i++) free_track(p->tracks[i]);
  free_track(p->stops);
  if (p->symbols != NULL) free_symbols(p->symbols);
  free_spans(p->spans);
  free_requests(p->requests);
  free_samples(p->samples);
  free(p->track_places.places);
  free(p->tracks);
  free(p->rings);
  free(p->classes);
}

void free_trace(struct trace *t)
{
  for (int i = 0; i < t->process_count; i++) free_process(&t->processes[i]);
  if (t->format->free != NULL) t->format->free(t);
  else free(t->form);
  free_trace_stacks(t->stacks);
  free_field(t->continued);
  free(t->tids);
  free(t->processes);
}
