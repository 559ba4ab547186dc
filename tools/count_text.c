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
#include "count_text.h"
#include "json.h"
#include "text.h"

/* Returns the JSON object of the [names] counts in [list], [total] in all. */
static json_t *json_counts(const struct named_count *list, size_t names,
                           uint64_t total)
{
  json_t *array = json_array();
  for (size_t i = 0; i < names; i++)
    json_array_append_new(
      array, json_pack("{s:o,s:I}", "name", json_text(list[i].name), "events",
                       (json_int_t) list[i].count));
  return json_pack("{s:I,s:o}", "events", (json_int_t) total, "names", array);
}

static void print_list(const struct named_count *list, size_t names,
                       uint64_t total)
{
  for (size_t i = 0; i < names; i++) {
    printf("%12" PRIu64 "  ", list[i].count);
    print_text(stdout, list[i].name, strlen(list[i].name), TEXT_COLUMN);
    putchar('\n');
  }
  printf("%12" PRIu64 "  total\n", total);
}

void print_counts(const struct counts *const *all, size_t count,
                  json_t *labels)
{
  size_t names;
  uint64_t total = 0;
  struct named_count *list = counts_by_name(all, count, &names);
  for (size_t i = 0; i < count; i++) total += total_count(all[i]);
  if (labels != NULL) {
    const bool one_line = json_object_size(labels) > 0;
    json_object_update_new(labels, json_counts(list, names, total));
    print_json(labels, one_line);
  } else
    print_list(list, names, total);
  free(list);
}
