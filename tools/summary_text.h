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

/* Prints the line with the process, its state, and the amount that was read. */
void print_process(struct summary *s);

/* Prints how many events were lost, if some were. */
void print_lost(struct summary *s);

/* Print the head of the table of durations, and a line of it. */
void print_durations_head(const char *what);
void print_durations(const char *name, const struct histogram *h);

/* Prints the whole summary, as `stat` does. */
void print_summary(struct summary *s);

#endif /* TOOLS_SUMMARY_TEXT_H */
