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

/* The figures by which processes of a fleet are compared, in a form that can be
   added up over the processes of a node or of a version. */

#ifndef ANALYSIS_PROCESS_FIGURES_H
#define ANALYSIS_PROCESS_FIGURES_H

#include "histogram.h"
#include "summary.h"

enum figure {
  FIGURE_LONGEST,                 /* pause, in nanoseconds */
  FIGURE_P99,                     /* of the pauses, in nanoseconds */
  FIGURE_COLLECTING,              /* share of the time of domains, 0 to 1 */
  FIGURE_ALLOCATION,              /* bytes allocated for each second of a
                                     process */
  FIGURE_LOST,                    /* share of the events, 0 to 1 */
  FIGURES
};

/* The names of the figures in JSON. */
extern const char *const figure_names[FIGURES];

/* All zeros: of no process. */
struct process_figures {
  struct histogram pauses;        /* of kind PAUSE_ANY */
  uint64_t time_ns;               /* from the first event to the last one */
  uint64_t watched_ns, gc_ns;     /* of domains, as in a tally */
  uint64_t allocated_bytes;
  uint64_t events, lost;
};

/* Returns the figures of [s], which the caller frees; without [events] and
   [lost]. */
struct process_figures *new_process_figures(struct summary *s);

/* Adds [other] to [f]. */
void add_process_figures(struct process_figures *f,
                         const struct process_figures *other);

/* Returns a figure; NAN when it is not known. */
double process_figure(const struct process_figures *f, enum figure figure);

#endif /* ANALYSIS_PROCESS_FIGURES_H */
