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

extern const char *const pause_names[PAUSES];

/* The line that says which process, in what state, and how much was read. */
void print_process(struct summary *s);

/* How many events were lost, if there were some. */
void print_lost(struct summary *s);

/* A line of the table of durations, and its head. */
void print_durations_head(const char *what);
void print_durations(const char *name, const struct histogram *h);

/* All of it: what `stat` prints. */
void print_summary(struct summary *s);

#endif /* TOOLS_SUMMARY_TEXT_H */
