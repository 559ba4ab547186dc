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

#include <stdio.h>
#include <string.h>
#include "category.h"
#include "target.h"

uint32_t all_categories(struct eventring_cursor *cursor)
{
  uint32_t all = 0;
  for (uint32_t bit = 0; bit < 32; bit++)
    if (eventring_category(cursor, bit) != NULL) all |= UINT32_C(1) << bit;
  return all;
}

uint32_t recorded_categories(struct eventring_cursor *cursor)
{
  struct eventring_info info = target_info(cursor);
  return info.active != 0 ? info.active : info.resume;
}

/* Categories that "all" leaves out: samples, input and output, since their events
   have stacks, and points, since they run code of the program. */
static const char *const only_by_name[] = {
  "profile", "profile_alloc", "profile_wait", "io", "points"
};

/* Returns the mask of the category called [name], a string of [length] bytes;
   for "all", of all categories that are not only recorded by name; 0 when there
   is no such category. */
static uint32_t find_category(struct eventring_cursor *cursor,
                              const char *name, size_t length)
{
  if (length == 3 && memcmp(name, "all", 3) == 0) {
    uint32_t mask = all_categories(cursor);
    for (size_t i = 0; i < sizeof only_by_name / sizeof *only_by_name; i++)
      mask &= ~find_category(cursor, only_by_name[i], strlen(only_by_name[i]));
    return mask;
  }
  for (uint32_t bit = 0; bit < 32; bit++) {
    const char *known = eventring_category(cursor, bit);
    if (known != NULL && strlen(known) == length
        && memcmp(known, name, length) == 0)
      return UINT32_C(1) << bit;
  }
  return 0;
}

/* Writes to [why] that the file has no category [name], a string of [length]
   bytes, and which categories it has. */
static void describe_unknown(struct eventring_cursor *cursor,
                             const char *name, size_t length, char *why,
                             size_t why_size)
{
  char known[600] = "";
  size_t used = 0;
  for (uint32_t bit = 0; bit < 32; bit++) {
    const char *category = eventring_category(cursor, bit);
    if (category != NULL && used < sizeof known)
      used += (size_t) snprintf(known + used, sizeof known - used, "%s%s",
                                used == 0 ? "" : ", ", category);
  }
  snprintf(why, why_size, "%s: no category '%.*s'; there are %s",
           eventring_path(cursor), (int) length, name, known);
}

bool parse_categories(struct eventring_cursor *cursor, const char *list,
                      uint32_t *mask, char *why, size_t why_size)
{
  *mask = 0;
  for (;;) {
    size_t length = strcspn(list, ",");
    uint32_t found = find_category(cursor, list, length);
    if (found == 0) {
      describe_unknown(cursor, list, length, why, why_size);
      return false;
    }
    *mask |= found;
    if (list[length] == '\0') return true;
    list += length + 1;
  }
}

bool records_category(struct eventring_cursor *cursor, const char *name)
{
  char why[1];
  uint32_t mask;
  return parse_categories(cursor, name, &mask, why, sizeof why)
         && (recorded_categories(cursor) & mask) != 0;
}
