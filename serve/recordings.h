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

/* Recordings that clients start and stop. */

#ifndef SERVE_RECORDINGS_H
#define SERVE_RECORDINGS_H

#include "answer.h"
#include "settings.h"
#include "view.h"

/* The most recordings at once. */
#define RECORDINGS 16

/* Starts or stops a recording of the process as the body says, and returns the
   answer.  A recording also ends with its process, or at its limit of bytes; of a
   process that has ended, when all that its rings hold is copied. */
struct answer record_view(const struct asked *asked);

/* Returns a new JSON object of the recordings that go on. */
json_t *json_recordings(void);

/* Stops all recordings, which are then in the store. */
void stop_recordings(void);

#endif /* SERVE_RECORDINGS_H */
