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

/* The threads of an agent that the main thread starts. */

#ifndef FLEET_BACKGROUND_H
#define FLEET_BACKGROUND_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Starts [thread], which calls [run] with [state].  Signals are for the main
   thread: the new one has all blocked except the signals of faults.  Returns false
   with the reason, "cannot begin to WHAT", of which [what] is the end. */
bool begin_thread(pthread_t *thread, void *(*run)(void *state), void *state,
                  const char *what, char *why, size_t size);

#endif /* FLEET_BACKGROUND_H */
