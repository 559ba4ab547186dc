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

/* The metrics of the processes and agents of a hub, for Prometheus and
   OpenTelemetry.  The functions print no messages, and may be called by many
   threads. */

#ifndef SOURCES_HUB_METRICS_H
#define SOURCES_HUB_METRICS_H

#include <stdatomic.h>
#include "hub_streams.h"
#include "metric_pages.h"
#include "metrics.h"
#include "protobuf.h"

/* The most metrics of one series of an agent or a process. */
#define HUB_NUMBERS 8

/* Gets the recording of [stream], and calls [take] with [state] and the summary
   of its events.  Returns false with the reason when [take] was not called, and
   soon after *stop has become true, if [stop] is not NULL. */
bool read_hub_summary(const struct hub_url *url,
                      const struct hub_stream *stream, atomic_bool *stop,
                      void (*take)(void *state, struct summary *summary),
                      void *state, char *why, size_t size);

/* Returns the metrics of [summary] as print_metrics prints them, which the caller
   frees; [metrics] as for read_hub_metrics. */
char *summary_metrics(struct summary *summary, struct metrics **metrics);

/* Gets the recording of [stream], and returns its metrics as print_metrics prints
   them, which the caller frees; NULL with the reason.  *metrics is NULL at first,
   and then has the state for the next reading of the stream; the caller frees it
   with free_metrics.  With [metrics] NULL, keeps no state. */
char *read_hub_metrics(const struct hub_url *url,
                       const struct hub_stream *stream,
                       struct metrics **metrics, char *why, size_t size);

/* Adds the metrics [text] of [stream], which may be NULL when its recording was
   not read, and the figures that its agent reported. */
void add_stream_metrics(struct metric_pages *pages,
                        const struct hub_stream *stream, const char *text);

/* Adds the metrics of the agents, but only of the [count] nodes in [nodes], if
   [count] is not 0, each with a slash at its end.  Returns false with the
   reason. */
bool add_agent_metrics(struct metric_pages *pages, const struct hub_url *url,
                       char *const *nodes, size_t count, char *why,
                       size_t size);

/* Add to [request], an ExportMetricsServiceRequest: the metrics of the agents, as
   add_agent_metrics; and the metrics of the recording of [stream], of which
   [summary] is the summary, with the figures that its agent reported. */
bool add_otlp_agents(struct message *request, const struct hub_url *url,
                     char *const *nodes, size_t count, char *why, size_t size);
void add_otlp_stream(struct message *request, const struct hub_stream *stream,
                     struct metrics *metrics, struct summary *summary);

#endif /* SOURCES_HUB_METRICS_H */
