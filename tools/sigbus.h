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

/* Installs a handler of SIGBUS: when a mapped file is cut shorter and then
   read, outside of unless_sigbus, the program prints a message with the name of
   the file and ends with STATUS_CANNOT_READ.  Any other SIGBUS ends the program
   as without a handler. */
void catch_sigbus(void);

/* Calls [act] with [state] and returns true.  Returns false, without a message,
   if a file that [act] read was cut shorter: then [act] was left by a jump, and
   the memory and the descriptors that it had are lost.  Needs catch_sigbus.
   [act] may call unless_sigbus.  Threads may call it at the same time. */
bool unless_sigbus(void (*act)(void *state), void *state);

/* Sets the function that the handler of catch_sigbus calls before its message;
   NULL for none.  Since it is called from a handler of signals, the function
   must be async-signal-safe. */
void before_sigbus_exit(void (*tidy)(void));

#endif /* TOOLS_SIGBUS_H */
