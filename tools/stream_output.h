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

/* The output of a recording that is no file: standard output, a shell command,
   or a socket that receivers connect to (fleet/address.h). */

#ifndef TOOLS_STREAM_OUTPUT_H
#define TOOLS_STREAM_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include "common.h"

struct stream_output;

/* Opens the output at [address], which is not of kind ADDRESS_FILE.
   For a socket, prints a note with the address for receivers.  Never returns
   NULL: if the output cannot be opened, prints a message and ends the program
   with STATUS_CANNOT_WRITE.  The caller ends it with close_stream_output. */
struct stream_output *open_stream_output(const char *address);

/* Writes a chunk: the [write] of a recorder; [state] is the output.  Waits
   for standard output and for a command, but not for receivers. */
int stream_output_write(void *state, int kind, const void *bytes, size_t size);

/* Returns how many bytes of events the recorder keeps for receivers that connect
   again; 0 for outputs without such receivers, and for NULL. */
uint64_t stream_output_window(const struct stream_output *output);

/* Lets new receivers join [recorder], and sends as much as sockets take.  To be
   called often. */
void stream_output_send(struct stream_output *output,
                        struct eventring_recorder *recorder);

/* Returns whether the reader of standard output, or the command, has closed its
   end, which ends the recording and is no failure by itself. */
bool stream_output_closed(const struct stream_output *output);

/* Sends the rest to receivers, for two seconds at most, waits for the end of a
   command, and frees the output.  Returns STATUS_OK; STATUS_CANNOT_WRITE, with a
   message, when the command failed. */
enum status close_stream_output(struct stream_output *output);

#endif /* TOOLS_STREAM_OUTPUT_H */
