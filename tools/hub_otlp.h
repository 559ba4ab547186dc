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

/* The metrics of all processes and agents of a hub, sent to a collector of
   OpenTelemetry: once or again and again by a command, or by a thread of the
   hub. */

#ifndef TOOLS_HUB_OTLP_H
#define TOOLS_HUB_OTLP_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include "common.h"
#include "hub_url.h"

struct hub_sending {
  const struct hub_url *hub;
  char *const *nodes;             /* each with a slash at its end */
  size_t count;                   /* of nodes; 0: all nodes */
  const char *url;                /* of the collector */
  int64_t interval_ns;            /* 0: only once */
  atomic_bool *stop;              /* ends the sending when true; NULL: Ctrl-C
                                     does */
};

/* Sends the metrics; with an interval, until Ctrl-C, and then only the metrics
   of processes with new events.  Prints messages about what fails, and goes on;
   with [stop], prints a message about a process, or about the hub or the collector,
   once until that fault is over.  Returns the status of the command. */
enum status send_hub_metrics(const struct hub_sending *sending);

/* Starts a thread that sends the metrics of all nodes of [hub] to the collector at
   [url], each [interval_ns].  Copies [hub]; [url] must stay.  Returns the thread,
   which the caller gives to end_hub_sender, or NULL when it cannot be started. */
struct hub_sender;
struct hub_sender *start_hub_sender(const struct hub_url *hub, const char *url,
                                    int64_t interval_ns);

/* Ends the thread, within seconds; does nothing for NULL. */
void end_hub_sender(struct hub_sender *sender);

#endif /* TOOLS_HUB_OTLP_H */
