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

#ifndef RENDER_EVENT_TEXT_H
#define RENDER_EVENT_TEXT_H

#include "eventring_reader.h"
#include "wall_clock.h"

struct event_text {
  struct eventring_cursor *cursor;
  int64_t started_ns;
  const struct wall_clock *wall;  /* column 1 has the time of day by this clock;
                                     NULL: the time since started_ns */
  int64_t shift_ns;               /* that was added to the times of events */
  const char *process;            /* a column after the time; NULL: none */
  int domain_width, thread_width; /* of their columns: the widest so far */
  int64_t took_ns;                /* duration to print with the end of a
                                     span; -1: nothing */
};

/* Returns the state for printing the events of [cursor], with columns of the
   usual widths and no duration.  The cursor must stay open while the state is
   used. */
struct event_text new_event_text(struct eventring_cursor *cursor);

/* Prints the columns 1 to 5 of `eventring events --help` for [event] on
   standard output, and [text->process] after the first, without an end of line, and widens the columns in [text]
   where necessary. */
void print_columns(struct event_text *text,
                   const struct eventring_event *event);

/* Prints the column 6 of [event] on standard output, after two spaces and
   without an end of line; prints nothing if the column is empty.  If the event
   is the end of a span, the column begins with [text->took_ns], unless this is
   -1. */
void print_value(struct event_text *text, const struct eventring_event *event);

/* form_name returns the word for the form of [event], such as "begin":
   "complete" for an instant of this kind, "unknown" for a form that is not in
   the file. print_name prints the name of the event: "-" for a report of lost
   events, "#" and the id for an event without a name.  [description] describes
   the id of the event, or is NULL. */
const char *form_name(const struct eventring_event *event,
                      const struct eventring_description *description);
void print_name(const struct eventring_event *event,
                const struct eventring_description *description);

/* Prints the words of the payload of [event] on standard output as hexadecimal
   numbers of 16 digits, separated by spaces; nothing if it is empty. */
void print_hex(const struct eventring_event *event);

#endif /* RENDER_EVENT_TEXT_H */
