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
#include <stdlib.h>
#include <string.h>
#include "json.h"
#include "profile_export.h"

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
  if (frame->inlined) json_object_set_new(object, "inlined", json_true());
  return object;
}

static json_t *table_json(const struct profile *profile, enum profile_by by)
{
  json_t *array = json_array();
  size_t count;
  struct profile_entry *entries = profile_table(profile, by, &count);
  for (size_t i = 0; i < count; i++) {
    entries[i].frame.inlined = false;
    json_t *object = frame_json(&entries[i].frame);
    json_object_set_new(object, "self_ns", integer(entries[i].self_ns));
    json_object_set_new(object, "total_ns", integer(entries[i].total_ns));
    json_array_append_new(array, object);
  }
  free(entries);
  return array;
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
  json_object_set_new(object, "samples", integer(stack->samples));
  json_object_set_new(object, "cpu_ns", integer(stack->cpu_ns));
  json_object_set_new(object, "thread", integer(stack->thread));
  if (stack->domain != UINT32_MAX)
    json_object_set_new(object, "domain", integer(stack->domain));
  set_text(object, "span", stack->span);
  if (stack->request != 0) {
    json_object_set_new(object, "request", integer(stack->request));
    set_text(object, "request_name",
             profile_request(stacks->profile, stack->request));
  }
  json_object_set_new(object, "frames", frames);
  json_array_append_new(stacks->array, object);
}

static json_t *sums_json(const struct profile *profile)
{
  struct profile_sums sums = profile_sums(profile);
  json_t *object = json_object();
  json_object_set_new(object, "samples", integer(sums.samples));
  json_object_set_new(object, "cpu_ns", integer(sums.cpu_ns));
  json_object_set_new(object, "incomplete_samples", integer(sums.incomplete));
  json_object_set_new(object, "all_samples", integer(sums.all_samples));
  return object;
}

void print_profile_json(struct eventring_cursor *cursor,
                        const struct profile *profile,
                        const struct profile *base)
{
  struct eventring_info info = target_info(cursor);
  struct stacks stacks = { profile, json_array() };
  json_t *object = json_object();
  profile_stacks(profile, add_stack, &stacks);
  json_object_set_new(object, "version", json_integer(JSON_VERSION));
  json_object_set_new(object, "process", json_process(cursor));
  json_object_set_new(object, "lost_events", integer(lost_events(cursor)));
  json_object_set_new(object, "dropped_samples",
                      integer(info.samples_dropped));
  json_object_set_new(object, "sample_period_ns",
                      integer(info.sample_period_ns));
  json_object_update_new(object, sums_json(profile));
  json_object_set_new(object, "functions", table_json(profile, BY_FUNCTION));
  json_object_set_new(object, "lines", table_json(profile, BY_LINE));
  json_object_set_new(object, "stacks", stacks.array);
  if (base != NULL) {
    json_t *other = sums_json(base);
    json_object_set_new(other, "functions", table_json(base, BY_FUNCTION));
    json_object_set_new(other, "lines", table_json(base, BY_LINE));
    json_object_set_new(object, "base", other);
  }
  print_json(object, false);
}
