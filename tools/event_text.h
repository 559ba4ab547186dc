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

/* An event as a line of text that people read. */

#ifndef TOOLS_EVENT_TEXT_H
#define TOOLS_EVENT_TEXT_H

#include "common.h"

struct event_text {
  struct eventring_cursor *cursor;
  int64_t started_ns;
  int domain_width, thread_width; /* of their columns: the widest so far */
  int64_t took_ns;                /* duration to print with the end of a
                                     span; -1: nothing */
};

struct event_text new_event_text(struct eventring_cursor *cursor);

/* Prints the columns 1 to 5 of `eventring events --help`, and no end of
   line. */
void print_columns(struct event_text *text,
                   const struct eventring_event *event);

/* Prints column 6, with its separator, unless it is empty. */
void print_value(struct event_text *text, const struct eventring_event *event);

/* Return the words for forms and names of events. */
const char *form_name(const struct eventring_event *event,
                      const struct eventring_description *description);
void print_name(const struct eventring_event *event,
                const struct eventring_description *description);

/* Prints the payload as hexadecimal words. */
void print_hex(const struct eventring_event *event);

#endif /* TOOLS_EVENT_TEXT_H */
