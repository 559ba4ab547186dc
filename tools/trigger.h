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

/* The trigger of `eventring record`: 'NAME > TIME', a span that took longer, or
   NAME, any event. */

#ifndef TOOLS_TRIGGER_H
#define TOOLS_TRIGGER_H

#include <stdint.h>
#include "common.h"

struct trigger {
  const char *text;               /* NULL: no trigger */
  char name[128];
  int64_t longer_than;            /* -1: any event of that name */
};

/* Parses [text], a trigger such as "NAME > TIME" or "NAME", into [t].  The last
   ">" ends the name; spaces around it are left out.  [t] keeps the pointer
   [text], which must stay valid as long as [t].  If [text] is not a trigger, or
   the name is empty or has more than 127 bytes, prints a message and ends the
   program with STATUS_USAGE. */
void parse_trigger(const struct command *command, struct trigger *t,
                   const char *text);

#endif /* TOOLS_TRIGGER_H */
