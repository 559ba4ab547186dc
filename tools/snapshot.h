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

#ifndef TOOLS_SNAPSHOT_H
#define TOOLS_SNAPSHOT_H

#include "common.h"

/* Writes the events that the rings of [cursor] hold now, and a manifest, to a new
   recording at [path]; a file at this path is replaced only if [force].  Fills
   [totals], in which the caller has set the size.  Returns STATUS_OK, or the
   status of the failure, with a message.  The cursor cannot be read
   afterwards. */
enum status record_snapshot(struct eventring_cursor *cursor, const char *path,
                            bool force,
                            struct eventring_record_totals *totals);

#endif /* TOOLS_SNAPSHOT_H */
