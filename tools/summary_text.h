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

/* A summary as people read it. */

#ifndef TOOLS_SUMMARY_TEXT_H
#define TOOLS_SUMMARY_TEXT_H

#include "summary.h"
#include "summary_total.h"

extern const char *const pause_names[PAUSES];

/* Prints a line on standard output with the process of [s], its state, the
   number of its events and the time from the first to the last. */
void print_process(struct summary *s);

/* Prints a line on standard output with the number of lost events, if events
   were lost. */
void print_lost(struct summary *s);

/* Print, on standard output, the head of a table of durations, with [what] as
   the title of its first column, and a row of the table: the durations in [h],
   after [name]; "-" for each if [h] is empty. */
void print_durations_head(const char *what);
void print_durations(const char *name, const struct histogram *h);

/* Prints two further rows, after the row of a request or a kind of requests:
   how long threads worked on them, and how long no thread did.  Prints nothing
   when that is not known of any request. */
void print_runs(const struct histogram *running,
                const struct histogram *waiting);

/* Print [s] on standard output: print_summary all of it, as `stat` does;
   print_summary_until that of a window, up to [until_ns]. */
void print_summary(struct summary *s);
void print_summary_until(struct summary *s, int64_t until_ns);

/* Prints [total] on standard output, as `stat --all` does at the end. */
void print_total(const struct summary_total *total);

#endif /* TOOLS_SUMMARY_TEXT_H */
