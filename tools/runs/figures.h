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

/* The figures of a run that eventring compare compares.

   A figure is called as in `eventring get`: by the way to it in the run's
   summary, such as total.gc_ns or requests.get.p99_ns.  Figures of the process
   are called as in the member `run`, such as wall_ns. */

#ifndef TOOLS_RUNS_FIGURES_H
#define TOOLS_RUNS_FIGURES_H

#include <jansson.h>
#include "run_comparison.h"

struct run_figures { struct metric *list; size_t count, room; };

/* Returns the figures of [run], an object of read_run.  The caller frees them
   with free_run_figures. */
struct run_figures run_figures(const json_t *run);
void free_run_figures(struct run_figures *figures);

/* Returns the figures of the process with the summary [summary], the object of
   `eventring stat --json`.  Amounts of work, such as total.gc_ns, are divided by
   the seconds of the recording, and have "/s" at the end of their names. */
struct run_figures recorded_figures(const json_t *summary);

/* Adds the figure [name], of which a copy is made; removes the figure at
   [index]. */
void add_figure(struct run_figures *figures, const char *name, double value);
void remove_figure(struct run_figures *figures, size_t index);

/* Removes each figure that is 0 in all [count] runs: an event that never happened
   is no test of a difference. */
void remove_zeros(struct run_figures *runs, size_t count);

/* Returns whether [name] is one of the main figures, which are always shown. */
bool is_main_figure(const char *name);

#endif /* TOOLS_RUNS_FIGURES_H */
