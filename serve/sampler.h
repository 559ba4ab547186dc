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

/* The threads that read the processes and feed the streams. */

#ifndef SERVE_SAMPLER_H
#define SERVE_SAMPLER_H

/* Starts the threads; all signals are blocked in them as in the caller. */
void start_sampler(void);

/* Ends the threads. */
void stop_sampler(void);

#endif /* SERVE_SAMPLER_H */
