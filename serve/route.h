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

/* Resources of the server; routes.h has the table of them. */

#ifndef SERVE_ROUTE_H
#define SERVE_ROUTE_H

#include <stdbool.h>
#include <stdint.h>
#include "answer.h"

enum method { METHOD_GET = 1, METHOD_POST = 2, METHOD_DELETE = 4 };

/* The parameters of addresses; see query.c. */
enum parameter {
  FROM, TO, WIDTH, LIMIT, TIER, FILTER, PROCESS, RULE, A, B, A_FROM, A_TO,
  B_FROM, B_TO, FIRST, THEN, SCOPE, TYPE, FORMAT, NUMBER, DOMAIN, THREAD,
  SPAN, REQUESTS, ORDER, BATCH, GROUPS, OTHER_MACHINES,
  PARAMETERS
};

/* Who answers: the page's files, which need no token, and the stream are sent by
   http.c. */
enum route_kind { ROUTE_FILE, ROUTE_STREAM, ROUTE_SERVER, ROUTE_PROCESS };

/* The most members that the body of a POST may have. */
#define ROUTE_MEMBERS 10

struct route {
  enum route_kind kind;
  const char *path;               /* of ROUTE_PROCESS: behind /api/processes/ID/ */
  uint32_t parameters;            /* a set of 1 << enum parameter */
  bool delete_by;                 /* they are for DELETE, in place of GET */
  struct answer (*get)(const struct asked *asked);        /* or NULL */
  struct answer (*post)(const struct asked *asked);
  const char *members[ROUTE_MEMBERS];
  bool changes;                   /* a POST changes something */
  struct answer (*delete)(const struct asked *asked);
};

#endif /* SERVE_ROUTE_H */
