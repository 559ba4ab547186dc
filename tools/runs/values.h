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

/* How values of figures and facts of manifests are written. */

#ifndef TOOLS_RUNS_VALUES_H
#define TOOLS_RUNS_VALUES_H

#include <jansson.h>
#include "text.h"

/* Room for any value of a figure, "12.3 M words", and for the values of a fact in
   a line. */
#define FIGURE_SIZE (QUANTITY_SIZE + 8)
#define FACT_SIZE 76

/* Writes [value], of a figure with the unit [unit], into [buffer].  Returns
   [buffer]. */
const char *format_figure(char buffer[FIGURE_SIZE], const char *unit,
                          double value);

/* Writes the [values] of a fact, separated by commas, into [text], of [size]
   bytes; an end that does not fit is replaced by "...".  Returns [text]. */
const char *format_fact(char *text, size_t size, const json_t *values);

/* Returns [value] as a new JSON number, or null when it is infinite or NAN. */
json_t *json_known(double value);

#endif /* TOOLS_RUNS_VALUES_H */
