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

/* Common Trace Format 1.8: a folder with a file "metadata", which describes the
   other files in TSDL, and a stream for each ring of each process.

   Every event is written as it was recorded.  In CTF, the fields of an event go
   with its id, so each form of an event and each number of fields is one of
   its own, described when it is first written: "gc:minor:end" is the end of
   minor, of category gc.  A stream is cut into packets; none is larger than
   PACKET_SIZE. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "text.h"
#include "trace_formats.h"

#define MAGIC 0xC1FC1FC1u
#define PACKET_SIZE 131072

/* The head of each packet and event, as described in [head] below. */
struct __attribute__((packed)) packet_head {
  uint32_t magic, stream_id;
  uint64_t from_ns, to_ns, content_bits, packet_bits;
  uint32_t pid;
};
struct __attribute__((packed)) event_head {
  uint32_t id;
  uint64_t ns;
  uint32_t domain, thread;
  int32_t thread_id;
};
_Static_assert(sizeof(struct packet_head) + sizeof(struct event_head)
               + TRACE_UTF8 + 1 <= PACKET_SIZE
               && TRACE_UTF8 >= EVENTRING_MAX_EVENT_WORDS * sizeof(int64_t)
               && PACKET_SIZE <= SINK_SIZE,
               "the longest event fits into a packet, also as integers");

static const char head[] =
"/* CTF 1.8 */\n"
"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
"typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
"typealias integer { size = 64; align = 8; signed = true; } := int64_t;\n"
"trace {\n"
"  major = 1; minor = 8; byte_order = %s;\n"
"  packet.header := struct { uint32_t magic; uint32_t stream_id; };\n"
"};\n"
"clock {\n"
"  name = monotonic; description = \"CLOCK_MONOTONIC\";\n"
"  freq = 1000000000; offset_s = %" PRId64 "; offset = %" PRId64 ";\n"
"};\n"
"typealias integer {\n"
"  size = 64; align = 8; signed = false; map = clock.monotonic.value;\n"
"} := clock_ns_t;\n"
"stream {\n"
"  id = 0;\n"
"  packet.context := struct {\n"
"    clock_ns_t timestamp_begin; clock_ns_t timestamp_end;\n"
"    uint64_t content_size; uint64_t packet_size; uint32_t pid;\n"
"  };\n"
"  event.header := struct { uint32_t id; clock_ns_t timestamp; };\n"
"  event.context := struct {\n"
"    uint32_t domain; uint32_t thread; int32_t thread_id;\n"
"  };\n"
"};\n";

/* The stream of one ring, with the packet that is being filled. */
struct stream {
  struct sink *sink;
  char *path;
  struct packet_head head;
  size_t used;
  char packet[PACKET_SIZE];
};

struct state {
  struct sink *metadata;
  char *metadata_path;
  uint32_t layouts;               /* how many are described */
  struct stream **streams[];      /* by process and ring */
};

/* A layout of events of a class.  Each has a declaration in the metadata. */
#define TEXT UINT32_MAX           /* for words */
struct layout {
  enum trace_what what;
  uint32_t words;
  uint32_t id;
  struct layout *next;
};

/* Files */

/* Returns the path of the file [name] in the folder of the trace, which the
   caller frees. */
static char *path_in(const struct trace *t, const char *name)
{
  size_t length = strlen(t->folder) + strlen(name) + 2;
  char *path = allocate(1, length);
  snprintf(path, length, "%s/%s", t->folder, name);
  return path;
}

/* Writes [text] to the metadata; does nothing if it could not be opened. */
static void write_text(struct state *s, const char *text)
{
  if (s->metadata != NULL) sink_write(s->metadata, text, strlen(text));
}

/* Writes [text] as the inside of a string literal to the metadata.  Control
   characters become question marks.  Does nothing if the metadata could not be
   opened. */
static void write_escaped(struct state *s, const char *text)
{
  for (; *text != '\0'; text++) {
    bool control = (unsigned char) *text < 0x20 || *text == 0x7F;
    if (*text == '"' || *text == '\\') write_text(s, "\\");
    if (s->metadata != NULL) sink_write(s->metadata, control ? "?" : text, 1);
  }
}

/* Packets */

/* Writes the packet of [stream] to its file and empties it, if there are events
   in it.  If the file cannot be written, sets [t->failed], with a message unless
   it was set. */
static void end_packet(struct trace *t, struct stream *stream)
{
  if (stream->used == 0) return;
  stream->head.content_bits = stream->head.packet_bits = stream->used * 8;
  memcpy(stream->packet, &stream->head, sizeof stream->head);
  sink_write(stream->sink, stream->packet, stream->used);
  stream->used = 0;
  if (stream->sink->error == 0) return;
  if (!t->failed) report_sink(stream->sink);
  t->failed = true;
}

/* Opens the file for the ring [ring] of the process [p] and returns its stream.
   Returns NULL, with a message, and sets [t->failed] when the file cannot be
   opened. */
