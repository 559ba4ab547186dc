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

/* Names of files that follow each other: out.evr, out.2.evr, out.3.evr. */

#ifndef TOOLS_NUMBERED_H
#define TOOLS_NUMBERED_H

#include <stdint.h>

/* Returns the path of the file numbered [number], from 1: [path] itself for 1,
   else [path] with a dot and the number before the extension of its name, or at
   the end if the name has none; a dot at the begin of the name begins no
   extension.  The caller frees the result.  Ends the program with a message
   when there is no memory. */
char *numbered_path(const char *path, uint32_t number);

#endif /* TOOLS_NUMBERED_H */
