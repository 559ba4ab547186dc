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

/* The requests of a shipper, and the answers of its hub, by HTTPS or by NATS.

   A shipper has a few slots.  Each sends one message at a time: bytes of a part,
   or a report.  A message ends with the answer of the hub, or with the reason
   why there is none.  All functions but [wake] are for the thread of the
   shipper. */

#ifndef FLEET_TRANSPORT_H
#define FLEET_TRANSPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "joining.h"
#include "spool.h"

#define TRANSPORT_SLOTS 5

/* The end of a message. */
struct hub_reply {
  unsigned slot;
  long status;                    /* as of HTTP; 0: no answer */
  json_t *json;                   /* the answer, an object with the status 200 or,
                                     of a part, 409; NULL for any other end */
  bool may_have;                  /* without an answer: the hub may have taken
                                     the message */
  char why[512];                  /* the reason, when [json] is NULL */
};

struct transport {
  size_t piece;                   /* the most bytes of a message */
  unsigned streams;               /* the most streams of a report, so that it is
                                     not longer */
  const char *control;            /* in reports: "https" or "nats", by which the
                                     agent takes requests for control, or NULL */
  /* Sends [length] bytes at [body], which stay valid until the message ends:
     bytes of the part of [job], or a report if that is NULL. */
  void (*begin)(struct transport *t, unsigned slot,
                const struct spool_job *job, const char *body, size_t length);
  /* Sets [reply] to the end of a message; the caller frees its JSON.  Returns
     false when no message has ended. */
  bool (*next)(struct transport *t, struct hub_reply *reply);
  /* Waits until a message ends, wake is called, or [ms] are over. */
  void (*wait)(struct transport *t, int ms);
  void (*wake)(struct transport *t);
  /* Gives up all messages, and frees the transport. */
  void (*close)(struct transport *t);
};

/* Returns a transport by HTTPS to the hub of [m], which must stay valid. */
struct transport *open_http_transport(const struct membership *m);

#endif /* FLEET_TRANSPORT_H */