static struct stream *new_stream(struct trace *t,
                                 const struct trace_process *p, uint32_t ring)
{
  struct stream *stream = allocate(1, sizeof *stream);
  char name[64];
  snprintf(name, sizeof name, "stream_%" PRIu32 "_%" PRIu32, p->number, ring);
  stream->path = path_in(t, name);
  stream->sink = open_sink(stream->path, false);
  stream->head = (struct packet_head) { .magic = MAGIC, .pid = p->pid };
  if (stream->sink != NULL) return stream;
  t->failed = true;
  free(stream->path);
  free(stream);
  return NULL;
}

/* Returns the most bytes that [e] takes in a packet. */
static size_t event_room(const struct trace_event *e)
{
  return sizeof(struct event_head)
         + (e->text != NULL ? 3 * e->length + 1 : e->words * sizeof(int64_t));
}

/* Returns the stream of the ring of [e], with room for the event in its packet,
   and extends the times of the packet to the event.  Makes the stream at its
   first event, and writes a full packet first.  Returns NULL when the stream
   cannot be made. */
static struct stream *stream_of(struct trace *t, const struct trace_event *e)
{
  const struct trace_process *p = e->track->process;
  struct stream **stream =
    &((struct state *) t->form)->streams[p->number - 1][e->event->ring];
  if (*stream == NULL && !t->failed)
    *stream = new_stream(t, p, e->event->ring);
  if (*stream == NULL) return NULL;
  if ((*stream)->used + event_room(e) > PACKET_SIZE) end_packet(t, *stream);
  if ((*stream)->used == 0) {
    (*stream)->used = sizeof (*stream)->head;
    (*stream)->head.from_ns = (uint64_t) e->ns;
  }
  (*stream)->head.to_ns = (uint64_t) e->ns;
  return *stream;
}

/* Descriptions of events */

/* Returns whether [name] has only letters, digits and underscores; true if it
   is empty. */
static bool is_identifier(const char *name)
{
  for (; *name != '\0'; name++)
    if (!(*name >= 'a' && *name <= 'z') && !(*name >= 'A' && *name <= 'Z')
        && !(*name >= '0' && *name <= '9') && *name != '_') return false;
  return true;
}

/* Writes the declaration of the argument numbered [i] of [e] to the metadata.
   Names get a leading "_", which readers remove: it distinguishes names from
   keywords.  A name that is no identifier becomes "field_" and [i]. */
static void describe_field(struct state *s, const struct trace_event *e,
                           uint32_t i)
{
  struct trace_field *field = trace_argument(e, i).field;
  struct eventring_cursor *cursor = e->track->process->cursor;
  char number[32];
  if (e->text != NULL)
    write_text(s, " string { encoding = UTF8; }");
  else if (field->kind->named_values) {
    const char *separator = " enum : int64_t { \"";
    for (uint32_t value = 0; value < TRACE_VALUES; value++) {
      const char *name = eventring_value(cursor, field->kind->unit, value);
      if (name == NULL) continue;
      write_text(s, separator);
      write_escaped(s, name);
      snprintf(number, sizeof number, "\" = %" PRIu32, value);
      write_text(s, number);
      separator = ", \"";
    }
    write_text(s, " }");
  } else
    write_text(s, " int64_t");
  write_text(s, " _");
  if (is_identifier(field->name))
    write_text(s, field->name);
  else {
    snprintf(number, sizeof number, "field_%" PRIu32, i);
    write_text(s, number);
  }
  write_text(s, ";");
}

/* Writes the declaration of events like [e], with the id [id], to the
   metadata. */
static void describe(struct state *s, const struct trace_event *e, uint32_t id)
{
  static const char *const suffixes[] = {
    [TRACE_BEGIN] = ":begin", [TRACE_END] = ":end", [TRACE_COMPLETE] = "",
    [TRACE_COUNTER] = "", [TRACE_INSTANT] = "",
    [TRACE_FLOW_BEGIN] = ":begin", [TRACE_FLOW_STEP] = ":step",
    [TRACE_FLOW_END] = ":end", [TRACE_REQUEST_BEGIN] = ":begin",
    [TRACE_REQUEST_END] = ":end", [TRACE_LOST] = ""
  };
  const char *category = e->track->process->categories[e->class->category];
  char number[64];
  write_text(s, "event {\n  name = \"");
  write_escaped(s, category);
  if (category[0] != '\0') write_text(s, ":");
  write_escaped(s, e->class->name);
  write_text(s, suffixes[e->what]);
  snprintf(number, sizeof number, "\"; id = %" PRIu32 "; stream_id = 0;\n", id);
  write_text(s, number);
  write_text(s, "  fields := struct {");
  for (uint32_t i = 0; i < trace_arguments(e); i++) describe_field(s, e, i);
  write_text(s, " };\n};\n");
}

/* Returns the id of the layout of [e] in the trace; writes its declaration to
   the metadata when [e] is the first event with this layout. */
