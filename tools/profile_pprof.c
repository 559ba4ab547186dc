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

/* A profile.proto of pprof.  The messages are written by hand: a field is a
   varint with its number and type, and a number or a length with bytes. */

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "pair_map.h"
#include "profile_export.h"
#include "sink.h"
#include "text.h"

/* Field numbers of profile.proto. */
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3,
       PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5, PROFILE_STRING = 6,
       PROFILE_TIME = 9, PROFILE_DURATION = 10, PROFILE_PERIOD_TYPE = 11,
       PROFILE_PERIOD = 12 };
enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_STRING = 2, LABEL_NUMBER = 3 };
enum { MAPPING_ID = 1, MAPPING_START = 2, MAPPING_END = 3, MAPPING_OFFSET = 4,
       MAPPING_FILE = 5, MAPPING_BUILD_ID = 6, MAPPING_HAS_FUNCTIONS = 7,
       MAPPING_HAS_FILES = 8, MAPPING_HAS_LINES = 9, MAPPING_HAS_INLINED = 10 };
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3,
       LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3,
       FUNCTION_FILE = 4 };

struct bytes { unsigned char *start; size_t length, room; };

struct writer {
  struct eventring_cursor *cursor;
  const struct profile *profile;
  struct bytes out;             /* the whole Profile */
  struct bytes strings;         /* its string table, the last fields of it */
  struct bytes message, part;   /* for the functions below */
  struct pair_map texts, functions, locations;
};

/* Messages */

static void add_byte(struct bytes *b, unsigned char byte)
{
  if (b->length == b->room) {
    b->room = b->room == 0 ? 256 : 2 * b->room;
    b->start = reallocate(b->start, b->room, 1);
  }
  b->start[b->length++] = byte;
}

static void add_varint(struct bytes *b, uint64_t n)
{
  for (; n >= 0x80; n >>= 7) add_byte(b, (unsigned char) (n | 0x80));
  add_byte(b, (unsigned char) n);
}

/* Fields of 0 are left out, as protobuf does. */
static void add_number(struct bytes *b, int field, uint64_t n)
{
  if (n == 0) return;
  add_varint(b, (uint64_t) field << 3);
  add_varint(b, n);
}

static void add_bytes(struct bytes *b, int field, const void *bytes,
                      size_t length)
{
  const unsigned char *from = bytes;
  add_varint(b, (uint64_t) field << 3 | 2);
  add_varint(b, length);
  for (size_t i = 0; i < length; i++) add_byte(b, from[i]);
}

/* Adds [message] as field [field], and makes it empty again. */
static void add_message(struct bytes *b, int field, struct bytes *message)
{
  add_bytes(b, field, message->start, message->length);
  message->length = 0;
}

/* Strings, functions, locations */

/* Returns the number of [text] in the string table.  [text] must stay valid;
   texts at different addresses get different numbers. */
static uint64_t string_number(struct writer *w, const char *text)
{
  bool added;
  uint32_t number = number_of_pair(&w->texts, (uintptr_t) text, 0, &added);
  if (added) {
    size_t length = strlen(text);
    char *copy = allocate(3 * length + 1, 1);
    add_bytes(&w->strings, PROFILE_STRING, copy,
              copy_as_utf8(copy, text, length));
    free(copy);
  }
  return number;
}

/* Returns the id of the function of [frame], from 1. */
static uint64_t function_id(struct writer *w, const struct frame *frame)
{
  bool added;
  uint32_t id = 1 + number_of_pair(&w->functions, (uintptr_t) frame->function,
                                   (uintptr_t) frame->file, &added);
  if (!added) return id;
  struct bytes *m = &w->part;
  add_number(m, FUNCTION_ID, id);
  add_number(m, FUNCTION_NAME, string_number(w, frame->function));
  add_number(m, FUNCTION_SYSTEM_NAME, string_number(w, frame->function));
  if (frame->file != NULL)
    add_number(m, FUNCTION_FILE, string_number(w, frame->file));
  add_message(&w->out, PROFILE_FUNCTION, m);
  return id;
}

