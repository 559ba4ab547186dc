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

/* The option --reconnect: connections to the senders of streams that break are
   made again, and the stream goes on where it stopped. */

#ifndef TOOLS_RECONNECT_H
#define TOOLS_RECONNECT_H

#include "common.h"

/* Takes the value [text] of --reconnect, how long to try, for all streams that
   are opened afterwards.  For a text that is no time, prints a message and ends
   the program with STATUS_USAGE. */
void use_reconnect(const struct command *command, const char *text);

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
                    struct eventring_cursor *cursor, char text[MESSAGE_SIZE]);

#endif /* TOOLS_RECONNECT_H */
