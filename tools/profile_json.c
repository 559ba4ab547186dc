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
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "json.h"
#include "profile_export.h"
#include "profile_types.h"

static json_t *integer(uint64_t n)
{
  return json_integer((json_int_t) n);
}

static void set_text(json_t *object, const char *key, const char *text)
{
  if (text != NULL) json_object_set_new(object, key, json_text(text));
}

static json_t *frame_json(const struct frame *frame)
{
  json_t *object = json_object();
  set_text(object, "function", frame->function);
  set_text(object, "file", frame->file);
  if (frame->line != 0) json_object_set_new(object, "line",
                                            integer(frame->line));
  if (frame->kind != FRAME_UNKNOWN)
    set_text(object, "kind", frame_kind_names[frame->kind]);
  if (frame->inlined) json_object_set_new(object, "inlined", json_true());
  return object;
}

/* Sets the member "build_id" of [object], if the file [code] has one. */
static void set_build_id(json_t *object, const struct eventring_mapping *code)
{
  char text[2 * sizeof code->build_id + 1];
  if (code == NULL || code->build_id_size == 0) return;
  for (uint32_t i = 0; i < code->build_id_size; i++)
    snprintf(text + 2 * i, 3, "%02x", code->build_id[i]);
  json_object_set_new(object, "build_id", json_string(text));
}

/* Sets the members for [value], of a profile of [type]; their names begin with
   [prefix]. */
static void set_value(json_t *object, enum profile_type type,
                      const char *prefix, const struct profile_value *value)
{
  const struct profile_type_words *words = &profile_type_words[type];
  char key[32];
  snprintf(key, sizeof key, "%s%s", prefix,
           words->weighs_bytes ? "bytes" : "ns");
  json_object_set_new(object, key, integer(value->weight));
  snprintf(key, sizeof key, "%s%s", prefix,
           words->has_blocks ? "blocks" : "bytes");
  if (words->has_blocks || type == PROFILE_IO)
    json_object_set_new(object, key, integer(value->extra));
  snprintf(key, sizeof key, "%soperations", prefix);
  if (type == PROFILE_IO)
    json_object_set_new(object, key, integer(value->samples));
}

/* Sets the members for the standard errors of [value] and of its share of [all], as
   far as they are known; their names begin with [prefix]. */
static void set_errors(json_t *object, enum profile_type type,
                       const char *prefix, const struct profile_value *value,
                       const struct profile_value *all)
{
  const double weight = weight_error(value), share = share_error(value, all);
  char key[32];
  snprintf(key, sizeof key, "%serror_%s", prefix,
           profile_type_words[type].weighs_bytes ? "bytes" : "ns");
  if (weight > 0)
    json_object_set_new(object, key, json_integer(
      weight < (double) INT64_MAX ? (json_int_t) llround(weight) : INT64_MAX));
  snprintf(key, sizeof key, "%sshare_error", prefix);
  if (share > 0) json_object_set_new(object, key, json_real(share));
}

/* Sets the member for the weight of all samples, or of a stack, and those for
   the other sums. */
static void set_sums(json_t *object, enum profile_type type,
                     const struct profile_value *value)
{
  json_object_set_new(object, "samples", integer(value->samples));
  set_value(object, type, type == PROFILE_CPU ? "cpu_" : "", value);
}

json_t *json_profile_table(const struct profile *profile, enum profile_by by,
                           size_t max)
{
  const enum profile_type type = profile_type(profile);
  const struct profile_value all = profile_total(profile);
  json_t *array = json_array();
  size_t count;
  struct profile_entry *entries = profile_table(profile, by, &count);
  for (size_t i = 0; i < count && i < max; i++) {
    entries[i].frame.inlined = false;
    json_t *object = frame_json(&entries[i].frame);
    set_build_id(object, entries[i].code);
    set_value(object, type, "self_", &entries[i].self);
    set_value(object, type, "total_", &entries[i].total);
    set_errors(object, type, "self_", &entries[i].self, &all);
    set_errors(object, type, "total_", &entries[i].total, &all);
    json_array_append_new(array, object);
  }
  free(entries);
  return array;
}

static json_t *table_json(const struct profile *profile, enum profile_by by)
{
  return json_profile_table(profile, by, SIZE_MAX);
}

/* The list of stacks that is being made. */
struct stacks { const struct profile *profile; json_t *array; };

