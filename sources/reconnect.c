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

/* See reconnect.h. */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "address.h"
#include "reconnect.h"
#include "target.h"
#include "text.h"

/* Between two tries. */
#define TRY_NS 200000000

/* A connection that breaks again before is the same fault. */
#define WORKS_NS 1000000000

static int64_t try_for_ns;

void reconnect_for(int64_t ns)
{
  try_for_ns = ns;
}

/* Connects [cursor] to its sender again.  Returns true; or false with the reason
   in [why]. */
static bool connect_again(struct eventring_cursor *cursor,
                          char why[CONNECTION_TEXT])
{
  int fd = connect_to(eventring_path(cursor), why, CONNECTION_TEXT);
  int error;
  if (fd < 0) return false;
  error = eventring_resume_stream(cursor, fd);
  if (error < 0)
    snprintf(why, CONNECTION_TEXT, "%s: %s", eventring_path(cursor),
             error == EVENTRING_E_SYSTEM ? strerror(errno)
                                         : eventring_strerror(error));
  close(fd);
  return error == 0;
}

bool keep_connected(struct connection *connection,
                    struct eventring_cursor *cursor, char text[CONNECTION_TEXT])
{
  const int64_t now = monotonic_ns();
  char time[QUANTITY_SIZE], why[CONNECTION_TEXT] = "";
  bool told = false;
  if (!eventring_is_broken(cursor)) {
    if (now - connection->tried_ns >= WORKS_NS) connection->broke_ns = 0;
    return false;
  }
  if (connection->broke_ns == 0) {
    connection->broke_ns = now;
    snprintf(text, CONNECTION_TEXT, "%s: the connection broke; connecting again, "
             "for at most %s", eventring_path(cursor),
             format_duration(time, (uint64_t) try_for_ns));
    told = true;
  } else if (now - connection->tried_ns < TRY_NS) {
    return false;
  }
  connection->tried_ns = now;
  if (connect_again(cursor, why)
      || now - connection->broke_ns < try_for_ns) return told;
  eventring_resume_stream(cursor, -1);
  snprintf(text, CONNECTION_TEXT, "%s",
           why[0] != '\0' ? why : "the connection breaks again and again");
  return true;
}
