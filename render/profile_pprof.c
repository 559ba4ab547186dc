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

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "memory.h"
#include "pair_map.h"
#include "profile_pprof.h"
#include "profile_types.h"
#include "protobuf.h"
#include "target.h"
#include "text.h"

/* Field numbers of profile.proto. */
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3,
       PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5, PROFILE_STRING = 6,
       PROFILE_TIME = 9, PROFILE_DURATION = 10, PROFILE_PERIOD_TYPE = 11,
       PROFILE_PERIOD = 12 };
enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_STRING = 2 };
enum { MAPPING_ID = 1, MAPPING_START = 2, MAPPING_END = 3, MAPPING_OFFSET = 4,
       MAPPING_FILE = 5, MAPPING_BUILD_ID = 6, MAPPING_HAS_FUNCTIONS = 7,
       MAPPING_HAS_FILES = 8, MAPPING_HAS_LINES = 9, MAPPING_HAS_INLINED = 10 };
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3,
       LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3,
       FUNCTION_FILE = 4 };

struct writer {
  const struct profile_origin *origin;
  const struct profile *profile;
  struct message out;             /* the whole Profile */
  struct message strings;         /* its string table, the last fields of it */
  struct message message, part;   /* for the functions below */
  struct pair_map texts, functions, locations;
};

/* Strings, functions, locations */

/* Adds [text] to the string table. */
static void add_string(struct writer *w, const char *text)
{
  size_t length = strlen(text);
  char *copy = allocate(3 * length + 1, 1);
  add_bytes(&w->strings, PROFILE_STRING, copy,
            copy_as_utf8(copy, text, length));
  free(copy);
}

/* Returns the number of [text] in the string table.  [text] must stay valid;
   texts at different addresses get different numbers. */
static uint64_t string_number(struct writer *w, const char *text)
{
  bool added;
  uint32_t number = number_of_pair(&w->texts, (uintptr_t) text, 0, &added);
  if (added) add_string(w, text);
  return number;
}

/* Returns the number of the path of [frame]'s file, from the root if the folder is
   known: pprof -list does not know in which folder the compiler was called. */
static uint64_t path_number(struct writer *w, const struct frame *frame)
{
  bool added;
  if (frame->folder == NULL || frame->file[0] == '/')
    return string_number(w, frame->file);
  uint32_t number = number_of_pair(&w->texts, (uintptr_t) frame->file,
                                   (uintptr_t) frame->folder, &added);
  if (added) {
    const size_t size = strlen(frame->folder) + strlen(frame->file) + 2;
    char *path = allocate(size, 1);
    snprintf(path, size, "%s/%s", frame->folder, frame->file);
    add_string(w, path);
    free(path);
  }
  return number;
}

/* Returns the id of the function of [frame], from 1. */
static uint64_t function_id(struct writer *w, const struct frame *frame)
{
  bool added;
  /* The path has the number of one text. */
  uint32_t id = 1 + number_of_pair(
    &w->functions, (uintptr_t) frame->function,
    frame->file == NULL ? 0 : path_number(w, frame), &added);
  if (!added) return id;
  struct message *m = &w->part;
  add_nonzero(m, FUNCTION_ID, id);
  add_nonzero(m, FUNCTION_NAME, string_number(w, frame->function));
  add_nonzero(m, FUNCTION_SYSTEM_NAME, string_number(w, frame->function));
  if (frame->file != NULL)
    add_nonzero(m, FUNCTION_FILE, path_number(w, frame));
  move_message(&w->out, PROFILE_FUNCTION, m);
  return id;
}

