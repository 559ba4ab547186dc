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

void print_counts(const struct counts *c, bool as_json)
{
  size_t names;
  struct named_count *list = counts_by_name(c, &names);
  if (as_json) {
    json_t *array = json_array();
    for (size_t i = 0; i < names; i++) {
      json_t *name = json_text(list[i].name);
      json_array_append_new(
        array, json_pack("{s:o,s:I}", "name", name, "events",
                         (json_int_t) list[i].count));
    }
    print_json(json_pack("{s:I,s:o}", "events", (json_int_t) total_count(c),
                         "names", array), false);
  } else {
    for (size_t i = 0; i < names; i++) {
      printf("%12" PRIu64 "  ", list[i].count);
      print_text(stdout, list[i].name, strlen(list[i].name), TEXT_COLUMN);
      putchar('\n');
    }
    printf("%12" PRIu64 "  total\n", total_count(c));
  }
  free(list);
}
