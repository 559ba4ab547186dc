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

/* A request to control a process of a node, as it goes from a command to a hub
   and on to an agent.  The hub and the agent both check it. */

#ifndef FLEET_CONTROL_REQUEST_H
#define FLEET_CONTROL_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "hub_keys.h"
#include "stream_name.h"

/* The most arguments, and bytes of each. */
#define CONTROL_ARGUMENTS 32
#define CONTROL_TEXT 256

/* The highest rate of samples, a second. */
#define CONTROL_RATE 20000

/* The longest time to wait for points, in milliseconds. */
#define CONTROL_WAIT_MS 10000

struct control_request {
  char node[NODE_SIZE];
  char process[STREAM_NAME_SIZE]; /* a pid, or the name of a stream */
  const char *command;            /* a constant: "enable", ... */
  /* Categories or names of points, up to a NULL. */
  const char *arguments[CONTROL_ARGUMENTS + 1];
  bool json, quiet, names;        /* options of the command */
  int64_t rate;                   /* of enable; 0: unchanged */
  int64_t wait_ms;                /* of get */
};

/* Sets [r] from [object], which must stay valid as long as the arguments of
   [r].  Returns false with the reason. */
bool parse_control_request(const json_t *object, struct control_request *r,
                           char *why, size_t size);

/* Returns [r] as a new object; NULL when a text is not UTF-8 or there is no
   memory. */
json_t *json_of_control_request(const struct control_request *r);

/* Returns whether [process] may name a process: a pid or a stream. */
bool is_process_name(const char *process);

#endif /* FLEET_CONTROL_REQUEST_H */
