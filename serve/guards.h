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

/* The threads that watch processes for the rules, and save recordings. */

#ifndef SERVE_GUARDS_H
#define SERVE_GUARDS_H

#include <jansson.h>
#include "settings.h"

/* The most processes that are watched at once: each has a thread, and the
   compressed events of the time before in memory. */
#define GUARDS 16

/* Starts a thread that watches the processes that rules are for; [settings]
   must stay valid. */
void start_guards(const struct settings *settings);

/* Ends the threads; recordings that have begun are saved as they are. */
void stop_guards(void);

/* Sets the members "watched" and "not_watched" of [rules]: the numbers of
   processes that rules are for. */
void set_watched(json_t *rules);

#endif /* SERVE_GUARDS_H */
