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

#include <stdlib.h>
#include "filter_options.h"

bool filter_option(const struct command *command, struct filter *filter,
                   int option, const char *value)
{
  char why[MESSAGE_SIZE];
  if (option < FILTER_CATEGORY || option > FILTER_TO) return false;
  if (!filter_add(filter, (enum filter_by) option, value, why, sizeof why))
    usage_error(command, "%s: %s", command->name, why);
  return true;
}

void begin_filter(struct filter *filter, struct eventring_cursor *cursor)
{
  char why[MESSAGE_SIZE];
  if (!filter_begin(filter, cursor, why, sizeof why)) {
    complain("%s", why);
    exit(STATUS_USAGE);
  }
}
