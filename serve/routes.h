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

/* The resources of the server: from this one table come the paths, methods,
   parameters and members that exist, and GET /api, which lists them.  doc/HTTP.md
   describes them. */

#ifndef SERVE_ROUTES_H
#define SERVE_ROUTES_H

#include "route.h"

/* All of them; the path of the last is NULL. */
extern const struct route routes[];

/* Returns the set of methods that [route] has. */
unsigned methods_of(const struct route *route);

/* Returns the answer of the route of the query of [asked] to [method], which it has
   and which http.c does not answer.  [body] is that of a POST; asked->view and
   asked->body are set here. */
struct answer answer_of_route(struct asked asked, enum method method,
                              const char *body);

#endif /* SERVE_ROUTES_H */
