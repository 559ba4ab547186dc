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

/* The totals of a process as metrics: counters since tracing started, or in a file
   without totals since the summary was created, gauges of the present state, histograms of durations.  A format
   writes them: metrics_text.h for Prometheus, otlp.h for OpenTelemetry. */

#ifndef RENDER_METRICS_H
#define RENDER_METRICS_H

#include "summary.h"

enum metric_kind { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };

/* What the numbers of a metric are.  Metrics of METRIC_NS and METRIC_UNIX_NS,
   nanoseconds since 1970, are in seconds for the user, as their names say. */
enum metric_unit { METRIC_COUNT, METRIC_BYTES, METRIC_NS, METRIC_UNIX_NS };

struct metric {
  const char *name, *help;
  enum metric_kind kind;
  enum metric_unit unit;
};

/* A metric of one series without labels. */
struct metric_number {
  struct metric metric;
  uint64_t value;
};

struct metric_label { const char *name, *value; };

/* The upper bounds of the buckets of histograms, in nanoseconds; a last bucket
   has no bound. */
#define METRIC_BOUNDS 10
extern const uint64_t metric_bounds[METRIC_BOUNDS];

/* The functions of a format, with the state of the caller: [begin] is called
   for each metric before its series; then, for each series with its [count]
   labels, [histogram] for a METRIC_HISTOGRAM and [value] for the others. */
struct metrics_writer {
  void (*begin)(void *state, const struct metric *metric);
  void (*value)(void *state, const struct metric_label *labels, int count,
                uint64_t value);
  void (*histogram)(void *state, const struct metric_label *labels, int count,
                    const struct histogram *durations);
};

struct metrics;

/* Creates the metrics of [summary], which must stay valid.  Never returns NULL.
   The caller frees them with free_metrics. */
struct metrics *new_metrics(struct summary *summary);
void free_metrics(struct metrics *m);

/* Goes on with [summary], of the same process read anew, in place of the summary
   before.  The counters of times and the names with a series are kept. */
void renew_metrics(struct metrics *m, struct summary *summary);

/* Has write_metrics leave out times of domains, which may be a little less in another
   reading of the same rings, and unless [complete] is true, all other numbers that
   only events tell: the rings have not all events since tracing started.  Other
   counters are totals of the process. */
void metrics_of_one_reading(struct metrics *m, bool complete);

/* Writes all of the summary with the functions of [writer].  A counter never
   becomes smaller from one call to the next.  The number of series is bounded:
   METRICS_NAMES spans, waits and requests, the most frequent of the first call
   first, have a series of their own, all others share the name "(other)". */
void write_metrics(struct metrics *m, const struct metrics_writer *writer,
                   void *state);

#define METRICS_NAMES 100

#endif /* RENDER_METRICS_H */