/* Returns the id of the mapping that has [address], from 1; 0 when none has. */
static uint64_t mapping_id(struct writer *w, uint64_t address)
{
  const struct eventring_mapping *m;
  uint64_t found = 0;
  for (uint32_t i = 0; (m = eventring_mapping(w->cursor, i)) != NULL; i++)
    if (address >= m->start && address - m->start < m->length) found = i + 1;
  return found;
}

/* Returns the number of the build id of [mapping], in hexadecimal digits, in
   the string table.  The number is kept by the place of its bytes. */
static uint64_t build_id_number(struct writer *w,
                                const struct eventring_mapping *mapping)
{
  char text[2 * sizeof mapping->build_id + 1] = "";
  bool added;
  uint32_t number = number_of_pair(&w->texts, (uintptr_t) mapping->build_id, 0,
                                   &added);
  for (uint32_t i = 0; i < mapping->build_id_size; i++)
    snprintf(text + 2 * i, 3, "%02x", mapping->build_id[i]);
  if (added) add_bytes(&w->strings, PROFILE_STRING, text, strlen(text));
  return number;
}

static void add_mappings(struct writer *w)
{
  const struct eventring_mapping *mapping;
  for (uint32_t i = 0;
       (mapping = eventring_mapping(w->cursor, i)) != NULL; i++) {
    struct bytes *m = &w->part;
    add_number(m, MAPPING_ID, i + 1);
    add_number(m, MAPPING_START, mapping->start);
    add_number(m, MAPPING_END, mapping->start + mapping->length);
    add_number(m, MAPPING_OFFSET, mapping->offset);
    add_number(m, MAPPING_FILE, string_number(w, mapping->path));
    if (mapping->build_id_size > 0)
      add_number(m, MAPPING_BUILD_ID, build_id_number(w, mapping));
    add_number(m, MAPPING_HAS_FUNCTIONS, 1);
    add_number(m, MAPPING_HAS_FILES, 1);
    add_number(m, MAPPING_HAS_LINES, 1);
    add_number(m, MAPPING_HAS_INLINED, 1);
    add_message(&w->out, PROFILE_MAPPING, m);
  }
}

/* Returns the id of the location of the [count] frames at [frames], the last of
   which has the code at [address]. */
static uint64_t location_id(struct writer *w, uint64_t address,
                            const struct frame *const *frames, uint32_t count)
{
  bool added;
  uint32_t id = 1 + number_of_pair(&w->locations, address,
                                   (uintptr_t) frames[0], &added);
  if (!added) return id;
  struct bytes location = { NULL, 0, 0 }, line = { NULL, 0, 0 };
  add_number(&location, LOCATION_ID, id);
  add_number(&location, LOCATION_MAPPING, mapping_id(w, address));
  add_number(&location, LOCATION_ADDRESS, address);
  for (uint32_t i = 0; i < count; i++) {
    add_number(&line, LINE_FUNCTION, function_id(w, frames[i]));
    add_number(&line, LINE_LINE, frames[i]->line);
    add_message(&location, LOCATION_LINE, &line);
  }
  add_message(&w->out, PROFILE_LOCATION, &location);
  free(location.start);
  free(line.start);
  return id;
}

/* Samples */

static void add_label(struct writer *w, const char *key, const char *text,
                      uint64_t number)
{
  struct bytes *m = &w->part;
  add_number(m, LABEL_KEY, string_number(w, key));
  if (text != NULL) add_number(m, LABEL_STRING, string_number(w, text));
  else add_number(m, LABEL_NUMBER, number);
  add_message(&w->message, SAMPLE_LABEL, m);
}

