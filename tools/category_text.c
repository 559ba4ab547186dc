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
#include <string.h>
#include "category_text.h"
#include "common.h"
#include "text.h"

bool find_categories(struct eventring_cursor *cursor, const char *list,
                     uint32_t *mask)
{
  char why[MESSAGE_SIZE];
  bool found = parse_categories(cursor, list, mask, why, sizeof why);
  if (!found) complain("%s", why);
  return found;
}

void print_categories(struct eventring_cursor *cursor, uint32_t mask)
{
  const char *separator = "";
  for (uint32_t bit = 0; bit < 32; bit++) {
    if ((mask & UINT32_C(1) << bit) == 0) continue;
    const char *name = eventring_category(cursor, bit);
    fputs(separator, stdout);
    if (name != NULL)
      print_text(stdout, name, strlen(name), TEXT_COLUMN);
    else
      printf("category %" PRIu32, bit);
    separator = ", ";
  }
}
