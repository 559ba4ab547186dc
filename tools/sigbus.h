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

#ifndef TOOLS_SIGBUS_H
#define TOOLS_SIGBUS_H

#include <stdbool.h>

/* Makes a file that is cut while it is mapped end the program with a message
   and STATUS_CANNOT_READ. */
void catch_sigbus(void);

/* Calls [act], and returns true; or false if a file was cut meanwhile.  Then
   [act] did not return, and the memory that it had allocated is lost. */
bool unless_sigbus(void (*act)(void *state), void *state);

/* Has [tidy] called before that line; NULL for nothing.  It is called from a
   handler of signals. */
void before_sigbus_exit(void (*tidy)(void));

#endif /* TOOLS_SIGBUS_H */
