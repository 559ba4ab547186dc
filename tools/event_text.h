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

/* Returns the state for printing the events of [cursor], with columns of the
   usual widths. */
struct event_text new_event_text(struct eventring_cursor *cursor);

/* Prints the columns 1 to 5 of `eventring events --help` for [event], without
   an end of line, and widens the columns in [text] where necessary. */
void print_columns(struct event_text *text,
                   const struct eventring_event *event);

/* Prints the column 6 of [event] after two spaces; prints nothing if the column
   is empty. */
void print_value(struct event_text *text, const struct eventring_event *event);

/* form_name returns the word for the form of [event], such as "begin".
   print_name prints the name of the event: "-" for a report of lost events, "#"
   and the id for an event without a name.  [description] is that of the event's
   id, or NULL. */
const char *form_name(const struct eventring_event *event,
                      const struct eventring_description *description);
void print_name(const struct eventring_event *event,
                const struct eventring_description *description);

/* Prints the words of the payload of [event] as hexadecimal numbers. */
void print_hex(const struct eventring_event *event);

#endif /* TOOLS_EVENT_TEXT_H */
