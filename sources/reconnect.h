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

/* Connections to the senders of streams that break are made again, and the stream
   goes on where it stopped. */

#ifndef SOURCES_RECONNECT_H
#define SOURCES_RECONNECT_H

#include <stdbool.h>
#include <stdint.h>
#include "eventring_reader.h"

/* Room for a message of keep_connected. */
#define CONNECTION_TEXT 1024

/* Sets for how long broken connections are made again, initially not at all.  To be
   called before a stream is opened, by one thread. */
void reconnect_for(int64_t ns);

/* The connection of a cursor; initially all 0. */
struct connection {
  int64_t broke_ns;               /* when it broke; 0: it works */
  int64_t tried_ns;               /* when it was last made or tried */
};

/* Makes the connection of the stream [cursor] again if it is broken, at most some
   times a second; ends the stream when the time is over.  Does nothing for other
   cursors.  To be called when there are no events.  Returns whether there is a
   message for the user, which is then in [text]. */
bool keep_connected(struct connection *connection,
                    struct eventring_cursor *cursor, char text[CONNECTION_TEXT]);

#endif /* SOURCES_RECONNECT_H */