/* Returns the id of the mapping that has [address], from 1; 0 when none has. */
static uint64_t mapping_id(struct writer *w, uint64_t address)
{
  const struct eventring_mapping *m;
  uint64_t found = 0;
  for (uint32_t i = 0; (m = profile_mapping(w->profile, i)) != NULL; i++)
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
       (mapping = profile_mapping(w->profile, i)) != NULL; i++) {
    struct message *m = &w->part;
    add_nonzero(m, MAPPING_ID, i + 1);
    add_nonzero(m, MAPPING_START, mapping->start);
    add_nonzero(m, MAPPING_END, mapping->start + mapping->length);
    add_nonzero(m, MAPPING_OFFSET, mapping->offset);
    add_nonzero(m, MAPPING_FILE, string_number(w, mapping->path));
    if (mapping->build_id_size > 0)
      add_nonzero(m, MAPPING_BUILD_ID, build_id_number(w, mapping));
    add_nonzero(m, MAPPING_HAS_FUNCTIONS, 1);
    add_nonzero(m, MAPPING_HAS_FILES, 1);
    add_nonzero(m, MAPPING_HAS_LINES, 1);
    add_nonzero(m, MAPPING_HAS_INLINED, 1);
    move_message(&w->out, PROFILE_MAPPING, m);
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
  struct message location = { NULL, NULL, NULL }, line = { NULL, NULL, NULL };
  add_nonzero(&location, LOCATION_ID, id);
  add_nonzero(&location, LOCATION_MAPPING, mapping_id(w, address));
  add_nonzero(&location, LOCATION_ADDRESS, address);
  for (uint32_t i = 0; i < count; i++) {
    add_nonzero(&line, LINE_FUNCTION, function_id(w, frames[i]));
    add_nonzero(&line, LINE_LINE, frames[i]->line);
    move_message(&location, LOCATION_LINE, &line);
  }
  move_message(&w->out, PROFILE_LOCATION, &location);
  free_message(&location);
  free_message(&line);
  return id;
}

/* Samples */

static void add_label_string(struct writer *w, const char *key,
                             uint64_t string)
{
  struct message *m = &w->part;
  add_nonzero(m, LABEL_KEY, string_number(w, key));
  add_nonzero(m, LABEL_STRING, string);
  move_message(&w->message, SAMPLE_LABEL, m);
}

static void add_label(struct writer *w, const char *key, const char *text)
{
  add_label_string(w, key, string_number(w, text));
}

/* Adds a label with [number], as text: pprof takes the numbers of some labels for
   sizes, and does not show 0. */
static void add_number_label(struct writer *w, const char *key, uint64_t number)
{
  char text[24];
  bool added;
  /* No text is at an address as high as that. */
  uint32_t string = number_of_pair(&w->texts, UINT64_MAX, number, &added);
  snprintf(text, sizeof text, "%" PRIu64, number);
  if (added) add_string(w, text);
  add_label_string(w, key, string);
}

/* Appends a value of each of the types that add_types has added. */
static void append_values(const struct writer *w, struct message *packed,
                          const struct profile_value *value)
{
  const enum profile_type type = profile_type(w->profile);
  append_varint(packed, profile_type_words[type].has_blocks ? value->extra
                                                            : value->samples);
  if (type == PROFILE_IO) append_varint(packed, value->extra);
  append_varint(packed, value->weight);
}

static void add_sample(void *state, const struct profile_stack *stack)
{
  struct writer *w = state;
  struct message *m = &w->message, packed = { NULL, NULL, NULL };
  for (uint32_t i = 0, from = 0; i < stack->depth; i++) {
    if (stack->frames[i]->inlined) continue;
    append_varint(&packed, location_id(w, stack->addresses[i],
                                    stack->frames + from, i + 1 - from));
    from = i + 1;
  }
  move_message(m, SAMPLE_LOCATION, &packed);
  append_values(w, &packed, &stack->value);
  move_message(m, SAMPLE_VALUE, &packed);
  free_message(&packed);
  if (stack->thread != UINT32_MAX)
    add_number_label(w, "thread", stack->thread);
  if (stack->domain != UINT32_MAX)
    add_number_label(w, "domain", stack->domain);
  for (uint32_t i = 0; i < stack->labels_count; i++)
    add_label(w, stack->labels[i].name, stack->labels[i].value);
  if (stack->span != NULL) add_label(w, "span", stack->span);
  if (stack->request != 0) {
    const char *name = profile_request(w->profile, stack->request);
    add_number_label(w, "request", stack->request);
    if (name != NULL) add_label(w, "request_name", name);
  }
  move_message(&w->out, PROFILE_SAMPLE, m);
}

