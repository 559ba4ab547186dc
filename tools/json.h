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

/* Parts of the JSON of all subcommands; doc/JSON.md describes it. */

#ifndef TOOLS_JSON_H
#define TOOLS_JSON_H

#include <jansson.h>
#include "histogram.h"
#include "summary.h"

/* Of doc/JSON.md: raised when a field gets another meaning or is removed. */
#define JSON_VERSION 2

/* Returns bytes of a file as a string.  Bytes that are not UTF-8 become
   \xHH. */
json_t *json_text(const char *text);

/* Returns the process of the cursor and its state. */
json_t *json_process(struct eventring_cursor *cursor);

/* Returns the number of durations, and their distribution. */
json_t *json_durations(const struct histogram *h);

/* Return the whole summary, and the change in an interval of [ns]: [amounts],
   and the recent pauses. */
json_t *json_summary(struct summary *s);
json_t *json_interval(struct summary *s, const struct summary_tally *amounts,
                      uint64_t ns);

/* Prints [value], indented or as one line, and frees it.  In ASCII, so that no
   terminal obeys it. */
void print_json(json_t *value, bool one_line);

#endif /* TOOLS_JSON_H */
