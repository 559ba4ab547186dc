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

/* The metrics of the processes and agents of the hub, for a server that was
   started with --hub. */

#ifndef SERVE_FLEET_METRICS_H
#define SERVE_FLEET_METRICS_H

#include <stdio.h>
#include "hub_url.h"
#include "metric_pages.h"

/* Adds the metrics of the hub to [pages], and prints the figures about the hub
   itself on [out].  Recordings are read as doc/HTTP.md tells: not all of them in
   each call. */
void add_fleet_metrics(struct metric_pages *pages, const struct hub_url *hub,
                       FILE *out);

#endif /* SERVE_FLEET_METRICS_H */
