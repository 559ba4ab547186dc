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

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include "json.h"
#include "store_json.h"
#include "store_note.h"
#include "target.h"

static json_t *count_or_null(uint64_t count)
{
  return count == UINT64_MAX ? json_null() : json_integer((json_int_t) count);
}

static json_t *text_or_null(const char *text)
{
  return text[0] == '\0' ? json_null() : json_text(text);
}

int64_t stored_duration_ns(const struct stored *stored)
{
  const struct eventring_info *info = &stored->info;
  return info->last_ns >= info->first_ns && info->last_ns != 0
         ? time_since(info->last_ns, info->first_ns) : -1;
}

json_t *json_stored(const char *store, const struct stored *stored)
{
  static const char *const by[] = { [SAVED_BY_HAND] = "hand",
                                    [SAVED_BY_RULE] = "rule" };
  const struct eventring_info *info = &stored->info;
  char path[PATH_MAX], note[STORE_NOTE];
  snprintf(path, sizeof path, "%s/%s", store, stored->name);
  read_store_note(AT_FDCWD, path, note);
  json_t *object = json_pack(
    "{s:o, s:o, s:o, s:I, s:I}", "name", json_text(stored->name),
    "path", json_text(path), "note", text_or_null(note),
    "bytes", (json_int_t) stored->bytes,
    "saved_unix_ns", (json_int_t) stored->saved.at_ns);
  if (stored->why[0] != '\0') {
    json_object_set_new(object, "error", json_text(stored->why));
    return object;
  }
  int64_t duration_ns = stored_duration_ns(stored);
  json_t *facts = json_pack(
    "{s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:s?, s:o, s:o}",
    "program", text_or_null(info->program),
    "argv0", text_or_null(info->argv0), "pid", (json_int_t) info->pid,
    "started_unix_ns", (json_int_t) info->started_realtime_ns,
    "duration_ns",
    duration_ns < 0 ? json_null() : json_integer(duration_ns),
    "events", count_or_null(info->recorded_events),
    "lost_events", count_or_null(info->recorded_lost),
    "saved_by", by[stored->saved.by],
    "rule", text_or_null(stored->saved.rule),
    "fired", json_fired_event(&stored->saved.fired));
  json_object_update(object, facts);
  json_decref(facts);
  return object;
}
