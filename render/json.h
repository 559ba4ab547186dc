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

#ifndef RENDER_JSON_H
#define RENDER_JSON_H

#include <jansson.h>
#include "histogram.h"
#include "summary.h"
#include "summary_total.h"

/* The version of the format in doc/JSON.md: raised when the meaning of a field
   changes or a field is removed. */
#define JSON_VERSION 2

/* Returns a new JSON string with [text], a text of a file.  If [text] is not
   valid UTF-8, its wrong bytes, its control characters and its characters that
   change the direction of writing become \xHH.  Ends the program with a message
   when there is no memory, as the next functions do.  The caller frees the
   result with json_decref. */
json_t *json_text(const char *text);

/* Adds [value] to [object] by the name [name], a text of a file; frees [value]
   if the object has a member of this name. */
void json_add_named(json_t *object, const char *name, json_t *value);

/* Returns a new JSON object that describes the process of [cursor] and its
   state.  The CPU time is null unless the process runs in this pid
   namespace. */
json_t *json_process(struct eventring_cursor *cursor);

/* Returns a new JSON object: the object of json_process, with its path, the
   settings that the control commands change, and the size of the rings.  The
   caller frees it with json_decref. */
json_t *json_control(struct eventring_cursor *cursor);

/* Returns a new JSON object with the number, total, percentiles and maximum of
   the durations in [h]. */
json_t *json_durations(const struct histogram *h);

/* Returns a new JSON array of the buckets of [h] that are not empty. */
json_t *json_buckets(const struct histogram *h);

/* Returns a new JSON array of the categories in the file of [cursor], each with
   its name, whether it is recorded and, if known, its meaning. */
json_t *json_categories(struct eventring_cursor *cursor);

/* Returns a new JSON object with [total], as `stat --all --json` prints at the
   end.  The caller frees the object with json_decref. */
json_t *json_total(const struct summary_total *total);

/* Return a new JSON object. json_summary describes all of [s], up to
   summary_until; json_summary_until, up to [until_ns], which is not before the
   last event. json_interval describes an interval of [ns] nanoseconds, by
   its [amounts] and the recent pauses of [s], with the heap and the memory at
   present; the caller has called summary_tally before, which completes the
   pauses. */
json_t *json_summary(struct summary *s);
json_t *json_summary_until(struct summary *s, int64_t until_ns);
json_t *json_interval(struct summary *s, const struct summary_tally *amounts,
                      uint64_t ns);

/* Returns a new JSON array of the names of the spans that thread [thread] has open, the
   outermost first; if [program] is true, only those of the program. */
json_t *json_open_spans(struct summary *s, uint32_t thread, bool program);

/* Returns a new JSON object with the number and the name, null if its begin is not known,
   of the request on which thread [thread] works; JSON's null without one. */
json_t *json_request_of(struct summary *s, uint32_t thread);

/* Returns [value] as text of these flags of jansson, ASCII only.  The caller
   frees the text.  Ends the program with a message when there is no memory. */
char *dump_json(const json_t *value, size_t flags);

/* Prints [value] and an end of line on standard output, indented or, if
   [one_line] is true, as one line, and frees it.  The output is ASCII only, so
   that no text controls a terminal. */
void print_json(json_t *value, bool one_line);

#endif /* RENDER_JSON_H */