static uint32_t id_of(struct trace *t, const struct trace_event *e)
{
  struct state *s = t->form;
  uint32_t words = e->text != NULL ? TEXT : e->words;
  struct layout *layout = e->class->form;
  while (layout != NULL && (layout->what != e->what || layout->words != words))
    layout = layout->next;
  if (layout == NULL) {
    layout = allocate(1, sizeof *layout);
    *layout = (struct layout) { .what = e->what, .words = words,
                                .id = s->layouts++, .next = e->class->form };
    e->class->form = layout;
    describe(s, e, layout->id);
  }
  return layout->id;
}

/* Events */

/* Writes [length] bytes of [text] as a string of CTF at [out], with its final
   NUL, and returns the end of the string; takes up to 3 bytes for each byte,
   and the NUL.  Bytes that are not UTF-8 become U+FFFD.  A NUL in the text
   becomes a space, since a string of CTF ends with the first NUL. */
static char *put_text(char *out, const char *text, size_t length)
{
  size_t copied = copy_as_utf8(out, text, length);
  for (size_t i = 0; i < copied; i++)
    if (out[i] == '\0') out[i] = ' ';
  out += copied;
  *out++ = '\0';
  return out;
}

/* The function [event] of the format: adds the event to the packet of its ring.
   Leaves it out if the stream cannot be made. */
static void write_event(struct trace *t, const struct trace_event *e)
{
  uint32_t id = id_of(t, e);
  struct stream *stream = stream_of(t, e);
  if (stream == NULL) return;
  struct event_head event = {
    .id = id, .ns = (uint64_t) e->ns, .domain = e->event->domain,
    .thread = e->event->thread, .thread_id = e->event->thread_id
  };
  char *out = stream->packet + stream->used;
  memcpy(out, &event, sizeof event);
  out += sizeof event;
  if (e->text != NULL)
    out = put_text(out, e->text, e->length);
  else
    for (uint32_t i = 0; i < e->words; i++) {
      int64_t value = trace_argument(e, i).integer;
      memcpy(out, &value, sizeof value);
      out += sizeof value;
    }
  stream->used = (size_t) (out - stream->packet);
}

/* The folder */

/* The function [start] of the format: sets [t->form] and writes the begin of
   the metadata.  Sets [t->failed] if the file cannot be opened. */
static void start(struct trace *t)
{
  const struct eventring_info *info = &t->processes[0].info;
  struct state *s = allocate(1, sizeof *s + (size_t) t->process_count
                                               * sizeof *s->streams);
  t->form = s;
  for (int i = 0; i < t->process_count; i++)
    s->streams[i] = allocate(t->processes[i].info.rings,
                             sizeof *s->streams[i]);
  s->metadata_path = path_in(t, "metadata");
  s->metadata = open_sink(s->metadata_path, false);
  if (s->metadata == NULL) t->failed = true;
  int64_t offset = info->started_realtime_ns <= 0 ? 0
    : (int64_t) ((uint64_t) info->started_realtime_ns
                 - (uint64_t) info->started_ns);
  int64_t rest = (offset % 1000000000 + 1000000000) % 1000000000;
  char text[sizeof head + 64];
  snprintf(text, sizeof text, head,
           __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "le" : "be",
           (offset - rest) / 1000000000, rest);
  write_text(s, text);
}

/* Writes the variable [name], which is not escaped, and its value to the
   metadata. */
static void write_variable(struct state *s, const char *name,
                           const char *value)
{
  write_text(s, name);
  write_text(s, " = \"");
  write_escaped(s, value);
  write_text(s, "\";\n");
}

/* Writes the names of processes and threads to the end of the metadata, since
   all names are known only at the end of the trace. */
static void write_environment(struct state *s, const struct trace *t)
{
  char name[64];
  write_text(s, "env {\n");
  write_variable(s, "  tracer_name", "eventring");
  for (int i = 0; i < t->process_count; i++) {
    const struct trace_process *p = &t->processes[i];
    snprintf(name, sizeof name, "  program_%" PRIu32, p->pid);
    write_variable(s, name, p->name);
    for (uint32_t k = 0; k < p->track_count; k++) {
      snprintf(name, sizeof name, "  thread_%" PRIu32 "_%" PRIu32, p->pid,
               p->tracks[k]->tid);
      write_variable(s, name, p->tracks[k]->name);
    }
  }
  write_text(s, "};\n");
}

/* The function [finish] of the format: writes the end of all files, closes
   them, removes them if the trace has failed, and frees [t->form].  Sets
   [t->failed] if a file cannot be written. */
static void finish(struct trace *t)
{
  struct state *s = t->form;
  write_environment(s, t);
  for (int i = 0; i < t->process_count; i++)
    for (uint32_t ring = 0; ring < t->processes[i].info.rings; ring++) {
      struct stream *stream = s->streams[i][ring];
      if (stream == NULL) continue;
      end_packet(t, stream);
      if (!close_sink(stream->sink, !t->failed)) t->failed = true;
      free(stream->path);
      free(stream);
    }
  if (s->metadata != NULL && !close_sink(s->metadata, !t->failed))
    t->failed = true;
  free(s->metadata_path);
  free(s);
}

const struct trace_format trace_ctf = {
  .name = "ctf", .endings = { ".ctf", "/" }, .folder = true, .raw = true,
  .start = start, .event = write_event, .finish = finish
};
