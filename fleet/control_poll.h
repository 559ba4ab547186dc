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

/* An agent that allows control: a thread asks the hub for requests, by HTTPS, and
   sends the answers.

   A request is carried out at most once.  An answer that does not reach the hub
   is lost: the hub then says that it does not know. */

#ifndef FLEET_CONTROL_POLL_H
#define FLEET_CONTROL_POLL_H

#include "control_request.h"
#include "joining.h"

/* Carries out requests; used from one thread at a time. */
struct control_hands {
  /* Carries out [request] and returns the answer, an object with "status",
     "output" and "errors", which the caller frees. */
  json_t *(*carry_out)(void *state, const struct control_request *request);
  void *state;
  void (*say)(const char *line);
};

struct control_poll;

/* Begins to ask the hub of [m], which stays valid as [hands] does.  Returns NULL
   with the reason. */
struct control_poll *begin_control_poll(const struct membership *m,
                                        const struct control_hands *hands,
                                        char *why, size_t size);

/* Ends that; NULL is allowed.  A request that is being carried out is waited
   for. */
void end_control_poll(struct control_poll *p);

/* Checks [request] of a hub to [node], and has it carried out.  Returns the
   answer, which the caller frees. */
json_t *carry_out_request(const struct control_hands *hands, const char *node,
                          const json_t *request);

#endif /* FLEET_CONTROL_POLL_H */
