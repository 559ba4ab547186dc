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

/* The state of a thread, as the system knows it. */

#ifndef ANALYSIS_THREAD_STATE_H
#define ANALYSIS_THREAD_STATE_H

#include <stdint.h>

/* Returns the state of thread [thread] of process [pid], as the letter in
   /proc: R when the thread runs, S when it sleeps.  Returns 0 when the state is
   not known.  [pid] and [thread] are ids in the caller's pid namespace. */
char thread_state(uint32_t pid, uint32_t thread);

#endif /* ANALYSIS_THREAD_STATE_H */
