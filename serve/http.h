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

/* The HTTP server: connections, access, and the way of a request to its
   answer. */

#ifndef SERVE_HTTP_H
#define SERVE_HTTP_H

#include <stddef.h>
#include "settings.h"

/* The limits: bytes of the body of a request, connections, the time in which a
   request must have arrived, and in which its answer, or a file, must have been
   taken. */
#define HTTP_BODY (64 * 1024)
#define HTTP_CONNECTIONS 128
#define HTTP_REQUEST_SECONDS 15
#define HTTP_ANSWER_SECONDS 120
#define HTTP_DOWNLOAD_SECONDS 3600

/* Listens as [settings] say, which must stay valid, and starts the threads that
   serve.  Writes the address of the page to [url], a buffer of [size] bytes.
   Returns false, with the reason in [why], when that fails. */
bool start_http(const struct settings *settings, char *url, size_t size, char *why,
                size_t why_size);

/* Closes connections that are over their time.  To be called once a second. */
void reap_connections(void);

/* Ends all connections and the threads that serve. */
void stop_http(void);

#endif /* SERVE_HTTP_H */
