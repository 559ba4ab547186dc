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

/* The words and numbers of a comparison, for the table, the page and JSON of
   eventring compare. */

#ifndef TOOLS_RUNS_COMPARISON_TEXT_H
#define TOOLS_RUNS_COMPARISON_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "run_comparison.h"
#include "runs/groups.h"
#include "text.h"

/* A comparison of [groups], whose first one is the base.  [warnings] is a JSON
   array of texts; [rounds]: the runs of a round are pairs; [all]: figures
   without a difference are shown too. */
struct comparison_output {
  const struct run_groups *groups;
  const struct run_comparison *comparison;
  json_t *warnings;
  bool rounds, all;
};

/* Room for the text of a verdict. */
#define VERDICT_SIZE 64

/* Returns whether the verdict is less or more. */
bool is_difference(const struct comparison_row *row);

/* Returns whether the row is shown without --all-figures. */
bool is_shown(const struct comparison_row *row);

/* Returns whether the interval of the row is finite. */
bool has_interval(const struct comparison_row *row);

/* Returns the verdict as one word: faster, slower, less, more, same, unknown. */
const char *verdict_name(const struct comparison_row *row);

/* Writes the verdict as words into [text], and returns it. */
const char *verdict_text(char text[VERDICT_SIZE],
                         const struct comparison_row *row);

/* Writes [share] as a percentage of two digits into [text], and returns it, or
   NULL if the share is not finite. */
const char *share_text(char text[QUANTITY_SIZE], double share);

/* Return the standard deviation between runs, and inside runs, relative to the
   median: the greater one of both sides; NAN if it is not known. */
double deviation_between(const struct comparison_row *row);
double deviation_within(const struct comparison_row *row);

#endif /* TOOLS_RUNS_COMPARISON_TEXT_H */
