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


/* The name of a stream, by the ring file or the tombstone of its session. */

#ifndef FLEET_STREAM_FACTS_H
#define FLEET_STREAM_FACTS_H

#include <stdbool.h>
#include "eventring_reader.h"
#include "spool.h"

/* Sets the facts of the stream of the cursor.  Returns false when it has no
   name: its process was of an earlier boot of the machine. */
bool facts_of_cursor(struct eventring_cursor *cursor,
                     struct spool_facts *facts);

/* Sets the facts of the stream that has left the tombstone. */
void facts_of_tombstone(const struct eventring_tombstone *tombstone,
                        struct spool_facts *facts);

#endif /* FLEET_STREAM_FACTS_H */
