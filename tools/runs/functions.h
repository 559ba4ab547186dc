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

/* The functions in the samples of runs, as figures. */

#ifndef TOOLS_RUNS_FUNCTIONS_H
#define TOOLS_RUNS_FUNCTIONS_H

#include <stdbool.h>
#include "runs/figures.h"

/* Adds to [figures] the share of each function in the processor time of the
   samples in [recordings], of a manifest, whose files are in [folder]:
   functions.NAME.self_share.  Adds nothing when no samples were recorded. */
void add_functions(struct run_figures *figures, const char *folder,
                   const json_t *recordings);

/* Makes the functions of [count] runs comparable: gives each run with samples a
   share of 0 for functions that only other runs have, and removes functions
   with less than 1 % of the time of all runs. */
void complete_functions(struct run_figures *runs, size_t count);

/* Returns whether [name] is a figure of add_functions. */
bool is_function_figure(const char *name);

#endif /* TOOLS_RUNS_FUNCTIONS_H */
