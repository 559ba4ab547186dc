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
#include "event_field.h"
#include "event_json.h"
#include "event_text.h"
#include "json.h"
#include "memory.h"

/* The largest number of fields in a round.  Fields are repeated in rounds: the
   field at the same place of the next round has the same description. */
#define LONGEST_ROUND 16

/* Sets the member [key] of [object] to the string [name].  If [name] is NULL,
   does not set the member. */
static void set_name(json_t *object, const char *key, const char *name)
{
  if (name != NULL) json_object_set_new(object, key, json_text(name));
}

/* Returns a new JSON integer with [word] as a signed number: negative from 2^63
   on. */
static json_t *integer(uint64_t word)
{
  return json_integer((json_int_t) word);
}

/* Returns a new JSON array of the payload words of [event] from word [from]
   on. */
static json_t *integers(const struct eventring_event *event, uint32_t from)
{
  json_t *array = json_array();
  for (uint32_t i = from; i < event->words; i++)
    json_array_append_new(array, integer(event->payload[i]));
  return array;
}

/* Sets the member "text" of [object] to the bytes that [event] carries, or
   "bytes" to their hexadecimal digits if they are not UTF-8.  If the payload is not a string of bytes, sets "values" to its
   words. */
static void set_bytes(json_t *object, const struct eventring_event *event)
{
  size_t length;
  const char *bytes = eventring_event_bytes(event, &length);
  if (bytes == NULL) {
    json_object_set_new(object, "values", integers(event, 0));
    return;
  }
  json_t *text = json_stringn(bytes, length);
  if (text != NULL) {
    json_object_set_new(object, "text", text);
    return;
  }
  char *hex = allocate(2 * length + 1, 1);
  for (size_t i = 0; i < length; i++)
    snprintf(hex + 2 * i, 3, "%02x", (unsigned char) bytes[i]);
  json_object_set_new(object, "bytes", json_string(hex));
  free(hex);
}

/* Returns a new JSON value for the word [word] of field [field]: the name that
   the unit has for it, null for a thread that the threads library does not
   know, else the number. */
static json_t *field_value(struct eventring_cursor *cursor,
                           const struct eventring_field *field, uint64_t word)
{
  const char *name = eventring_value(cursor, field->unit, word);
  if (name != NULL) return json_text(name);
  if (strcmp(field->unit, "thread") == 0 && word > INT32_MAX)
    return json_null();       /* not a thread of the threads library */
  if (strcmp(field->unit, "address") == 0
      || strcmp(field->unit, "lock") == 0) {
    char address[2 + 16 + 1];   /* a number of JSON is signed */
    snprintf(address, sizeof address, "0x%" PRIx64, word);
    return json_string(address);
  }
  return integer(word);
}

/* Returns the number of fields in a round of repeated fields, if [word] of the
   payload is in a repeated part with rounds of up to LONGEST_ROUND fields; else
   0.  The result is the same for every field of a round.  [word] must have a
   description. */
static uint32_t round_length(struct eventring_cursor *cursor,
                             const struct eventring_event *event,
                             uint32_t word)
{
  const struct eventring_field *field = event_field(cursor, event, word);
  for (uint32_t n = 1; n <= LONGEST_ROUND; n++)
    if (event_field(cursor, event, word + n) == field) return n;
  return 0;
}

/* Sets the member of [object] called as [field], escaped as json_text does, to
   [value], of which the caller has no reference then.  A member with this name is
   replaced. */
static void set_field(json_t *object, const struct eventring_field *field,
                      json_t *value)
{
  char key[4 * sizeof field->name + 1];
  json_t *name = json_text(field->name);
  snprintf(key, sizeof key, "%s", json_string_value(name));
  json_decref(name);
  json_object_set_new(object, key, value);
}

/* Sets the members of [object] for the payload of [event] from [word] on:
   "fields" has the fields by name, with an array "rounds" of objects for fields
   that are repeated, and "values" has the numbers from the first one without a
   name on.  Sets no member that would be empty. */
