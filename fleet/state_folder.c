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

/* See state_folder.h. */

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include "memory.h"
#include "state_folder.h"

char *state_folder(const char *name)
{
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  char *folder = NULL;
  int length = state != NULL && state[0] == '/'
               ? asprintf(&folder, "%s/eventring/%s", state, name)
               : home != NULL && home[0] == '/'
               ? asprintf(&folder, "%s/.local/state/eventring/%s", home, name)
               : 0;
  if (length < 0) out_of_memory();
  return folder;
}
