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

/* The present contents of a process's rings as a recording. */

#ifndef SOURCES_RING_SNAPSHOT_H
#define SOURCES_RING_SNAPSHOT_H

#include "eventring_reader.h"

/* Writes the events that the rings of [cursor] hold now, a description of this
   machine and the manifest [manifest] to a new recording at [path], as [options]
   say.  Fills [totals], in which the caller has set the size, unless it is NULL.
   Returns 0 or an error of libeventring, then perhaps with a message as [options]
   say.  The cursor cannot be read afterwards. */
int record_rings(struct eventring_cursor *cursor, const char *path,
                 const char *manifest,
                 const struct eventring_record_options *options,
                 struct eventring_record_totals *totals);

#endif /* SOURCES_RING_SNAPSHOT_H */
