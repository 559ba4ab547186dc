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

/* The meanings of the categories of Eventring's OCaml.  Files have only their
   names, and the runtime, which holds the reader too, needs no more. */

#include <stddef.h>
#include <string.h>
#include "eventring_reader.h"

static const struct {
  const char *name;
  const char *meaning;
} categories[] = {
#define CATEGORY(id, bit, name, by_default, doc) { name, doc },
#include "caml/eventring_events.tbl"
};

const char *eventring_category_meaning(const char *name)
{
  for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
    if (name != NULL && strcmp(categories[i].name, name) == 0)
      return categories[i].meaning;
  return NULL;
}
