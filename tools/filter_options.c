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

void filter_option(const struct command *command, struct filter *filter,
                   int option, const char *value)
{
  enum filter_by by;
  char why[MESSAGE_SIZE];
  switch (option) {
  case OPTION_CATEGORIES: by = FILTER_CATEGORY; break;
  case OPTION_DOMAIN: by = FILTER_DOMAIN; break;
  case OPTION_FORM: by = FILTER_FORM; break;
  case OPTION_FROM: by = FILTER_FROM; break;
  case OPTION_LONGER_THAN: by = FILTER_LONGER_THAN; break;
  case OPTION_NAME: by = FILTER_NAME; break;
  case OPTION_THREAD: by = FILTER_THREAD; break;
  case OPTION_TO: by = FILTER_TO; break;
  default: return;
  }
  if (!filter_add(filter, by, value, why, sizeof why))
    usage_error(command, "%s: %s", command->name, why);
}

void begin_filter(struct filter *filter, struct eventring_cursor *cursor)
{
  char why[MESSAGE_SIZE];
  if (!filter_begin(filter, cursor, why, sizeof why)) {
    complain("%s", why);
    exit(STATUS_USAGE);
  }
}
