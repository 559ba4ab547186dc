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

/* The processes of the hub with the figures of their recordings, which are read
   now and then: see doc/FLEET.md, Metrics. */

#ifndef SERVE_FLEET_READINGS_H
#define SERVE_FLEET_READINGS_H

#include "hub_streams.h"
#include "process_figures.h"

/* A process that runs, or got events a short time ago.  The last three are NULL
   until its recording was read. */
struct fleet_reading {
  const struct hub_stream *stream;
  const char *text;               /* the metrics, for Prometheus */
  const struct process_figures *figures;
  json_t *facts;                  /* of new_process_facts */
};

struct fleet_readings {
  struct hub_streams streams;
  struct fleet_reading *list;
  size_t count;
  size_t unread;                  /* processes without a reading */
  size_t old;                     /* processes with newer events */
};

/* Gets the list of processes from the hub, reads some of their recordings if the
   last call that did so was some time ago, and sets [readings].  They are held
   until release_readings; other threads wait meanwhile.  Returns false with the
   reason, when the hub does not answer or did not a short time ago. */
bool hold_readings(const struct hub_url *hub, struct fleet_readings *readings,
                   char *why, size_t size);
void release_readings(struct fleet_readings *readings);

#endif /* SERVE_FLEET_READINGS_H */
