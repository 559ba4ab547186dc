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

/* The answer of a hub to a request of an agent: a small JSON object. */

#ifndef FLEET_REPLY_H
#define FLEET_REPLY_H

#include <jansson.h>
#include <stddef.h>
#include "late_curl.h"

struct reply {
  size_t length;
  char text[16384];               /* a longer answer is refused */
};

/* Makes the handle write its answer to [reply], which must stay valid until the
   handle is freed. */
void receive_reply(CURL *curl, struct reply *reply);

/* Returns the answer of a request that has ended with [code] and the HTTP
   status 200 or [also], as an object that the caller frees, and sets *status.
   Returns NULL, with the reason in [why], for any other end. */
json_t *take_reply(CURL *curl, CURLcode code, const struct reply *reply,
                   long also, long *status, char *why, size_t size);

#endif /* FLEET_REPLY_H */
