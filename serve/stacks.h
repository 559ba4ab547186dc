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

/* The stacks of all threads of a process now. */

#ifndef SERVE_STACKS_H
#define SERVE_STACKS_H

#include "answer.h"

/* Runs `eventring stacks --json` on the process of the view, and returns its output. */
struct answer stacks_of_view(const struct asked *asked);

#endif /* SERVE_STACKS_H */