static void add_stack(void *state, const struct profile_stack *stack)
{
  struct stacks *stacks = state;
  json_t *object = json_object(), *frames = json_array();
  for (uint32_t i = 0; i < stack->depth; i++) {
    json_t *frame = frame_json(stack->frames[i]);
    char address[2 + 16 + 1];
    snprintf(address, sizeof address, "0x%" PRIx64, stack->addresses[i]);
    if (stack->addresses[i] != 0)
      json_object_set_new(frame, "address", json_string(address));
    json_array_append_new(frames, frame);
  }
  set_sums(object, profile_type(stacks->profile), &stack->value);
  if (stack->thread != UINT32_MAX)
    json_object_set_new(object, "thread", integer(stack->thread));
  if (stack->domain != UINT32_MAX)
    json_object_set_new(object, "domain", integer(stack->domain));
  set_text(object, "span", stack->span);
  if (stack->request != 0) {
    json_object_set_new(object, "request", integer(stack->request));
    set_text(object, "request_name",
             profile_request(stacks->profile, stack->request));
  }
  for (uint32_t i = 0; i < stack->labels_count; i++)
    set_text(object, stack->labels[i].name, stack->labels[i].value);
  json_object_set_new(object, "frames", frames);
  json_array_append_new(stacks->array, object);
}

/* Returns the sums of [profile]; of live blocks with "at_ns", counted from the
   start of tracing. */
static json_t *sums_json(const struct profile_origin *origin,
                         const struct profile *profile)
{
  const struct profile_sums sums = profile_sums(profile);
  const struct profile_value total = profile_total(profile);
  const enum profile_type type = profile_type(profile);
  json_t *object = json_object();
  if (type == PROFILE_LIVE && origin->cursor != NULL)
    json_object_set_new(object, "at_ns", json_integer(time_since(
      sums.last_ns, target_info(origin->cursor).started_ns)));
  if (sums.common_ns > INT64_MIN)
    json_object_set_new(object, "from_ns", json_integer(sums.common_ns));
  if (sums.survivors) json_object_set_new(object, "survivors", json_true());
  set_sums(object, type, &total);
  if (sums.cpu_ns > 0) {
    json_object_set_new(object, "process_cpu_ns", integer(sums.cpu_ns));
    json_object_set_new(object, "covered_cpu_ns", integer(sums.covered_ns));
    json_object_set_new(object, "unsampled_ns", integer(sums.unsampled));
    if (!sums.tick_ns_unknown)
      json_object_set_new(object, "tick_ns", integer(sums.tick_ns));
  }
  json_object_set_new(object, "incomplete_samples", integer(sums.incomplete));
  json_object_set_new(object, "all_samples", integer(sums.all_samples));
  return object;
}

/* Sets the members that tell of which processes the profile is. */
static void set_origin(json_t *object, const struct profile_origin *origin)
{
  if (origin->cursor != NULL) {
    json_object_set_new(object, "process", json_process(origin->cursor));
    return;
  }
  json_object_set_new(object, "processes", integer(origin->processes));
  json_object_set_new(object, "nodes", integer(origin->nodes));
  json_object_set_new(object, "processes_without_samples",
                      integer(origin->others));
  set_text(object, "build", origin->version);
}

/* Sets the members that tell how often samples were taken. */
static void set_period(json_t *object, const struct profile_origin *origin,
                       const struct profile *profile)
{
  const enum profile_type type = profile_type(profile);
  if (profile_type_words[type].has_blocks)
    json_object_set_new(object, "period_words",
                        integer(profile_sums(profile).period_words));
  if (type == PROFILE_CPU || type == PROFILE_WALL)
    json_object_set_new(object, "dropped_samples",
                        integer(origin->dropped_samples));
  if (type == PROFILE_CPU || type == PROFILE_WALL || type == PROFILE_WAIT)
    json_object_set_new(object, "sample_period_ns",
                        integer(origin->sample_period_ns));
}

void print_profile_json(const struct profile_origin *origin,
                        const struct profile *profile,
                        const struct profile *base)
{
  const enum profile_type type = profile_type(profile);
  struct stacks stacks = { profile, json_array() };
  json_t *object = json_object();
  profile_stacks(profile, add_stack, &stacks);
  json_object_set_new(object, "version", json_integer(JSON_VERSION));
  if (type != PROFILE_CPU)
    json_object_set_new(object, "type",
                        json_string(profile_type_words[type].name));
  set_origin(object, origin);
  json_object_set_new(object, "lost_events", integer(origin->lost_events));
  set_period(object, origin, profile);
  json_object_update_new(object, sums_json(origin, profile));
  json_object_set_new(object, "functions", table_json(profile, BY_FUNCTION));
  json_object_set_new(object, "lines", table_json(profile, BY_LINE));
  json_object_set_new(object, "stacks", stacks.array);
  if (base != NULL) {
    json_t *other = sums_json(origin, base);
    json_object_set_new(other, "functions", table_json(base, BY_FUNCTION));
    json_object_set_new(other, "lines", table_json(base, BY_LINE));
    json_object_set_new(object, "base", other);
  }
  print_json(object, false);
}
