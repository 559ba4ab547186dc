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


/* The names of events that a file describes, for clients that suggest them. */

#ifndef SERVE_NAMES_H
#define SERVE_NAMES_H

#include <jansson.h>
#include "view.h"

/* The most names of an answer. */
#define NAMES_LIMIT 2000

/* Returns a new JSON object with the names of the events of [view], each once,
   events of the program first; NULL when its file was cut.  The caller frees it
   with json_decref. */
json_t *json_names(struct view *view);

#endif /* SERVE_NAMES_H */
