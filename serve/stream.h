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

/* Server-sent events: a queue of texts for each client that listens.

   The thread that makes texts never waits for a client: when the queue of a
   client is full, the text is dropped and counted, and the client gets an event
   "lost" with their number as soon as it reads again. */

#ifndef SERVE_STREAM_H
#define SERVE_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "late_microhttpd.h"

/* The most clients, texts in a queue, and bytes in a queue. */
#define STREAMS 32
#define STREAM_TEXTS 64
#define STREAM_BYTES (1 << 20)

struct stream;

/* Opens a stream of the events of all processes and, if [has_process] is true,
   of process [process].  Returns NULL when there are STREAMS of them.  The
   caller closes it with close_stream.  All functions may be called by any
   thread. */
struct stream *open_stream(bool has_process, uint64_t process);
void close_stream(struct stream *stream);

/* Copies the next bytes of [stream] for libmicrohttpd, at most [max], to
   [buffer]; waits until there are some.  Returns their number or, after
   end_streams, MHD_CONTENT_READER_END_OF_STREAM. */
ssize_t read_stream(struct stream *stream, char *buffer, size_t max);

/* Appends the event [name] with the text [data] to the queue of each stream or,
   if [process] is not NULL, of each stream of that process.  [data] is one
   line.  [counted]: the event is a tick, and its loss is reported. */
void send_event(const uint64_t *process, const char *name, const char *data,
                bool counted);

/* Returns whether a stream of process [process] is open, or any stream if it is
   NULL. */
bool is_streamed(const uint64_t *process);

/* Ends all streams. */
void end_streams(void);

#endif /* SERVE_STREAM_H */