static void add_sample(void *state, const struct profile_stack *stack)
{
  struct writer *w = state;
  struct bytes *m = &w->message, packed = { NULL, 0, 0 };
  for (uint32_t i = 0, from = 0; i < stack->depth; i++) {
    if (stack->frames[i]->inlined) continue;
    add_varint(&packed, location_id(w, stack->addresses[i],
                                    stack->frames + from, i + 1 - from));
    from = i + 1;
  }
  add_message(m, SAMPLE_LOCATION, &packed);
  add_varint(&packed, stack->samples);
  add_varint(&packed, stack->cpu_ns);
  add_message(m, SAMPLE_VALUE, &packed);
  free(packed.start);
  add_label(w, "thread", NULL, stack->thread);
  if (stack->domain != UINT32_MAX)
    add_label(w, "domain", NULL, stack->domain);
  if (stack->span != NULL) add_label(w, "span", stack->span, 0);
  if (stack->request != 0) {
    const char *name = profile_request(w->profile, stack->request);
    add_label(w, "request", NULL, stack->request);
    if (name != NULL) add_label(w, "request_name", name, 0);
  }
  add_message(&w->out, PROFILE_SAMPLE, m);
}

static void add_type(struct writer *w, int field, const char *type,
                     const char *unit)
{
  add_number(&w->part, TYPE_TYPE, string_number(w, type));
  add_number(&w->part, TYPE_UNIT, string_number(w, unit));
  add_message(&w->out, field, &w->part);
}

static void add_profile(struct writer *w)
{
  static const char cpu[] = "cpu", ns[] = "nanoseconds";
  struct eventring_info info = target_info(w->cursor);
  struct profile_sums sums = profile_sums(w->profile);
  string_number(w, "");
  add_type(w, PROFILE_SAMPLE_TYPE, "samples", "count");
  add_type(w, PROFILE_SAMPLE_TYPE, cpu, ns);
  add_mappings(w);
  profile_stacks(w->profile, add_sample, w);
  if (sums.samples > 0) {
    add_number(&w->out, PROFILE_TIME,
               (uint64_t) info.started_realtime_ns
               + ((uint64_t) sums.first_ns - (uint64_t) info.started_ns));
    add_number(&w->out, PROFILE_DURATION,
               (uint64_t) sums.last_ns - (uint64_t) sums.first_ns);
  }
  add_type(w, PROFILE_PERIOD_TYPE, cpu, ns);
  add_number(&w->out, PROFILE_PERIOD, info.sample_period_ns);
  for (size_t i = 0; i < w->strings.length; i++)
    add_byte(&w->out, w->strings.start[i]);
}

/* Writes [bytes] to [sink], compressed.  Returns false, with a message, when
   there is no memory. */
static bool compress_to(struct sink *sink, const struct bytes *bytes)
{
  unsigned char out[65536];
  z_stream z = { .next_in = bytes->start };
  size_t left = bytes->length;
  int result;
  /* 16: with the header of gzip. */
  if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    complain("not enough memory");
    return false;
  }
  do {
    if (z.avail_in == 0) {
      z.avail_in = left < UINT32_MAX ? (uInt) left : UINT32_MAX;
      left -= z.avail_in;
    }
    z.next_out = out;
    z.avail_out = sizeof out;
    result = deflate(&z, left == 0 ? Z_FINISH : Z_NO_FLUSH);
    sink_write(sink, out, sizeof out - z.avail_out);
  } while (result == Z_OK);
  deflateEnd(&z);
  return true;
}

enum status write_pprof(const char *path, bool force,
                        struct eventring_cursor *cursor,
                        const struct profile *profile)
{
  struct writer w = {
    .cursor = cursor, .profile = profile, .texts = new_pair_map(),
    .functions = new_pair_map(), .locations = new_pair_map()
  };
  struct sink *sink = open_sink(path, force);
  if (sink == NULL) return STATUS_CANNOT_WRITE;
  add_profile(&w);
  bool made = compress_to(sink, &w.out);
  free_pair_map(&w.texts);
  free_pair_map(&w.functions);
  free_pair_map(&w.locations);
  free(w.out.start);
  free(w.strings.start);
  free(w.message.start);
  free(w.part.start);
  return close_sink(sink, made) && made ? STATUS_OK : STATUS_CANNOT_WRITE;
}
