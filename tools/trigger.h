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

/* What `eventring record` waits for: 'NAME > TIME', a span that took longer, or
   NAME, any event. */

#ifndef TOOLS_TRIGGER_H
#define TOOLS_TRIGGER_H

#include <stdint.h>
#include "common.h"

struct trigger {
  const char *text;               /* NULL: there is none */
  char name[128];
  int64_t longer_than;            /* -1: any event of that name */
};

/* Makes [t] what [text] says, which must live as long.  Ends the program when
   that is not understood. */
void parse_trigger(const struct command *command, struct trigger *t,
                   const char *text);

#endif /* TOOLS_TRIGGER_H */
