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


/* Timelines and flame graphs as JSON text, which is printed directly: they may
   have a hundred thousand numbers.  Live sites as JSON. */

#ifndef SERVE_WINDOW_TEXT_H
#define SERVE_WINDOW_TEXT_H

#include <jansson.h>
#include "live_sites.h"
#include "profile.h"
#include "timeline.h"
#include "view.h"

/* The window of a timeline and its source, for print_timeline. */
struct timeline_text {
  struct eventring_cursor *cursor;
  struct view *view;
  int64_t started_ns;             /* times are printed since then */
  int64_t from_ns, to_ns;         /* of the window */
  int64_t until_ns;               /* the events up to here were read; less than
                                     [to_ns] if there were too many */
};

/* Returns [timeline], which was finished, as JSON text.  From [until_ns] on it
   has the shares of the history of the view.  The caller frees the text, here
   and below. */
char *print_timeline(const struct timeline *timeline,
                     const struct timeline_text *text);

/* The most nodes of a flame graph. */
#define FLAME_NODES 20000

/* Returns the tree of calls of [profile], which was finished, as JSON text, with times
   since [started_ns]. */
char *print_flame(const struct profile *profile, int64_t started_ns);

/* Returns [result] as an object, with times since [started_ns].  The caller
   releases it. */
json_t *json_live_sites(const struct live_sites_result *result,
                        int64_t started_ns);

#endif /* SERVE_WINDOW_TEXT_H */
