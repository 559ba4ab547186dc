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

/* The recordings in the store (sources/store.h), for clients. */

#ifndef SERVE_SAVED_H
#define SERVE_SAVED_H

#include "answer.h"
#include "settings.h"
#include "view.h"

/* Saves the last seconds of the process, running or not, a range of time, or all that
   its rings hold, as the body says, into the store, and returns the answer. */
struct answer save_view(const struct asked *asked);

/* Returns a new JSON object of the recordings in the store. */
json_t *json_saved(const struct settings *settings);

/* Returns the view with the id [id], as find_view does; the id may be of a
   recording in the store, which is shown from then on. */
struct view *find_any_view(const struct settings *settings, uint64_t id,
                           char *why, size_t why_size);

/* Writes the events of the recording [from] from [from_ns] on and before
   [to_ns], on CLOCK_MONOTONIC, to the recording [to].  Returns 0 or an error of
   libeventring, then perhaps with the reason in [why]. */
int cut_recording(const char *from, const char *to, int64_t from_ns,
                  int64_t to_ns, char *why, size_t why_size);

/* Returns whether the recording at [path] has events; true if it cannot be read. */
bool has_events(const char *path);

#endif /* SERVE_SAVED_H */