static void set_fields(json_t *object, struct eventring_cursor *cursor,
                       const struct eventring_event *event, uint32_t word)
{
  json_t *fields = json_object(), *rounds = json_array(), *round = fields;
  uint32_t length = 0, in_round = 0;
  for (; word < event->words; word++) {
    const struct eventring_field *field = event_field(cursor, event, word);
    if (field == NULL) {
      json_object_set_new(object, "values", integers(event, word));
      break;
    }
    if (length == 0) length = round_length(cursor, event, word);
    if (length > 0 && in_round++ % length == 0) {
      round = json_object();
      json_array_append_new(rounds, round);
    }
    set_field(round, field, field_value(cursor, field, event->payload[word]));
  }
  if (json_array_size(rounds) > 0)
    json_object_set(fields, "rounds", rounds);
  json_decref(rounds);
  if (json_object_size(fields) > 0)
    json_object_set(object, "fields", fields);
  json_decref(fields);
}

/* Sets the members of [object] for the payload of [event], none if it is empty.
   [description] describes the id of the event; if it is NULL, sets "values".
   The duration of a complete event with a packed payload is left out. */
static void set_payload(json_t *object, struct eventring_cursor *cursor,
                        const struct eventring_event *event,
                        const struct eventring_description *description)
{
  if (event->words == 0) return;
  if (description == NULL) {
    json_object_set_new(object, "values", integers(event, 0));
    return;
  }
  switch (description->payload) {
  case EVENTRING_PAYLOAD_BYTES:
  case EVENTRING_PAYLOAD_TEXT: set_bytes(object, event); break;
  case EVENTRING_PAYLOAD_PACKED:
    set_fields(object, cursor, event,
               description->kind == EVENTRING_KIND_COMPLETE);
    break;
  default:
    if (event->words == 1)
      json_object_set_new(object, "value", integer(event->payload[0]));
    else
      json_object_set_new(object, "values", integers(event, 0));
    if (description->unit[0] != '\0')
      set_name(object, "unit", description->unit);
  }
}

json_t *event_json(struct eventring_cursor *cursor, int64_t started_ns,
                   const struct eventring_event *event, int64_t took_ns)
{
  const struct eventring_description *description =
    eventring_describe(cursor, event->id);
  json_t *object = json_object();
  /* Unsigned, since the times of a damaged file may be any. */
  json_object_set_new(object, "ns", integer((uint64_t) event->ns
                                            - (uint64_t) started_ns));
  json_object_set_new(object, "domain", integer(event->domain));
  set_name(object, "domain_name",
           eventring_domain_name_at(cursor, event->domain, event->ticks));
  json_object_set_new(object, "thread", integer(event->thread));
  if (event->thread_id >= 0)
    json_object_set_new(object, "thread_id",
                        integer((uint64_t) event->thread_id));
  set_name(object, "thread_name",
           eventring_thread_name_at(cursor, event->domain, event->thread,
                                    event->thread_id, event->ticks));
  json_object_set_new(object, "form",
                      json_string(form_name(event, description)));
  if (event->form == EVENTRING_EV_LOST) {
    json_object_set_new(object, "events",
                        integer(event->words > 0 ? event->payload[0] : 0));
    return object;
  }
  json_object_set_new(object, "id", integer(event->id));
  if (description != NULL) {
    if (description->name[0] != '\0')
      set_name(object, "name", description->name);
    set_name(object, "category",
             eventring_category(cursor, description->category));
  }
  if (took_ns >= 0)
    json_object_set_new(object, "duration_ns", integer((uint64_t) took_ns));
  set_payload(object, cursor, event, description);
  return object;
}

void add_event_units(json_t *units, struct eventring_cursor *cursor,
                     const struct eventring_event *event)
{
  char id[sizeof "65535"];
  const struct eventring_field *field;
  snprintf(id, sizeof id, "%u", (unsigned) event->id);
  if (event->form == EVENTRING_EV_LOST || json_object_get(units, id) != NULL
      || event_field(cursor, event, 0) == NULL)
    return;
  json_t *of = json_object();
  for (uint32_t word = 0; word < event->words
         && (field = event_field(cursor, event, word)) != NULL; word++)
    if (field->unit[0] != '\0') set_field(of, field, json_text(field->unit));
  json_object_set_new(units, id, of);
}
