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

/* Answers that this program gives when it is run with a command: in a process of its own,
   which may take long, need much memory or fail without harm to the server. */

#ifndef SERVE_OWN_COMMAND_H
#define SERVE_OWN_COMMAND_H

#include "answer.h"

/* The first argument of a command. */
#define OWN_PROGRAM "/proc/self/exe"

/* Returns the answer with the JSON that the command [argv], run in [dir], prints; its
   message when it fails.  Ends it when the client is gone, or after a minute: then
   [advice] is the end of the message.  At most four clients wait for one at the same time,
   others are refused. */
struct answer answer_own_command(const struct asked *asked, const char *const argv[],
                                 const char *dir, const char *advice);

/* Ends the commands, and refuses further ones. */
void stop_own_commands(void);

#endif /* SERVE_OWN_COMMAND_H */