static void add_type(struct writer *w, int field, const char *type,
                     const char *unit)
{
  add_nonzero(&w->part, TYPE_TYPE, string_number(w, type));
  add_nonzero(&w->part, TYPE_UNIT, string_number(w, unit));
  move_message(&w->out, field, &w->part);
}

/* Returns the time [ns] of the profile in nanoseconds since 1970. */
static uint64_t since_1970(const struct writer *w, int64_t ns)
{
  if (w->origin->cursor == NULL) return (uint64_t) ns;
  const struct eventring_info info = target_info(w->origin->cursor);
  return (uint64_t) info.started_realtime_ns
         + ((uint64_t) ns - (uint64_t) info.started_ns);
}

/* A type of values and its unit. */
struct value_type { const char *type, *unit; };

static const char cpu[] = "cpu", count[] = "count", ns[] = "nanoseconds",
  space[] = "space", samples[] = "samples", bytes[] = "bytes";

/* The types of the values of a sample, as Go's profiles have them: pprof shows
   the last one. */
static const struct value_type value_types[PROFILE_TYPES][3] = {
  [PROFILE_CPU] = { { samples, count }, { cpu, ns } },
  [PROFILE_ALLOC] = { { "alloc_objects", count }, { "alloc_space", bytes } },
  [PROFILE_LIVE] = { { "inuse_objects", count }, { "inuse_space", bytes } },
  [PROFILE_WALL] = { { samples, count }, { "wall", ns } },
  [PROFILE_WAIT] = { { "contentions", count }, { "delay", ns } },
  [PROFILE_IO] = { { "operations", count }, { bytes, bytes }, { "time", ns } }
};

/* The type of the period, and how long it is; nothing for PROFILE_IO, which has
   every operation. */
static void add_period(struct writer *w)
{
  const enum profile_type type = profile_type(w->profile);
  if (profile_type_words[type].has_blocks) {
    add_type(w, PROFILE_PERIOD_TYPE, space, bytes);
    add_nonzero(&w->out, PROFILE_PERIOD, profile_sums(w->profile).period_words
                                         * sizeof(uint64_t));
  } else if (type != PROFILE_IO) {
    add_type(w, PROFILE_PERIOD_TYPE, type == PROFILE_WAIT ? "delay" : cpu, ns);
    add_nonzero(&w->out, PROFILE_PERIOD, w->origin->sample_period_ns);
  }
}

static void add_profile(struct writer *w)
{
  const struct value_type *types = value_types[profile_type(w->profile)];
  struct profile_sums sums = profile_sums(w->profile);
  string_number(w, "");
  for (int i = 0; i < 3 && types[i].type != NULL; i++)
    add_type(w, PROFILE_SAMPLE_TYPE, types[i].type, types[i].unit);
  add_mappings(w);
  profile_stacks(w->profile, add_sample, w);
  if (sums.samples > 0) {
    add_nonzero(&w->out, PROFILE_TIME, since_1970(w, sums.first_ns));
    add_nonzero(&w->out, PROFILE_DURATION,
               (uint64_t) sums.last_ns - (uint64_t) sums.first_ns);
  }
  add_period(w);
  append_bytes(&w->out, w->strings.bytes, message_size(&w->strings));
}

/* Writes [bytes] to [sink], compressed.  Returns false when there is no memory. */
static bool compress_to(struct sink *sink, const struct message *bytes)
{
  unsigned char out[65536];
  z_stream z = { .next_in = (unsigned char *) bytes->bytes };
  size_t left = message_size(bytes);
  int result;
  /* 16: with the header of gzip. */
  if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return false;
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

bool write_pprof(struct sink *sink, const struct profile_origin *origin,
                 const struct profile *profile)
{
  struct writer w = {
    .origin = origin, .profile = profile, .texts = new_pair_map(),
    .functions = new_pair_map(), .locations = new_pair_map()
  };
  add_profile(&w);
  bool made = compress_to(sink, &w.out);
  free_pair_map(&w.texts);
  free_pair_map(&w.functions);
  free_pair_map(&w.locations);
  free_message(&w.out);
  free_message(&w.strings);
  free_message(&w.message);
  free_message(&w.part);
  return made;
}
