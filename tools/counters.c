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

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "counters.h"
#include "json.h"
#include "memory.h"

/* By id. */
struct counters {
  bool known[UINT16_MAX + 1];
  int64_t value[UINT16_MAX + 1];
};

struct counters *new_counters(void)
{
  return allocate(1, sizeof(struct counters));
}

void free_counters(struct counters *counters)
{
  free(counters);
}

void counters_event(struct counters *counters,
                    const struct eventring_event *event)
{
  if (event->form != EVENTRING_EV_COUNTER || event->words == 0) return;
  counters->known[event->id] = true;
  counters->value[event->id] = (int64_t) event->payload[0];
}

/* Returns whether the event that [d] describes has the category user. */
static bool is_of_program(struct eventring_cursor *cursor,
                          const struct eventring_description *d)
{
  const char *category = eventring_category(cursor, d->category);
  return category != NULL && strcmp(category, "user") == 0;
}

json_t *json_counters(const struct counters *counters,
                      struct eventring_cursor *cursor, bool of_program)
{
  json_t *object = json_object();
  for (uint32_t id = 0; id <= UINT16_MAX; id++) {
    if (!counters->known[id]) continue;
    const struct eventring_description *d = eventring_describe(cursor, id);
    if (d == NULL || (of_program && !is_of_program(cursor, d))) continue;
    json_add_named(object, d->name, json_integer(counters->value[id]));
  }
  return object;
}
