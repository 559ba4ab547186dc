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


#include <string.h>
#include "json.h"
#include "names.h"

/* Adds the names of the events in the category user, or of all others, to
   [set], an object with a member for each. */
static void add_names(struct eventring_cursor *cursor, bool user, json_t *set)
{
  for (uint32_t id = 0; id <= UINT16_MAX; id++) {
    const struct eventring_description *d = eventring_describe(cursor, id);
    if (d == NULL || d->name[0] == '\0') continue;
    const char *category = eventring_category(cursor, d->category);
    if ((category != NULL && strcmp(category, "user") == 0) != user) continue;
    if (json_object_size(set) == NAMES_LIMIT) return;
    json_t *name = json_text(d->name);
    json_object_set_new(set, json_string_value(name), json_true());
    json_decref(name);
  }
}

static void look_names(struct view_data *d, void *state)
{
  json_t *set = json_object(), *names = json_array();
  add_names(d->cursor, true, set);
  add_names(d->cursor, false, set);
  for (void *at = json_object_iter(set); at != NULL;
       at = json_object_iter_next(set, at))
    json_array_append_new(names, json_string(json_object_iter_key(at)));
  json_decref(set);
  *(json_t **) state = json_pack("{s:o}", "names", names);
}

json_t *json_names(struct view *view)
{
  json_t *result = NULL;
  if (view_look(view, look_names, &result)) return result;
  json_decref(result);
  return NULL;
}
