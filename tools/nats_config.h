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

/* The options of agents and hubs for NATS, and the configuration of the server. */

#ifndef TOOLS_NATS_CONFIG_H
#define TOOLS_NATS_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include "command.h"
#include "nats_place.h"

/* Ends the command with a message when the options --nats and --nats-ca are not
   valid. */
void check_nats_options(const struct command *command,
                        const struct nats_place *place);

/* Prints a configuration of nats-server for the hub with the store in the folder
   [path] and the nodes that have joined it.  Returns false with the reason. */
bool print_nats_config(const char *path, char *why, size_t size);

#endif /* TOOLS_NATS_CONFIG_H */
