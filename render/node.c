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

/* See node.h. */

#include <string.h>
#include "node.h"

/* The longest description that is read. */
#define LONGEST ((size_t) 1 << 20)

json_t *node_of(struct eventring_cursor *cursor)
{
  const char *node = eventring_node(cursor);
  json_t *all = node != NULL && strnlen(node, LONGEST) < LONGEST
                ? json_loads(node, 0, NULL) : NULL;
  if (json_is_object(all)) return all;
  json_decref(all);
  return NULL;
}

struct clock_samples clock_samples(struct eventring_cursor *cursor)
{
  struct clock_samples s = { .count = 0 };
  struct eventring_clock_sample next;
  while (eventring_get_clock_sample(cursor, s.count, &next) > 0) {
    if (s.count++ == 0) s.first = next;
    s.last = next;
    if (next.bound_ns > s.bound_ns) s.bound_ns = next.bound_ns;
  }
  return s;
}
