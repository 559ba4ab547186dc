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

/* Control of a process by a client. */

#ifndef SERVE_CONTROL_H
#define SERVE_CONTROL_H

#include "answer.h"
#include "view.h"

/* Ends the recording of categories that clients have added to [view] for some time, if
   that is over or [now]. */
void end_added_categories(struct view *view, bool now);

/* Changes the recording of the process as the body says, and returns the answer. */
struct answer control_view(const struct asked *asked);

/* Has the process evaluate its data points once, and returns the answer. */
struct answer ask_view(const struct asked *asked);

#endif /* SERVE_CONTROL_H */
