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

/* See background.h. */

#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include "background.h"
#include "explain.h"

bool begin_thread(pthread_t *thread, void *(*run)(void *state), void *state,
                  const char *what, char *why, size_t size)
{
  sigset_t all, before;
  sigfillset(&all);
  sigdelset(&all, SIGBUS);
  sigdelset(&all, SIGSEGV);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const int error = pthread_create(thread, NULL, run, state);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error == 0
    || explain(why, size, "cannot begin to %s: %s", what, strerror(error));
}
