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

/* The facts that a recording contains about itself, in addition to its
   events. */

#ifndef TOOLS_MANIFEST_H
#define TOOLS_MANIFEST_H

#include "common.h"

/* Returns a manifest of the recording of [cursor], as one line of JSON text:
   the program, its arguments, the machine and the versions.  The arguments are
   those of the process, if it runs in this pid namespace, else only its argv[0]
   from the file.  [trigger] is the trigger of the recording, or NULL.  The
   caller frees the text.  Ends the program with a message when there is no
   memory. doc/RECORDING.md lists the members. */
char *new_manifest(struct eventring_cursor *cursor, const char *trigger);

/* Returns the number of processors that were online, from the manifest in the
   recording of [cursor]; 0 when it does not have one. */
uint32_t manifest_processors(struct eventring_cursor *cursor);

#endif /* TOOLS_MANIFEST_H */
