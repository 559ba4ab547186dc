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

/* One page of metrics for Prometheus, made of the pages of many processes.
   Prometheus wants all series of a metric together, so the pages are merged by
   metric, and each series gets the labels of its process. */

#ifndef RENDER_METRIC_PAGES_H
#define RENDER_METRIC_PAGES_H

#include <stdio.h>

struct metric_pages;

/* Creates a page without metrics.  Never returns NULL.  The caller frees it with
   free_metric_pages. */
struct metric_pages *new_metric_pages(void);
void free_metric_pages(struct metric_pages *pages);

/* Adds the metrics in [text], as print_metrics writes them: comments of two
   lines, HELP and TYPE, each before its series.  Each series gets the [labels],
   such as process="12".  Leaves out the metric [except], unless that is NULL. */
void add_metric_page(struct metric_pages *pages, const char *text,
                     const char *labels, const char *except);

/* Prints the page on [out].  Nothing can be added afterwards. */
void print_metric_pages(FILE *out, struct metric_pages *pages);

#endif /* RENDER_METRIC_PAGES_H */
