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

/* The data of OpenTelemetry, OTLP 1.x, in protocol buffers: what its metrics and
   its traces have in common, and the metrics.  The schema:
   https://github.com/open-telemetry/opentelemetry-proto */

#ifndef RENDER_OTLP_H
#define RENDER_OTLP_H

#include "metrics.h"
#include "protobuf.h"

/* Add an attribute, a KeyValue, as field [field] of [m].  [text] becomes valid
   UTF-8. */
void otlp_add_text(struct message *m, uint32_t field, const char *key,
                   const char *text, size_t length);
void otlp_add_integer(struct message *m, uint32_t field, const char *key,
                      int64_t n);

/* Adds the resource, the process that [info] describes, as field 1 of [m]. */
void otlp_add_resource(struct message *m, const struct eventring_info *info);

/* Adds the instrumentation scope, this program, as field 1 of [m]. */
void otlp_add_scope(struct message *m);

/* Returns the time since the epoch of the time [ns] of CLOCK_MONOTONIC in the
   process of [info]. */
uint64_t otlp_time(const struct eventring_info *info, int64_t ns);

/* A process of a hub: its node and stream, and [count] metrics that its agent has
   reported, which take the place of metrics of their names. */
struct otlp_origin {
  const char *node, *stream;
  const struct metric_number *numbers;
  size_t count;
};

/* Adds the metrics to [request], an ExportMetricsServiceRequest.  [origin] may be
   NULL. */
void otlp_add_metrics(struct message *request, struct metrics *metrics,
                      struct summary *summary,
                      const struct otlp_origin *origin);

/* Adds [count] metrics of the service [service] on [node], as they were at
   [realtime_ns], to [request], an ExportMetricsServiceRequest. */
void otlp_add_numbers(struct message *request, const char *service,
                      const char *node, const struct metric_number *numbers,
                      size_t count, int64_t realtime_ns);

#endif /* RENDER_OTLP_H */
