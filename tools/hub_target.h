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

/* Targets at a hub: NODE/PID or NODE/STREAM, with the option --hub or the
   variable EVENTRING_HUB. */

#ifndef TOOLS_HUB_TARGET_H
#define TOOLS_HUB_TARGET_H

#include <stdbool.h>
#include <jansson.h>
#include "common.h"
#include "hub_url.h"

/* Takes the value of --hub.  Ends the program with STATUS_USAGE when it is not
   the address of a hub for readers. */
void use_hub(const struct command *command, const char *url);

/* Returns the hub of --hub, or else of EVENTRING_HUB, or NULL.  Ends the program
   with STATUS_USAGE when the variable is not such an address. */
const struct hub_url *chosen_hub(const struct command *command);

/* Returns whether --hub was given. */
bool has_hub_option(void);

/* Returns the path of a temporary file with the recording of [target], which
   the caller frees; NULL when [target] is not at a hub: there is no hub, or only
   EVENTRING_HUB names one and [target] is a process id, a file that exists, or a
   stream.  If the recording cannot be got, prints a message and ends the program
   with STATUS_CANNOT_READ. */
char *fetch_hub_target(const struct command *command, const char *target);

/* The characters of the name of a node, and of a pid or a stream, with the 0. */
#define HUB_NODE_SIZE 65
#define HUB_PROCESS_SIZE 129

/* Returns whether [target] is a process at a hub, as fetch_hub_target decides
   that, and sets its names then.  Ends the program with STATUS_USAGE when it has
   another form than NODE/PID and NODE/STREAM. */
bool parse_hub_target(const struct command *command, const char *target,
                      char node[HUB_NODE_SIZE],
                      char process[HUB_PROCESS_SIZE]);

/* Returns whether [operand] means all processes of a node, as NODE/: there is a
   hub, and, if only EVENTRING_HUB names one, no file or folder [operand]. */
bool is_hub_node(const struct command *command, const char *operand);

/* Opens the recording of [stream] of [node].  Returns NULL, with a message, when
   it cannot be got or opened.  The caller closes the cursor with
   close_hub_recording. */
struct eventring_cursor *open_hub_recording(const struct hub_url *url,
                                            const char *node,
                                            const char *stream);
void close_hub_recording(struct eventring_cursor *cursor);

/* Does the same as open_hub_recording, but prints nothing about failures, and
   returns NULL with the reason in [why].  The recording has only the last part and
   the parts that have changed since [since_ns], by the clock of the hub, in
   nanoseconds since 1970; all parts with 0. */
struct eventring_cursor *try_hub_recording(const struct hub_url *url,
                                           const char *node,
                                           const char *stream,
                                           int64_t since_ns, char *why,
                                           size_t size);

/* Returns the name of the file of [cursor] for messages: its path, or the target
   at the hub that it was fetched from.  Valid until the cursor is closed. */
const char *shown_path(struct eventring_cursor *cursor);

/* The hub's CLOCK_MONOTONIC less the clock of a node, with the bound of its error, as
   the agent of the node has reported it last. */
struct hub_clock { int64_t offset_ns, bound_ns; };

/* Sets *clock to the clock of the process of [cursor].  Returns false when that is
   not known: the recording is not from a hub, or its process ran before the last
   start of the node or in another time namespace than its agent. */
bool clock_at_hub(struct eventring_cursor *cursor, struct hub_clock *clock);

/* Returns the processes that the hub lists, an array of JSON in an object, which
   the caller frees.  If that fails, prints a message and ends the program with
   STATUS_CANNOT_READ. */
json_t *hub_processes(const struct hub_url *url);

#endif /* TOOLS_HUB_TARGET_H */
