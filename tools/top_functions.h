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

/* The functions that eventring top shows: those with the most processor time in
   the samples of the last seconds. */

#ifndef TOOLS_TOP_FUNCTIONS_H
#define TOOLS_TOP_FUNCTIONS_H

#include "eventring_reader.h"
#include "top_screen.h"

struct top_functions;

/* Creates the functions of the process that [cursor] reads, to be called before
   its first read.  Never returns NULL.  The caller frees the functions with
   free_top_functions; the cursor must stay open while they are used. */
struct top_functions *new_top_functions(struct eventring_cursor *cursor);
void free_top_functions(struct top_functions *functions);

/* Takes the next event of the cursor.  The caller passes every event. */
void top_functions_event(struct top_functions *functions,
                         const struct eventring_event *event);

/* Sets the functions of [screen], and the number and processor time of their
   samples, for the seconds up to [screen->now].  Files without symbols are
   reported in the message of [screen], once each. */
void fill_top_functions(struct top_functions *functions,
                        struct screen *screen);

#endif /* TOOLS_TOP_FUNCTIONS_H */
