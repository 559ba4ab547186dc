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

/* Requests to a hub, by libcurl.  The hub is known by the fingerprint of its key
   in its address; a server with another key gets no request. */

#ifndef FLEET_HUB_CLIENT_H
#define FLEET_HUB_CLIENT_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "hub_url.h"
#include "late_curl.h"

/* Returns a handle of libcurl for [path] at the hub; the caller adds the rest of
   its request, and frees the handle with curl_easy_cleanup.  NULL when there is
   no memory. */
CURL *hub_request(const struct hub_url *url, const char *path);

/* Has requests of readers and operators call [is_over], once a second at least
   while they wait, and fail when it returns true.  NULL: they wait as long as the
   hub does.  For programs with one thread that makes requests. */
void end_hub_requests_when(bool (*is_over)(void));

/* Lets the request of [c] fail soon after *stop has become true, if [stop] is not
   NULL. */
void end_when_stopped(CURL *c, atomic_bool *stop);

/* Gets the JSON object at [path], for a reader or an operator, and returns it;
   NULL with the reason. */
json_t *get_from_hub(const struct hub_url *url, const char *path, char *why,
                     size_t size);

/* Does the same with a POST of [body], which waits for an agent. */
json_t *post_to_hub(const struct hub_url *url, const char *path,
                    const json_t *body, char *why, size_t size);

/* Gets the recording at [path] into a file without a name, and returns its
   descriptor, which the caller closes; -1 with the reason.  Sets *left_out to
   the number of parts that the hub left out. */
int get_file_from_hub(const struct hub_url *url, const char *path,
                      unsigned long *left_out, char *why, size_t size);

/* Does the same, but fails soon after *stop has become true. */
int get_file_from_hub_until(const struct hub_url *url, const char *path,
                            unsigned long *left_out, atomic_bool *stop,
                            char *why, size_t size);

#endif /* FLEET_HUB_CLIENT_H */
