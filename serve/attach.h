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

/* Attaching: processes in which tracing can be started, and starting it. */

#ifndef SERVE_ATTACH_H
#define SERVE_ATTACH_H

#include "answer.h"

/* Returns the list of the processes that this user may attach to and that are
   not traced: for each its pid and its program. */
struct answer attachable_processes(const struct asked *asked);

/* Starts tracing in the process that the body names, and returns the answer.  Waits
   for the process for a second at most. */
struct answer attach_process(const struct asked *asked);

#endif /* SERVE_ATTACH_H */
