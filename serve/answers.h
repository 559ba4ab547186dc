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

/* The answers of the server to requests for data, as JSON; doc/HTTP.md
   describes them. */

#ifndef SERVE_ANSWERS_H
#define SERVE_ANSWERS_H

#include "answer.h"
#include "query.h"
#include "settings.h"

/* Returns the answer to GET of the resource of [query], which is private. */
struct answer answer_get(const struct settings *settings,
                         const struct query *query);

/* Returns the answer to POST of the resource of [query] with [body]; [origin]
   is the address of the client. */
struct answer answer_post(const struct settings *settings,
                          const struct query *query, const char *body,
                          const char *origin);

/* Returns the answer to DELETE of the resource of [query]. */
struct answer answer_delete(const struct query *query, const char *origin);

#endif /* SERVE_ANSWERS_H */
