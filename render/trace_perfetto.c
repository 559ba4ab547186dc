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

/* Perfetto's format: protocol buffers, TracePackets one after the other.

   All packets are of one sequence.  Names of events, categories and arguments
   are interned: the packet that uses one first defines it.  Tracks form a tree:
   a process has threads and counters, and a domain, which is a track of its own
   without events, has the counters of the runtime.  Each request has a track of
   its own, which viewers show together with those of the same name.

   A sample is an instant, for its values, and a PerfSample with its stack.  A
   PerfSample has no weight of its own: it has a counter, here of the processor
   time of all samples up to it. */

#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "protobuf.h"
#include "text.h"
#include "trace.h"

/* Field numbers of the public schema, by message. */
enum { TRACE_PACKET = 1 };
enum {
  PACKET_CLOCK_SNAPSHOT = 6, PACKET_TIMESTAMP = 8, PACKET_SEQUENCE_ID = 10,
  PACKET_TRACK_EVENT = 11, PACKET_INTERNED_DATA = 12,
  PACKET_SEQUENCE_FLAGS = 13, PACKET_DEFAULTS = 59,
  PACKET_TRACK_DESCRIPTOR = 60, PACKET_PERF_SAMPLE = 66
};
enum { CLEARED = 1, NEEDS_STATE = 2 };          /* sequence flags */
enum { DEFAULTS_PERF_SAMPLE = 12, DEFAULTS_CLOCK_ID = 58 };
enum { PERF_DEFAULTS_TIMEBASE = 1, TIMEBASE_NAME = 10 };
enum {
  PERF_PID = 2, PERF_TID = 3, PERF_CALLSTACK_IID = 4,
  PERF_TIMEBASE_COUNT = 6
};
enum { SNAPSHOT_CLOCKS = 1, SNAPSHOT_PRIMARY = 2 };
enum { CLOCK_ID = 1, CLOCK_TIMESTAMP = 2 };
enum { REALTIME = 1, MONOTONIC = 3, BOOTTIME = 6 };
enum { INTERNED_CATEGORIES = 1, INTERNED_EVENTS = 2, INTERNED_ARGUMENTS = 3 };
enum {
  INTERNED_FUNCTIONS = 5, INTERNED_FRAMES = 6, INTERNED_CALLSTACKS = 7,
  INTERNED_BUILD_IDS = 16, INTERNED_PATHS = 17, INTERNED_MAPPINGS = 19
};
enum { INTERNED_IID = 1, INTERNED_NAME = 2 };
enum { FRAME_FUNCTION = 2, FRAME_MAPPING = 3, FRAME_REL_PC = 4 };
enum { CALLSTACK_FRAMES = 2 };
enum {
  MAPPING_BUILD_ID = 2, MAPPING_START = 4, MAPPING_END = 5, MAPPING_PATH = 7,
  MAPPING_OFFSET = 8
};
enum {
  EVENT_CATEGORY_IIDS = 3, EVENT_ARGUMENTS = 4, EVENT_TYPE = 9,
  EVENT_NAME_IID = 10, EVENT_TRACK = 11, EVENT_NAME = 23,
  EVENT_COUNTER_VALUE = 30, EVENT_FLOW = 47, EVENT_FLOW_END = 48
};
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };
enum { ARGUMENT_NAME_IID = 1, ARGUMENT_INT = 4, ARGUMENT_STRING = 6 };
enum {
  TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4,
  TRACK_PARENT = 5, TRACK_COUNTER = 8
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { COUNTER_UNIT = 3, COUNTER_UNIT_NAME = 6 };
enum { UNIT_TIME_NS = 1, UNIT_COUNT = 2, UNIT_SIZE_BYTES = 3 };

/* Packets.  Interned data that is waiting goes with the next one. */

struct state {
  bool *categories;               /* those defined, by process and bit */
  struct message packet, event, interned, inner;
  uint64_t cpu_ns;                /* of the samples so far */
  struct pair_map mappings;       /* by process and index */
  char text[TRACE_UTF8];          /* of an argument */
};

/* Writes a packet with the field [field] and its content [content], and the
   interned data that is waiting.  [ns] is the time of the packet; it has none
   if [ns] is negative.  Overwrites [packet] of the state. */
static void write_packet(struct trace *t, uint32_t field,
                         const struct message *content, int64_t ns)
{
  struct state *s = t->form;
  struct message *packet = &s->packet;
  clear_message(packet);
  if (ns >= 0) add_number(packet, PACKET_TIMESTAMP, (uint64_t) ns);
  add_number(packet, PACKET_SEQUENCE_ID, 1);
  if (message_size(&s->interned) > 0)
    move_message(packet, PACKET_INTERNED_DATA, &s->interned);
  add_message(packet, field, content);
  add_number(packet, PACKET_SEQUENCE_FLAGS, NEEDS_STATE);
  size_t length = message_size(packet);
  char *out = sink_room(t->sink, 2 * VARINT);
  out = put_varint(put_varint(out, TRACE_PACKET << 3 | 2), length);
  sink_filled(t->sink, out);
  sink_write(t->sink, packet->bytes, length);
}

/* Adds the name [name] with the number [iid] to the interned data that is
   waiting.  [kind] is the field of the kind of name: INTERNED_CATEGORIES or the
   like.  Overwrites [inner] of the state. */
static void intern(struct state *s, uint32_t kind, uint64_t iid,
                   const char *name)
{
  clear_message(&s->inner);
  add_number(&s->inner, INTERNED_IID, iid);
  add_text(&s->inner, INTERNED_NAME, name);
  add_message(&s->interned, kind, &s->inner);
}

/* Tracks.  The last two bits of a uuid tell its kind. */

static uint64_t process_uuid(const struct trace_process *p)
{
  return (uint64_t) p->number << 2;
}

static uint64_t track_uuid(const struct trace_track *track)
{
  return (uint64_t) track->number << 2 | 1;
}

static uint64_t domain_uuid(const struct trace_track *track)
{
  return ((uint64_t) track->process->number << 32 | track->domain) << 2 | 2;
}

/* Returns the uuid of the track of the request of [e], which has it alone.  It
   is larger than those of processes. */
static uint64_t request_uuid(const struct trace_event *e)
{
  return trace_flow(e) << 2;
}

/* Returns the uuid of the counter of [e].  A counter of the program has one
   uuid for all domains, a counter of the runtime has one for each domain. */
static uint64_t counter_uuid(const struct trace_event *e)
{
  uint64_t of = e->class->user ? 0 : (uint64_t) e->track->domain + 1;
  return (of << 28 | e->class->number) << 2 | 3;
}

/* Writes the descriptor of the track [uuid].  [parent] is the uuid of its
   parent, or 0; [name] may be NULL.  [what] is NULL or the content of the field
   [field]; it must not be [event] of the state, which is overwritten. */
static void write_descriptor(struct trace *t, uint64_t uuid, uint64_t parent,
                             const char *name, uint32_t field,
                             const struct message *what)
{
  struct message *track = &((struct state *) t->form)->event;
  clear_message(track);
  add_number(track, TRACK_UUID, uuid);
  if (parent != 0) add_number(track, TRACK_PARENT, parent);
  if (name != NULL) add_text(track, TRACK_NAME, name);
  if (what != NULL) add_message(track, field, what);
  write_packet(t, PACKET_TRACK_DESCRIPTOR, track, -1);
}

/* Writes the descriptor of the track of process [p]. */
static void write_process(struct trace *t, const struct trace_process *p)
{
  struct message *process = &((struct state *) t->form)->inner;
  clear_message(process);
  add_number(process, PROCESS_PID, p->pid);
  add_text(process, PROCESS_NAME, p->name);
  write_descriptor(t, process_uuid(p), 0, NULL, TRACK_PROCESS, process);
}

/* The function [track] of the format: writes the descriptor of [track]. */
static void write_track(struct trace *t, struct trace_track *track)
{
  const struct trace_process *p = track->process;
  if (track == p->stops || track->class != NULL) {
    write_descriptor(t, track_uuid(track), process_uuid(p), track->name, 0,
                     NULL);
    return;
  }
  struct message *thread = &((struct state *) t->form)->inner;
  clear_message(thread);
  add_number(thread, THREAD_PID, p->pid);
  add_number(thread, THREAD_TID, track->tid);
  add_text(thread, THREAD_NAME, track->name);
  write_descriptor(t, track_uuid(track), process_uuid(p), NULL, TRACK_THREAD,
                   thread);
}

/* Writes the descriptor of the track of the counter [e]; for a counter of the
   runtime, also the descriptor of its domain, which is its parent. */
static void write_counter_track(struct trace *t, const struct trace_event *e)
{
  struct message *counter = &((struct state *) t->form)->inner;
  const char *unit = e->class->unit;
  uint64_t parent = process_uuid(e->track->process);
  if (!e->class->user) {
    char name[32];
    *put_decimal(stpcpy(name, "domain "), e->track->domain) = '\0';
    write_descriptor(t, domain_uuid(e->track), parent, name, 0, NULL);
    parent = domain_uuid(e->track);
  }
  clear_message(counter);
  if (strcmp(unit, "ns") == 0)
    add_number(counter, COUNTER_UNIT, UNIT_TIME_NS);
  else if (strcmp(unit, "bytes") == 0)
    add_number(counter, COUNTER_UNIT, UNIT_SIZE_BYTES);
  else {
    add_number(counter, COUNTER_UNIT, UNIT_COUNT);
    if (unit[0] != '\0') add_text(counter, COUNTER_UNIT_NAME, unit);
  }
  write_descriptor(t, counter_uuid(e), parent, e->class->name, TRACK_COUNTER,
                   counter);
}

/* Events */

/* The parts of a class that are already in the trace: its name, and its counter
   in [domains], with the domain of the last event first. */
struct form {
  bool named;
  uint32_t count, room;
  uint32_t *domains;
};

/* Returns the form of [class]; makes it at the first call. */
static struct form *form_of(struct trace_class *class)
{
  if (class->form == NULL) class->form = allocate(1, sizeof(struct form));
  return class->form;
}

/* Writes the track of the counter [e] if it is not in the trace yet.
   Overwrites [event] and [inner] of the state. */
static void need_counter_track(struct trace *t, const struct trace_event *e)
{
  struct form *form = form_of(e->class);
  uint32_t domain = e->class->user ? 0 : e->track->domain, at = 0;
  while (at < form->count && form->domains[at] != domain) at++;
  if (at == form->count) {
    if (form->count == form->room) {
      uint32_t room = form->room == 0 ? 16 : form->room * 2;
      uint32_t *domains = allocate(room, sizeof *domains);
      if (at > 0) memcpy(domains, form->domains, at * sizeof *domains);
      free(form->domains);
      form->domains = domains;
      form->room = room;
    }
    write_counter_track(t, e);
    form->count++;
  }
  memmove(form->domains + 1, form->domains, at * sizeof *form->domains);
  form->domains[0] = domain;
}

/* Adds the category and the name of [e] to [event] of the state; adds those
   that are not in the trace yet to the interned data. */
static void need_names(struct state *s, const struct trace_event *e)
{
  const struct trace_process *p = e->track->process;
  uint32_t category = (p->number - 1) * TRACE_CATEGORIES + e->class->category;
  if (!form_of(e->class)->named) {
    form_of(e->class)->named = true;
    intern(s, INTERNED_EVENTS, e->class->number, e->class->name);
  }
  if (!s->categories[category]) {
    s->categories[category] = true;
    intern(s, INTERNED_CATEGORIES, category + 1,
           p->categories[e->class->category]);
  }
  add_number(&s->event, EVENT_CATEGORY_IIDS, category + 1);
  add_number(&s->event, EVENT_NAME_IID, e->class->number);
}

/* Adds the argument [a] to [event] of the state, and its name to the interned
   data if it is not in the trace yet.  Overwrites [inner] and [text] of the
   state. */
static void add_argument(struct state *s, const struct trace_argument *a)
{
  struct message *inner = &s->inner;
  if (!a->field->written) {
    a->field->written = true;
    intern(s, INTERNED_ARGUMENTS, a->field->number, a->field->name);
  }
  clear_message(inner);
  add_number(inner, ARGUMENT_NAME_IID, a->field->number);
  if (a->text == NULL)
    add_number(inner, ARGUMENT_INT, (uint64_t) a->integer);
  else
    add_bytes(inner, ARGUMENT_STRING, s->text,
              copy_as_utf8(s->text, a->text, a->length));
  add_message(&s->event, EVENT_ARGUMENTS, inner);
}

static void add_arguments(struct state *s, const struct trace_event *e)
{
  uint32_t count = trace_arguments(e);
  for (uint32_t i = 0; i < count; i++) {
    struct trace_argument a = trace_argument(e, i);
    add_argument(s, &a);
  }
}

/* Begins [event] of the state anew, with the type [type], such as SLICE_BEGIN,
   and the track of [e], or its counter if [type] is COUNTER. */
static void begin_event(struct state *s, const struct trace_event *e,
                        uint64_t type)
{
  uint64_t uuid = e->what == TRACE_REQUEST_BEGIN || e->what == TRACE_REQUEST_END
                  ? request_uuid(e)
                  : type == COUNTER ? counter_uuid(e) : track_uuid(e->track);
  clear_message(&s->event);
  add_number(&s->event, EVENT_TYPE, type);
  add_number(&s->event, EVENT_TRACK, uuid);
}

/* Adds the name of a report of lost events, with their number, to [event] of
   the state. */
static void add_lost_name(struct state *s, const struct trace_event *e)
{
  char name[64] = "lost ";
  char *end = put_decimal(strchr(name, '\0'),
                          e->words > 0 ? e->event->payload[0] : 0);
  strcpy(end, " events");
  add_text(&s->event, EVENT_NAME, name);
}

/* The function [event] of the format.  A complete event is a begin and an
   end. */
static void write_event(struct trace *t, const struct trace_event *e)
{
  static const uint8_t types[] = {
    [TRACE_BEGIN] = SLICE_BEGIN, [TRACE_END] = SLICE_END,
    [TRACE_COMPLETE] = SLICE_BEGIN, [TRACE_COUNTER] = COUNTER,
    [TRACE_INSTANT] = INSTANT, [TRACE_FLOW_BEGIN] = INSTANT,
    [TRACE_FLOW_STEP] = INSTANT, [TRACE_FLOW_END] = INSTANT,
    [TRACE_REQUEST_BEGIN] = SLICE_BEGIN, [TRACE_REQUEST_END] = SLICE_END,
    [TRACE_LOST] = INSTANT
  };
  struct state *s = t->form;
  if (e->what == TRACE_REQUEST_BEGIN)
    write_descriptor(t, request_uuid(e), process_uuid(e->track->process),
                     e->class->name, 0, NULL);
  if (e->what == TRACE_COUNTER) need_counter_track(t, e);
  begin_event(s, e, types[e->what]);
  switch (e->what) {
  case TRACE_END:
  case TRACE_REQUEST_END: break;
  case TRACE_LOST: add_lost_name(s, e); break;
  case TRACE_COUNTER:
    add_number(&s->event, EVENT_COUNTER_VALUE, e->event->payload[0]);
    break;
  case TRACE_FLOW_BEGIN:
  case TRACE_FLOW_STEP:
    need_names(s, e);
    add_fixed(&s->event, EVENT_FLOW, trace_flow(e));
    break;
  case TRACE_FLOW_END:
    need_names(s, e);
    add_fixed(&s->event, EVENT_FLOW_END, trace_flow(e));
    break;
  default: need_names(s, e);
  }
  if (e->what != TRACE_COUNTER) add_arguments(s, e);
  write_packet(t, PACKET_TRACK_EVENT, &s->event,
               e->what == TRACE_COMPLETE ? e->since : e->ns);
  if (e->what != TRACE_COMPLETE) return;
  begin_event(s, e, SLICE_END);
  write_packet(t, PACKET_TRACK_EVENT, &s->event, e->ns);
}

/* Samples */

/* Adds [length] bytes of [text] with the number [iid] to the interned data that
   is waiting, as intern does; at most TRACE_TEXT of them, and as UTF-8 if
   [is_text] is true.  Overwrites [inner] and [text] of the state. */
static void intern_bytes(struct state *s, uint32_t kind, uint64_t iid,
                         const void *text, size_t length, bool is_text)
{
  if (length > TRACE_TEXT) length = TRACE_TEXT;
  clear_message(&s->inner);
  add_number(&s->inner, INTERNED_IID, iid);
  if (is_text)
    add_bytes(&s->inner, INTERNED_NAME, s->text,
              copy_as_utf8(s->text, text, length));
  else
    add_bytes(&s->inner, INTERNED_NAME, text, length);
  add_message(&s->interned, kind, &s->inner);
}

/* Sets *index to the number of the mapping of process [p] that has [address],
   and returns the mapping; sets it to UINT32_MAX and returns an empty mapping
   when there is none. */
static const struct eventring_mapping *find_mapping(
  const struct trace_process *p, uint64_t address, uint32_t *index)
{
  static const struct eventring_mapping none = { .path = "[unknown]" };
  const struct eventring_mapping *found = &none, *m;
  *index = UINT32_MAX;
  for (uint32_t i = 0; (m = eventring_mapping(p->cursor, i)) != NULL; i++)
    if (address >= m->start && address - m->start < m->length) {
      found = m;
      *index = i;
    }
  return found;
}

/* Returns the number of [mapping], which has the number [index] in process [p];
   adds it to the interned data if it is not in the trace yet. */
static uint64_t need_mapping(struct state *s, const struct trace_process *p,
                             const struct eventring_mapping *mapping,
                             uint32_t index)
{
  bool added;
  uint64_t iid = (uint64_t) number_of_pair(&s->mappings, p->number, index,
                                           &added) + 1;
  if (!added) return iid;
  intern_bytes(s, INTERNED_BUILD_IDS, iid, mapping->build_id,
               mapping->build_id_size, false);
  intern_bytes(s, INTERNED_PATHS, iid, mapping->path, strlen(mapping->path),
               true);
  clear_message(&s->inner);
  add_number(&s->inner, INTERNED_IID, iid);
  add_number(&s->inner, MAPPING_BUILD_ID, iid);
  add_number(&s->inner, MAPPING_START, mapping->start);
  add_number(&s->inner, MAPPING_END, mapping->start + mapping->length);
  add_number(&s->inner, MAPPING_PATH, iid);
  add_number(&s->inner, MAPPING_OFFSET, mapping->offset);
  add_message(&s->interned, INTERNED_MAPPINGS, &s->inner);
  return iid;
}

/* Adds the frame of the place numbered [number] to the interned data if it is
   not in the trace yet. */
static void need_frame(struct trace *t, const struct trace_process *p,
                       uint32_t number)
{
  struct state *s = t->form;
  struct trace_place *place = &t->stacks->places[number];
  uint32_t index;
  if (place->written) return;
  place->written = true;
  const struct eventring_mapping *mapping = find_mapping(p, place->address,
                                                         &index);
  uint64_t iid = need_mapping(s, p, mapping, index);
  intern_bytes(s, INTERNED_FUNCTIONS, number, place->frame.function,
               strlen(place->frame.function), true);
  clear_message(&s->inner);
  add_number(&s->inner, INTERNED_IID, number);
  add_number(&s->inner, FRAME_FUNCTION, number);
  add_number(&s->inner, FRAME_MAPPING, iid);
  add_number(&s->inner, FRAME_REL_PC,
             place->address - mapping->start + mapping->offset);
  add_message(&s->interned, INTERNED_FRAMES, &s->inner);
}

/* Adds the stack numbered [number] to the interned data if it is not in the
   trace yet.  Overwrites [event] of the state. */
static void need_stack(struct trace *t, const struct trace_process *p,
                       uint32_t number)
{
  struct state *s = t->form;
  struct trace_stack *stacks = t->stacks->stacks;
  uint32_t depth = 0;
  if (stacks[number].written) return;
  stacks[number].written = true;
  for (uint32_t at = number; at != 0; at = stacks[at].parent) {
    need_frame(t, p, stacks[at].place);
    depth++;
  }
  /* The format wants the outermost function first. */
  uint32_t *path = allocate(depth, sizeof *path);
  for (uint32_t at = number, i = depth; at != 0; at = stacks[at].parent)
    path[--i] = stacks[at].place;
  clear_message(&s->event);
  add_number(&s->event, INTERNED_IID, number);
  for (uint32_t i = 0; i < depth; i++)
    add_number(&s->event, CALLSTACK_FRAMES, path[i]);
  add_message(&s->interned, INTERNED_CALLSTACKS, &s->event);
  free(path);
}

/* The function [sample] of the format. */
static void write_sample(struct trace *t, const struct trace_event *e)
{
  struct state *s = t->form;
  need_stack(t, e->track->process, e->stack);
  s->cpu_ns += e->event->payload[SAMPLE_WEIGHT];
  clear_message(&s->event);
  add_number(&s->event, PERF_PID, e->track->process->pid);
  add_number(&s->event, PERF_TID, e->track->tid);
  add_number(&s->event, PERF_CALLSTACK_IID, e->stack);
  add_number(&s->event, PERF_TIMEBASE_COUNT, s->cpu_ns);
  write_packet(t, PACKET_PERF_SAMPLE, &s->event, e->ns);
}

/* The beginning: the sequence's state is clear, times are CLOCK_MONOTONIC, with
   the corresponding time of the wall clock. */

/* Adds the time [ns] of the clock [clock] to the snapshot in [event] of the
   state. */
static void add_clock(struct state *s, uint64_t clock, int64_t ns)
{
  clear_message(&s->inner);
  add_number(&s->inner, CLOCK_ID, clock);
  add_number(&s->inner, CLOCK_TIMESTAMP, (uint64_t) ns);
  add_message(&s->event, SNAPSHOT_CLOCKS, &s->inner);
}

/* Writes the packet with the times of the clocks when tracing started. */
static void write_clocks(struct trace *t)
{
  struct state *s = t->form;
  const struct eventring_info *info = &t->processes[0].info;
  clear_message(&s->event);
  add_clock(s, MONOTONIC, info->started_ns);
  /* Readers that know no other clock for a trace want this one.  It differs
     by how long the machine has slept, which the file does not say. */
  add_clock(s, BOOTTIME, info->started_ns);
  if (info->started_realtime_ns > 0)
    add_clock(s, REALTIME, info->started_realtime_ns);
  add_number(&s->event, SNAPSHOT_PRIMARY, MONOTONIC);
  write_packet(t, PACKET_CLOCK_SNAPSHOT, &s->event, -1);
}

/* Writes the first packet, which clears the state of the sequence and sets its
   clock and the name of the counter of samples. */
static void write_defaults(struct trace *t)
{
  struct state *s = t->form;
  clear_message(&s->event);
  add_text(&s->event, TIMEBASE_NAME, "cpu_time");
  clear_message(&s->packet);
  add_message(&s->packet, PERF_DEFAULTS_TIMEBASE, &s->event);
  clear_message(&s->inner);
  add_message(&s->inner, DEFAULTS_PERF_SAMPLE, &s->packet);
  add_number(&s->inner, DEFAULTS_CLOCK_ID, MONOTONIC);
  clear_message(&s->event);
  add_number(&s->event, PACKET_SEQUENCE_ID, 1);
  add_message(&s->event, PACKET_DEFAULTS, &s->inner);
  add_number(&s->event, PACKET_SEQUENCE_FLAGS, CLEARED);
  clear_message(&s->packet);
  add_message(&s->packet, TRACE_PACKET, &s->event);
  sink_write(t->sink, s->packet.bytes, message_size(&s->packet));
}

/* The function [start] of the format: sets [t->form], and writes the first packets
   and the processes. */
static void start(struct trace *t)
{
  struct state *s = allocate(1, sizeof *s);
  s->categories = allocate(1, (size_t) t->process_count
                                 * TRACE_CATEGORIES);
  s->mappings = new_pair_map();
  clear_message(&s->interned);
  t->form = s;
  write_defaults(t);
  write_clocks(t);
  for (int i = 0; i < t->process_count; i++) write_process(t, &t->processes[i]);
}

/* The function [finish] of the format; nothing is left to write. */
static void finish(struct trace *t)
{
  (void) t;                       /* the packets written are complete */
}

/* The functions [free_class] and [free] of the format. */
static void free_form(struct trace_class *class)
{
  free(((struct form *) class->form)->domains);
  free(class->form);
}

static void free_state(struct trace *t)
{
  struct state *s = t->form;
  free_message(&s->packet);
  free_message(&s->event);
  free_message(&s->interned);
  free_message(&s->inner);
  free_pair_map(&s->mappings);
  free(s->categories);
  free(s);
}

const struct trace_format trace_perfetto = {
  .name = "perfetto", .endings = { ".pftrace", ".perfetto-trace" },
  .start = start, .track = write_track, .event = write_event,
  .sample = write_sample, .finish = finish, .free_class = free_form,
  .free = free_state
};
