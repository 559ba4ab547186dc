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

/* The processes of `eventring top --all`, each with its live statistics. */

#ifndef TOOLS_TOP_ALL_H
#define TOOLS_TOP_ALL_H

#include "top_screen.h"

struct top_all;

/* Opens the processes that the command line names, as open_processes does with
   --all, which may end the program with a message.  The caller frees the result
   with free_top_all. */
struct top_all *new_top_all(const struct command *command, int argc,
                            char **argv, const char *dir);
void free_top_all(struct top_all *all);

/* Reads new events of the processes into their statistics, for [budget_ns] at
   most, and continues with the next process at the next call.  Without operands,
   adds processes that have started since, and removes processes that ended
   TOP_ALL_ENDED_NS ago.  Returns the number of events read. */
int top_all_read(struct top_all *all, int64_t budget_ns);

/* How long the row of an ended process is shown, if processes come and go. */
#define TOP_ALL_ENDED_NS (10 * SECOND_NS)

/* Fills the rows of [screen], with rates of the last [span_ns]. */
void top_all_fill(struct top_all *all, struct screen *screen, int64_t span_ns);

/* Resets the longest pauses of all processes. */
void top_all_reset_maxima(struct top_all *all);

/* Opens the process of row [row] once more, for control if [control] is true.
   Returns NULL when it cannot be opened, with the reason in [why]. */
struct eventring_cursor *top_all_open(struct top_all *all, int row,
                                      bool control, char why[SCREEN_TEXT]);

/* Prints a line on standard output for each process: its state, and the numbers
   of its events and of lost events. */
void top_all_print(struct top_all *all);

#endif /* TOOLS_TOP_ALL_H */
